import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** One version of the data key. A rotation of the secret key adds a version. */
export interface DataKey {
  readonly version: number;
  readonly key: Uint8Array;
  /** Epoch milliseconds from which new data are sealed with it. Before, other processes may not know it yet. */
  readonly activeAt: number;
  /** A later version replaced it in all data: signatures with it no longer prove anything. */
  readonly isRetired: boolean;
}

type Parts = readonly (string | number)[];

/** The derived keys of one version. Each use has its own. */
const deriveKeys = ({ version, key, activeAt, isRetired }: DataKey) => {
  const derive = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `portcullis ${use}`, 32));
  const mac = (name: string) => {
    const macKey = derive(name);
    return (text: string): string => createHmac('sha256', macKey).update(text).digest('hex');
  };
  const pepper = derive('api keys').toString('hex');
  return {
    version,
    activeAt,
    isRetired,
    sealing: derive('seal'),
    hashKey: (text: string): string => hash('sha256', pepper + text),
    fingerprint: mac('fingerprints'),
    chain: mac('audit'),
    // Different keys from those of new hashes: otherwise an old hash, presented as an API key, would have the same
    // upgraded hash as the key itself.
    upgradeKeyHash: mac('upgraded api keys'),
    upgradeFingerprint: mac('upgraded fingerprints'),
  };
};
type Version = ReturnType<typeof deriveKeys>;

const sealWith = ({ sealing }: Version, plain: string, context: string): Uint8Array => {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
};
/** Throws if the value was sealed with another version or for another context. */
const openWith = ({ sealing }: Version, sealed: Uint8Array, context: string): string => {
  const decipher = createDecipheriv('aes-256-gcm', sealing, sealed.subarray(0, 12));
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8');
};

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** All cryptography with the data keys of the installation, the oldest version first. */
export const makeVersionedSeal = (dataKeys: readonly DataKey[], clock: () => number) => {
  let versions = dataKeys.map(deriveKeys);
  const newestFirst = (): Version[] => versions.toReversed();
  /** The version that seals new data. */
  const current = (): Version => newestFirst().find(({ activeAt }) => activeAt <= clock()) ?? (versions[0] as Version);

  /**
   * Every hash that `text` may have in the store: hashed with one version, and upgraded to any number of later ones.
   */
  const hashesOf = (text: string, first: 'hashKey' | 'fingerprint', then: Upgrade): string[] =>
    versions.flatMap((version, index) => {
      const hashes = [version[first](text)];
      for (const later of versions.slice(index + 1)) hashes.push(later[then](hashes.at(-1) as string));
      return hashes;
    });
  /** Upgrades a hash of an older version without the text it was made from. */
  const upgrade = (stored: string, from: number, then: Upgrade): string =>
    versions
      .filter(({ version }) => version > from && version <= current().version)
      .reduce((upgraded, later) => later[then](upgraded), stored);

  /** Opens a value with the version that sealed it; undefined if none did. */
  const find = (
    sealed: Uint8Array,
    context: string,
  ): { readonly plain: string; readonly version: number } | undefined => {
    for (const version of newestFirst())
      try {
        return { plain: openWith(version, sealed, context), version: version.version };
      } catch {
        // Sealed with another version, or not with ours at all.
      }
    return undefined;
  };

  return {
    /** Replaces the keys after a rotation. */
    load: (changed: readonly DataKey[]): void => {
      versions = changed.map(deriveKeys);
    },
    /** The version that seals and hashes new data. */
    version: (): number => current().version,
    /** The newest known version. Hashes of `keyHashes` made before it was known are incomplete. */
    newestVersion: (): number => (versions.at(-1) as Version).version,
    /** Encrypts for storage. `context` names the row: a value copied to another row cannot be decrypted. */
    seal: (plain: string, context: string): Uint8Array => sealWith(current(), plain, context),
    open: (sealed: Uint8Array, context: string): string => {
      const found = find(sealed, context);
      if (found !== undefined) return found.plain;
      throw new Error('a sealed value cannot be opened: it is damaged, or of another row or installation');
    },
    /**
     * Seals a value of an older version with the current one. Undefined if the value needs no change, or cannot be
     * opened: it is useless already.
     */
    reseal: (
      sealed: Uint8Array,
      context: string,
    ): { readonly sealed: Uint8Array; readonly from: number } | undefined => {
      const found = find(sealed, context);
      const now = current();
      if (found === undefined || found.version >= now.version) return undefined;
      return { sealed: sealWith(now, found.plain, context), from: found.version };
    },
    /** The pepper makes a stolen table of hashes useless. */
    hashKey: (key: string): string => current().hashKey(key),
    /** Every hash that the key may have in the store. The first stays the same when versions are added. */
    keyHashes: (key: string): string[] => hashesOf(key, 'hashKey', 'upgradeKeyHash'),
    upgradeKeyHash: (stored: string, from: number): string => upgrade(stored, from, 'upgradeKeyHash'),
    fingerprint: (text: string): string => current().fingerprint(text),
    isFingerprint: (text: string, stored: string): boolean =>
      hashesOf(text, 'fingerprint', 'upgradeFingerprint').some((made) => isEqual(made, stored)),
    upgradeFingerprint: (stored: string, from: number): string => upgrade(stored, from, 'upgradeFingerprint'),
    /**
     * Authenticates audit entries. Callers choose the input of `fingerprint`, so with a shared key they could forge
     * entries.
     */
    chain: (parts: Parts): string => current().chain(JSON.stringify(parts)),
    /** Whether `chain` made the value, with any version. */
    isChain: (parts: Parts, value: string): boolean =>
      versions.some(({ chain }) => isEqual(chain(JSON.stringify(parts)), value)),
    /** Whether `chain` made the value with a version that is not retired. */
    isLiveChain: (parts: Parts, value: string): boolean =>
      versions.some(({ chain, isRetired }) => !isRetired && isEqual(chain(JSON.stringify(parts)), value)),
  };
};
type Upgrade = 'upgradeKeyHash' | 'upgradeFingerprint';
export type Seal = ReturnType<typeof makeVersionedSeal>;

/** The cryptography of a single data key. */
export const makeSeal = (key: Uint8Array): Seal =>
  makeVersionedSeal([{ version: 1, key, activeAt: 0, isRetired: false }], () => 0);
