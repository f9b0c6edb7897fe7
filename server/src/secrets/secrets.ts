import { randomBytes } from 'node:crypto';
import type { Backend } from '../backend/backend.ts';
import type { Config } from '../config.ts';
import {
  dataKeysOf,
  type InstallationKey,
  SecretKeyRefused,
  secretIdsIn,
  unwrapRows,
  versionsOf,
  wrapRow,
} from './key-rows.ts';
import { type DataKey, makeSeal, makeVersionedSeal, type Seal } from './seal.ts';
import { createSecretKey, findSecretKey, type SecretKey } from './secret-key.ts';
import { insertFirstKeys, readWrappedKeys, type WrappedKeyRow } from './store.ts';
import { secretIdOf } from './wrap.ts';

/** The keys of the installation, opened with its secret key. */
export interface Secrets {
  readonly secret: SecretKey;
  /** 16 bytes: the key of the hash that finds histories. It never changes. */
  readonly identityKey: Uint8Array;
  /** The versions of the key that encrypts stored secrets, hashes API keys and signs the audit log. */
  readonly dataKeys: () => readonly DataKey[];
  readonly seal: Seal;
  /**
   * Loads the keys again after a rotation. Returns false if the secret key of this process was retired: the process
   * keeps working, but could not start again. A rotation replaces the file `secret.key`, which is therefore read again.
   */
  readonly reload: (backend: Backend) => Promise<boolean>;
}

/**
 * Answers whether data of a store were encrypted, hashed or signed with a seal; undefined without such data. For
 * stores of earlier releases, which used the secret key itself.
 */
export type Evidence = (backend: Backend, seal: Seal) => Promise<boolean | undefined>;

export interface SecretsDeps {
  readonly backend: Backend;
  readonly config: Pick<Config, 'secretKey' | 'dataDir'>;
  readonly clock: () => number;
  /** Whether the store was ever used. */
  readonly hasRecords: (backend: Backend) => Promise<boolean>;
  readonly evidence: readonly Evidence[];
}

const IDENTITY_BYTES = 16;
export const DATA_BYTES = 32;
/** One process at a time creates or rotates the keys. */
export const KEYS_LOCK = 'installation keys';

const refuseMissing = ({ dataDir }: SecretsDeps['config']): never => {
  throw new SecretKeyRefused(
    `${dataDir}/secret.key is missing and SECRET_KEY is not set, but the store has records. Restore secret.key from a ` +
      'backup of the folder, or set SECRET_KEY to its content. No new key was created: with another key no API key ' +
      'and no signing secret of this store works. Nothing was changed.',
  );
};

const refuseWrong = (source: string, reason: string): never => {
  throw new SecretKeyRefused(
    `${source} is not the secret key of this store: ${reason}. Set SECRET_KEY to the value that the store was used with ` +
      'before, as in your other processes or your backup; for the embedded store, restore secret.key in DATA_DIR from ' +
      'the same backup as the database, and unset SECRET_KEY unless it was set before. Nothing was changed.',
  );
};

const firstKeys = (dataKey: Buffer, now: number): InstallationKey[] =>
  [
    { purpose: 'identity' as const, key: randomBytes(IDENTITY_BYTES) },
    { purpose: 'data' as const, key: dataKey },
  ].map((key) => ({ ...key, version: 1, created_at: now, active_at: now }));

/** Refuses a secret key that no checkable data of a store were made with. */
const checkEvidence = async ({ backend, evidence }: SecretsDeps, { key, source }: SecretKey): Promise<void> => {
  const seal = makeSeal(key);
  const found = await Promise.all(evidence.map((check) => check(backend, seal)));
  if (found.includes(false) && !found.includes(true))
    refuseWrong(source, 'it does not fit the API_KEYS, signing secrets, stored responses or audit log of the store');
};

/**
 * Creates the keys of a new store, or of a store of an earlier release, whose data key is the secret key itself. If
 * another process was first, its keys stay.
 */
const createKeys = async (deps: SecretsDeps): Promise<SecretKey> => {
  const { backend, config, clock } = deps;
  const isUsed = await deps.hasRecords(backend);
  const found = findSecretKey(config);
  // Read after `hasRecords`: the records may be those of the other process, which stored its keys before them.
  if ((await readWrappedKeys(backend)).length > 0) return found ?? refuseMissing(config);
  if (isUsed && found === undefined) return refuseMissing(config);
  const secret = found ?? createSecretKey(config.dataDir);
  if (isUsed) await checkEvidence(deps, secret);
  const keys = firstKeys(isUsed ? secret.key : randomBytes(DATA_BYTES), clock());
  await backend.write(insertFirstKeys(keys.map((key) => wrapRow(secret.key, key))));
  return secret;
};

/** The secret key that opens the store now: the present one, or the one that replaced it in the file `secret.key`. */
const findCurrent = (rows: readonly WrappedKeyRow[], present: SecretKey, config: SecretsDeps['config']): SecretKey => {
  if (unwrapRows(rows, present).length > 0) return present;
  try {
    return findSecretKey(config) ?? present;
  } catch {
    // An unreadable file must not keep the process from loading other changes. The log says that the key was retired.
    return present;
  }
};

/**
 * Opens the keys of the installation with the secret key, and creates them in a new store. Refuses a secret key that
 * is missing or is not the store's.
 */
export const openSecrets = async (deps: SecretsDeps): Promise<Secrets> => {
  const { backend, config, clock } = deps;
  let rows = await readWrappedKeys(backend);
  let found = findSecretKey(config);
  if (rows.length === 0) {
    found = await backend.withLock(KEYS_LOCK, () => createKeys(deps));
    rows = await readWrappedKeys(backend);
  }
  const secret = found ?? refuseMissing(config);
  const keys = unwrapRows(rows, secret);
  const accepted = secretIdsIn(rows);
  if (keys.length === 0)
    refuseWrong(secret.source, `its id is ${secretIdOf(secret.key)}, and the store accepts ${accepted.join(' and ')}`);
  let dataKeys = dataKeysOf(keys, accepted.length > 1);
  const seal = makeVersionedSeal(dataKeys, clock);
  let current = secret;
  return {
    secret,
    identityKey: versionsOf(keys, 'identity').at(-1)?.key as Buffer,
    dataKeys: () => dataKeys,
    seal,
    reload: async (store) => {
      const changed = await readWrappedKeys(store);
      current = findCurrent(changed, current, config);
      const own = unwrapRows(changed, current);
      const isAccepted = own.length > 0;
      dataKeys = isAccepted
        ? dataKeysOf(own, secretIdsIn(changed).length > 1)
        : dataKeys.map((key, index) => ({ ...key, isRetired: index < dataKeys.length - 1 }));
      seal.load(dataKeys);
      return isAccepted;
    },
  };
};
