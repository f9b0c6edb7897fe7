import { basename, extname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Transferable, Worker } from 'node:worker_threads';
import { Unavailable } from '../backend.ts';

const LOCK_TIMEOUT_MS = 5000;

/**
 * Opens a database whose commits wait for the disk (FULL). The housekeeper thread runs checkpoints. SQLite's automatic
 * checkpoints are off: they would delay single commits by tens of milliseconds.
 */
export const openDatabase = (
  path: string,
  options: { readOnly?: boolean; cacheKib: number; newPageBytes?: number; timeoutMs?: number | undefined },
): DatabaseSync => {
  const database = new DatabaseSync(path, {
    readOnly: options.readOnly ?? false,
    timeout: options.timeoutMs ?? LOCK_TIMEOUT_MS,
  });
  // Has no effect on a file that already has pages.
  if (options.newPageBytes !== undefined) database.exec(`PRAGMA page_size = ${options.newPageBytes}`);
  if (!options.readOnly)
    // Deleted content is overwritten: an erasure, or the end of a retention, leaves nothing behind in the file.
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON',
    );
  database.exec(`PRAGMA cache_size = -${options.cacheKib}; PRAGMA temp_store = MEMORY`);
  return database;
};

/** The number that a file says its tables are laid out by; 0 for a new file. */
export const layoutOf = (database: DatabaseSync): unknown =>
  database.prepare('PRAGMA user_version').get()?.user_version;

/**
 * Copies the whole log into the file and empties it. Returns false while another connection reads from the log. It waits
 * for nobody: commits would wait with it.
 */
export const truncateLog = (database: DatabaseSync): boolean => {
  // Copies nearly everything while commits continue.
  database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  database.exec('PRAGMA busy_timeout = 0');
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}`);
  }
};

/** Starts a thread. Its objects are short-lived, so its young generation is bounded: by default it would take 48 MB. */
export const startThread = <Data extends object>(
  file: string,
  workerData: Data,
  transfer: Transferable[] = [],
): Worker =>
  new Worker(new URL(file, import.meta.url), {
    name: basename(file, extname(file)),
    workerData,
    transferList: transfer,
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });

const SQLITE_ERROR = 1;

/** The error to throw for a failed read: `Unavailable`, unless the SQL itself is wrong, which is a bug. */
export const readError = (error: unknown): unknown =>
  (error as { errcode?: number }).errcode === SQLITE_ERROR
    ? error
    : new Unavailable('reading from the store failed', { cause: error });

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** The file is malformed, and reading it again will not help. */
const MALFORMED = [SQLITE_CORRUPT, SQLITE_NOTADB];
/** An error for a file that SQLite accepts, but that was not written so. */
export const malformedError = (message: string): Error =>
  Object.assign(new Error(message), { errcode: SQLITE_CORRUPT });
/** Whether an error, or its cause, says that a database file is malformed. */
export const isMalformed = (error: unknown): boolean => {
  const { errcode, cause } = error as { errcode?: number; cause?: unknown };
  return (errcode !== undefined && MALFORMED.includes(errcode & 0xff)) || (cause !== undefined && isMalformed(cause));
};
