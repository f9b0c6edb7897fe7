import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';

export const KEY_FILE = 'secret.key';
export const SECRET_BYTES = 32;

/** The secret key that this process was given, and where it comes from, for error messages. */
export interface SecretKey {
  readonly key: Buffer;
  readonly source: string;
}

/** Reads a secret key in base64; undefined if it is not one. */
export const parseSecretKey = (text: string): Buffer | undefined => {
  const key = Buffer.from(text.trim(), 'base64');
  return key.length === SECRET_BYTES ? key : undefined;
};

const readFile = (path: string): Buffer => {
  const key = parseSecretKey(readFileSync(path, 'utf8'));
  if (key === undefined)
    throw new Error(`${path} must contain ${SECRET_BYTES} bytes in base64. Restore it from a backup.`);
  return key;
};

/** The setting, else the file in the data folder; undefined without both. */
export const findSecretKey = ({ secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>): SecretKey | undefined => {
  if (secretKey !== undefined) return { key: secretKey, source: 'SECRET_KEY' };
  const path = join(dataDir, KEY_FILE);
  return existsSync(path) ? { key: readFile(path), source: path } : undefined;
};

const syncFolder = (folder: string): void => {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
};

/** Writes a key to a new file that only its owner can read. It is on disk when this returns. */
const writeKey = (path: string, key: Buffer): void => {
  const descriptor = openSync(path, 'wx', 0o600);
  writeSync(descriptor, `${key.toString('base64')}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
};

/**
 * Creates the file of the secret key, complete and on disk before anything is encrypted with it. Of two processes that
 * start at once, the second uses the file of the first.
 */
export const createSecretKey = (dataDir: string): SecretKey => {
  const path = join(dataDir, KEY_FILE);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeKey(draft, randomBytes(SECRET_BYTES));
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  syncFolder(dataDir);
  return { key: readFile(path), source: path };
};

/** The next secret key, on its way to replace the file. */
const nextPath = (dataDir: string): string => join(dataDir, `${KEY_FILE}.next`);

/** The next secret key that an interrupted rotation left; undefined if there is none, or it was not written completely. */
export const findNextSecretKey = (dataDir: string): Buffer | undefined => {
  const path = nextPath(dataDir);
  return existsSync(path) ? parseSecretKey(readFileSync(path, 'utf8')) : undefined;
};

/** Stores the next secret key on disk, beside the file of the present one. */
export const writeNextSecretKey = (dataDir: string, key: Buffer): void => {
  rmSync(nextPath(dataDir), { force: true });
  writeKey(nextPath(dataDir), key);
  syncFolder(dataDir);
};

/** Replaces the file of the secret key in one step: after a crash, the folder has either the old or the new one. */
export const installNextSecretKey = (dataDir: string): void => {
  renameSync(nextPath(dataDir), join(dataDir, KEY_FILE));
  syncFolder(dataDir);
};
