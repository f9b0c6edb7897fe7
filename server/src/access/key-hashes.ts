import type { Backend } from '../backend/backend.ts';
import type { Seal } from '../secrets/seal.ts';
import { allKeys, keysHashedBefore, replaceHash } from './store.ts';

/**
 * Evidence of the secret key: whether a key of the `API_KEYS` setting has a hash in the store. Without it, a start with
 * the wrong secret key would revoke them all.
 */
export const matchesSettings =
  (secrets: readonly string[]) =>
  async (backend: Backend, seal: Seal): Promise<boolean | undefined> => {
    const stored = (await allKeys(backend)).filter(({ from_settings }) => from_settings === 1);
    if (stored.length === 0 || secrets.length === 0) return undefined;
    const hashes = new Set(secrets.flatMap(seal.keyHashes));
    return stored.some(({ hash }) => hashes.has(hash));
  };

const PAGE_ROWS = 500;

/** Upgrades the hashes of all keys to the current version of the data key. The keys need not be known. */
export const upgradeKeyHashes = async (backend: Backend, seal: Seal): Promise<void> => {
  const version = seal.version();
  for (;;) {
    const rows = await keysHashedBefore(backend, version, PAGE_ROWS);
    if (rows.length === 0) return;
    await backend.write(
      rows.map(({ id, hash, hash_version }) => replaceHash(id, hash, seal.upgradeKeyHash(hash, hash_version), version)),
    );
  }
};
