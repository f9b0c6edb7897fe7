import { DatabaseSync } from 'node:sqlite';
import { type Transferable, Worker } from 'node:worker_threads';
import { Unavailable } from './backend.ts';

/**
 * FULL makes each commit wait for the disk. Checkpoints are run by a thread of their own, so SQLite's automatic ones, which
 * would make some unlucky commit wait for tens of milliseconds, are off.
 */
export const openDatabase = (
  path: string,
  options: { readOnly?: boolean; cacheKib: number; newPageBytes?: number },
): DatabaseSync => {
  const database = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: 5000 });
  // Of a file that holds something already, the size of pages does not change.
  if (options.newPageBytes !== undefined) database.exec(`PRAGMA page_size = ${options.newPageBytes}`);
  if (!options.readOnly)
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  database.exec(`PRAGMA cache_size = -${options.cacheKib}; PRAGMA temp_store = MEMORY`);
  return database;
};

/** A thread with a connection of its own. All it makes is short-lived: left alone, its heap would take 48 MB for that. */
export const startThread = <Data extends object>(
  file: string,
  workerData: Data,
  transfer: Transferable[] = [],
): Worker =>
  new Worker(new URL(file, import.meta.url), {
    workerData,
    transferList: transfer,
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });

const SQLITE_ERROR = 1;

/** What to throw where a read failed: the store is unavailable, unless SQLite finds the SQL itself wrong, which is our fault. */
export const readFault = (error: unknown): unknown =>
  (error as { errcode?: number }).errcode === SQLITE_ERROR
    ? error
    : new Unavailable('the store could not be read', { cause: error });
