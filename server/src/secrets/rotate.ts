import { randomBytes } from 'node:crypto';
import type { Backend, Statement } from '../backend/backend.ts';
import { secretIdsIn, unwrapRows, versionsOf, wrapRow } from './key-rows.ts';
import type { SecretKey } from './secret-key.ts';
import { DATA_BYTES, KEYS_LOCK } from './secrets.ts';
import { deleteOtherSecrets, insertKeysOfNewSecret, readWrappedKeys, type WrappedKeyRow } from './store.ts';
import { secretIdOf } from './wrap.ts';

/**
 * Time for every process to load a new data key before data are sealed with it, with clocks that differ by as much.
 * Processes load it within a second.
 */
export const ACTIVATION_MS = 60_000;

/** A rotation that cannot start or end now. The message names the remedy. */
export class RotationRefused extends Error {
  override name = 'RotationRefused';
}

interface RotationDeps {
  readonly backend: Backend;
  readonly secret: SecretKey;
  /** Statements that tell running processes to load the keys again. */
  readonly note: readonly Statement[];
}

/**
 * Adds a secret key that opens the store beside the present one, and a new version of the data key. Returns false if
 * the secret key was added before, by a command that was interrupted.
 */
export const addSecret = ({ backend, secret, note }: RotationDeps, next: Buffer, now: number): Promise<boolean> =>
  backend.withLock(KEYS_LOCK, async () => {
    const rows = await readWrappedKeys(backend);
    const ids = secretIdsIn(rows);
    if (next.equals(secret.key)) throw new RotationRefused('The new secret key must differ from the present one.');
    if (ids.includes(secretIdOf(next))) return false;
    const inProgress = new RotationRefused(
      'A rotation is in progress: the store already accepts two secret keys. Restart every process with the new one, ' +
        'then run: portcullis keys rotate-secret --retire',
    );
    if (ids.length > 1) throw inProgress;
    const keys = unwrapRows(rows, secret);
    const version = (versionsOf(keys, 'data').at(-1)?.version ?? 0) + 1;
    const key = randomBytes(DATA_BYTES);
    const dataKey = { purpose: 'data' as const, version, key, created_at: now, active_at: now + ACTIVATION_MS };
    const added = [wrapRow(secret.key, dataKey), ...[...keys, dataKey].map((old) => wrapRow(next, old))];
    const { written } = await backend.write([...insertKeysOfNewSecret(added, secretIdOf(secret.key)), ...note]);
    if (!written) throw inProgress;
    return true;
  });

/** When the data may be sealed again with the newest version, by the clock of every process. */
export const readyToRetireAt = async (backend: Backend): Promise<number> =>
  Math.max(...(await readWrappedKeys(backend)).map(({ active_at, version }) => (version > 1 ? active_at : 0))) +
  ACTIVATION_MS;

/** The stored keys for a copy of the store that another secret key opens. */
export const rewrapKeys = async (backend: Backend, secret: SecretKey, target: Buffer): Promise<WrappedKeyRow[]> =>
  unwrapRows(await readWrappedKeys(backend), secret).map((key) => wrapRow(target, key));

/** Whether the store has keys already; a store of an earlier release has none. */
export const hasInstallationKeys = async (backend: Backend): Promise<boolean> =>
  (await readWrappedKeys(backend)).length > 0;

/** Whether a secret key opens the store. */
export const isSecretOf = async (backend: Backend, key: Buffer): Promise<boolean> =>
  secretIdsIn(await readWrappedKeys(backend)).includes(secretIdOf(key));

/** Whether another secret key than this one opens the store. */
export const hasOtherSecrets = async (backend: Backend, { key }: SecretKey): Promise<boolean> =>
  secretIdsIn(await readWrappedKeys(backend)).some((id) => id !== secretIdOf(key));

/** Deletes every key that another secret key opens. From now on only `secret` opens the store. */
export const retireOtherSecrets = ({ backend, secret, note }: RotationDeps): Promise<void> =>
  backend.withLock(KEYS_LOCK, async () => {
    // The note first: its row lock makes two commands, each with another secret key, retire one after the other.
    await backend.write([...note, deleteOtherSecrets(secretIdOf(secret.key))]);
    if (unwrapRows(await readWrappedKeys(backend), secret).length === 0)
      throw new RotationRefused('Another command retired the secret key of this one. Use the other secret key.');
  });
