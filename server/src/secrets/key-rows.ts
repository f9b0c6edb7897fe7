import type { DataKey } from './seal.ts';
import type { SecretKey } from './secret-key.ts';
import type { Purpose, WrappedKeyRow } from './store.ts';
import { secretIdOf, unwrapKey, wrapKey } from './wrap.ts';

/** The secret key is missing or wrong. The message names the remedy. Nothing was changed. */
export class SecretKeyRefused extends Error {
  override name = 'SecretKeyRefused';
}

/** One key of the installation, decrypted. */
export interface InstallationKey extends Omit<WrappedKeyRow, 'secret_id' | 'wrapped'> {
  readonly key: Buffer;
}

const nameOf = ({ purpose, version }: Pick<WrappedKeyRow, 'purpose' | 'version'>): string => `${purpose} ${version}`;

export const wrapRow = (secret: Buffer, { key, ...row }: InstallationKey): WrappedKeyRow => ({
  ...row,
  secret_id: secretIdOf(secret),
  wrapped: wrapKey(secret, nameOf(row), key),
});

const unwrapRow = (secret: Buffer, { secret_id: _, wrapped, ...row }: WrappedKeyRow): InstallationKey => {
  try {
    return { ...row, key: unwrapKey(secret, nameOf(row), wrapped) };
  } catch {
    throw new SecretKeyRefused(
      `The key "${nameOf(row)}" in the table installation_keys is damaged. Restore the table from a backup. Nothing ` +
        'was changed.',
    );
  }
};

/** The ids of the secret keys that open the store: two during a rotation. */
export const secretIdsIn = (rows: readonly WrappedKeyRow[]): string[] => [
  ...new Set(rows.map(({ secret_id }) => secret_id)),
];

/** The keys that a secret key opens. Empty if it is not a secret key of the store. */
export const unwrapRows = (rows: readonly WrappedKeyRow[], { key }: SecretKey): InstallationKey[] => {
  const id = secretIdOf(key);
  return rows.filter(({ secret_id }) => secret_id === id).map((row) => unwrapRow(key, row));
};

/** The versions of a key, the oldest first. Throws without any. */
export const versionsOf = (keys: readonly InstallationKey[], purpose: Purpose): InstallationKey[] => {
  const versions = keys.filter((key) => key.purpose === purpose).sort((a, b) => a.version - b.version);
  if (versions.length > 0) return versions;
  throw new SecretKeyRefused(
    `The key "${purpose}" is missing in the table installation_keys. Restore the table from a backup. Nothing was ` +
      'changed.',
  );
};

/**
 * The data keys, the oldest first. During a rotation, data of the newest two versions are valid; afterwards only those
 * of the newest.
 */
export const dataKeysOf = (keys: readonly InstallationKey[], isRotating: boolean): DataKey[] => {
  const versions = versionsOf(keys, 'data');
  const firstValid = versions.length - (isRotating ? 2 : 1);
  return versions.map(({ version, key, active_at }, index) => ({
    version,
    key,
    activeAt: active_at,
    isRetired: index < firstValid,
  }));
};
