import { openDatabase } from './sqlite-open.ts';

/**
 * The file the histories are kept in, apart from the records: it is written seldom and in large pieces, and while it is not, a reader
 * keeps the pages it has read.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS shelves (
  shelf INTEGER PRIMARY KEY,
  tenant BIGINT NOT NULL,
  through BIGINT NOT NULL,
  bytes BLOB NOT NULL
);
-- On which shelf an entity stands. The key is a hash of its kind and name.
CREATE TABLE IF NOT EXISTS entities (
  tenant BIGINT NOT NULL,
  key BIGINT NOT NULL,
  shelf BIGINT NOT NULL,
  PRIMARY KEY (tenant, key)
) WITHOUT ROWID;
-- Every screening up to here is in the shelves on disk; later ones are folded in again at the start.
CREATE TABLE IF NOT EXISTS counters_through (id INTEGER PRIMARY KEY, seq BIGINT NOT NULL);
INSERT OR IGNORE INTO counters_through (id, seq) VALUES (1, 0);
`;

export const COUNTERS_FILE = 'counters.db';

export const makeCountersFile = (path: string): void => {
  const database = openDatabase(path, { cacheKib: 512 });
  database.exec(SCHEMA);
  database.close();
};
