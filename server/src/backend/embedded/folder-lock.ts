import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Statement } from '../backend.ts';

/**
 * Locks a data folder for one serving process; a second would count in its own cache and overwrite the first one's
 * histories. The operating system's lock on `serve.lock` ends with the process, even after a crash. Deleting the file
 * does not help a second process: the records name the holder and its lock file, every commit checks the holder, and
 * a process with another lock file takes over only if the holder does not answer.
 */
const LOCK_FILE = 'serve.lock';
/** The holder looks for a contender far more often. */
const ANSWER_WITHIN_MS = 3000;
const POLL_MS = 50;

interface ServingRow {
  readonly holder: string;
  readonly lock_file: string;
  readonly contender: string | null;
  readonly answered: string | null;
}
const SELECT = 'SELECT holder, lock_file, contender, answered FROM serving WHERE id = 1';
const CLAIM = `INSERT INTO serving (id, holder, lock_file) VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE
  SET holder = excluded.holder, lock_file = excluded.lock_file, contender = NULL, answered = NULL`;
export const SELECT_HOLDER = 'SELECT holder FROM serving WHERE id = 1';
export const RELEASE_FOLDER = 'DELETE FROM serving WHERE holder = ?';

const isServed = (directory: string): Error =>
  new Error(`Another process serves ${directory}. Stop it first, or set DATA_DIR to another folder.`);

/** Identifies a file, also under another name. While a process has it open, no other file gets its number. */
const fileId = (path: string): string | undefined => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
};

/** Locks the lock file. Undefined while another process holds it. */
const lockFile = (path: string): { readonly id: string; readonly unlock: () => void } | undefined => {
  const lock = new DatabaseSync(path, { timeout: 0 });
  const unlock = (): void => {
    if (lock.isOpen) lock.close();
  };
  try {
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch {
    unlock();
    return undefined;
  }
  return { id: fileId(path) ?? '', unlock };
};

/** Asks the holder of another lock file to answer. Returns whether it did. Blocks: the service has not started. */
const challenge = (records: DatabaseSync): boolean => {
  const contender = randomUUID();
  records.prepare('UPDATE serving SET contender = ? WHERE id = 1').run(contender);
  const read = records.prepare(SELECT);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < ANSWER_WITHIN_MS; waited += POLL_MS) {
    Atomics.wait(pause, 0, 0, POLL_MS);
    if ((read.get() as ServingRow | undefined)?.answered === contender) return true;
  }
  return false;
};

/** Writes the holder, if any, into the records, unless an earlier holder lives. Returns whether none does. */
const claim = (recordsPath: string, holder: string | undefined, lockFileId: string): boolean => {
  const records = new DatabaseSync(recordsPath, { timeout: 5000 });
  try {
    const before = records.prepare(SELECT).get() as ServingRow | undefined;
    if (before !== undefined && before.lock_file !== lockFileId && challenge(records)) return false;
    if (holder !== undefined) records.prepare(CLAIM).run(holder, lockFileId);
    return true;
  } finally {
    records.close();
  }
};

export interface FolderCheck {
  /** Another process has taken the folder over. */
  readonly isLost: boolean;
  /** Answers a contender, or records a new lock file. */
  readonly statements: readonly Statement[];
}

/** Holds only the lock file, and writes nothing to the records. Returns a function that releases it. */
export const holdLockFile = (directory: string): (() => void) => {
  const lock = lockFile(join(directory, LOCK_FILE));
  if (lock === undefined) throw isServed(directory);
  return lock.unlock;
};

/** Locks a folder, to serve it or only to change its histories. Throws where another process serves it. */
export const lockFolder = (directory: string, recordsPath: string, serves: boolean) => {
  const path = join(directory, LOCK_FILE);
  const holder = serves ? randomUUID() : undefined;
  let lock = lockFile(path);
  if (lock === undefined) throw isServed(directory);
  if (!claim(recordsPath, holder, lock.id)) {
    lock.unlock();
    throw isServed(directory);
  }
  return {
    /** Names a serving process in the records. Its writer thread commits only while the records name it. */
    holder,
    /** To be called often. `records` is a connection for reading. */
    check: (records: DatabaseSync): FolderCheck => {
      if (holder === undefined) return { isLost: false, statements: [] };
      const row = records.prepare(SELECT).get() as ServingRow | undefined;
      if (row?.holder !== holder) return { isLost: true, statements: [] };
      const statements: Statement[] = [];
      if (row.contender !== null && row.contender !== row.answered)
        statements.push({
          sql: 'UPDATE serving SET answered = ? WHERE id = 1 AND holder = ?',
          params: [row.contender, holder],
        });
      // The lock file was deleted. The next process would have to wait for our answer: a new lock file refuses it at once.
      if (fileId(path) !== lock?.id) {
        const again = lockFile(path);
        if (again !== undefined) {
          lock?.unlock();
          lock = again;
        }
      }
      if (lock !== undefined && row.lock_file !== lock.id)
        statements.push({
          sql: 'UPDATE serving SET lock_file = ? WHERE id = 1 AND holder = ?',
          params: [lock.id, holder],
        });
      return { isLost: false, statements };
    },
    unlock: (): void => lock?.unlock(),
  };
};
export type FolderLock = ReturnType<typeof lockFolder>;
