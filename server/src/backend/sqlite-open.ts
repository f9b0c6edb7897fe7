import { DatabaseSync } from 'node:sqlite';

/**
 * FULL makes each commit wait for the disk. Checkpoints are run by a thread of their own, so SQLite's automatic ones, which
 * would make some unlucky commit wait for tens of milliseconds, are off.
 */
export const openDatabase = (path: string, options: { readOnly?: boolean; cacheKib: number }): DatabaseSync => {
  const database = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: 5000 });
  if (!options.readOnly)
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  database.exec(`PRAGMA cache_size = -${options.cacheKib}; PRAGMA temp_store = MEMORY`);
  return database;
};
