import type { DatabaseSync } from 'node:sqlite';
import { HISTORY_LAYOUT, TWO_32 } from '@portcullis/engine';
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
-- On which shelf an entity stands that is not found by the number of its shelf. The key is a hash of its kind and name.
CREATE TABLE IF NOT EXISTS entities (
  tenant BIGINT NOT NULL,
  key BIGINT NOT NULL,
  shelf BIGINT NOT NULL,
  PRIMARY KEY (tenant, key)
) WITHOUT ROWID;
-- Every screening and label up to here is in the shelves on disk; later ones are folded in again at the start.
CREATE TABLE IF NOT EXISTS counters_through (id INTEGER PRIMARY KEY, seq BIGINT NOT NULL);
INSERT OR IGNORE INTO counters_through (id, seq) VALUES (1, 0);
`;

/** The number of the shelf whose first entity has that key; and the other way round. Of another tenant, the same key makes another. */
export const shelfId = (tenant: number, key: number): number =>
  Math.floor(key / TWO_32) * TWO_32 + ((key ^ Math.imul(tenant, 0x85ebca6b)) >>> 0);

/** A save changes one shelf here and one there, and writes the whole page of each: most take half of one of this size. */
const PAGE_BYTES = 2048;

export const COUNTERS_FILE = 'counters.db';

/** The last screening or label up to which every shelf in the file is complete. */
export const completeThrough = (counters: DatabaseSync): number =>
  Number(counters.prepare('SELECT seq FROM counters_through WHERE id = 1').get()?.seq ?? 0);

/** Of another layout, no shelf can be read: they are made anew from the screenings. */
const DISCARD = `
DROP TABLE IF EXISTS shelves;
DROP TABLE IF EXISTS entities;
DROP TABLE IF EXISTS counters_through;
PRAGMA user_version = ${HISTORY_LAYOUT};
`;

/** Without screenings nothing can be told: they are deleted in time, and labels, which are not, may all be older than the newest of them was. */
const NEWEST = `SELECT MAX(seq) AS seq FROM (SELECT MAX(seq) AS seq FROM screenings UNION ALL SELECT MAX(seq) FROM labels)
  WHERE EXISTS (SELECT 1 FROM screenings)`;

const AHEAD =
  `${COUNTERS_FILE} holds screenings that the records do not, so the two are not of one backup. Restore both from the same ` +
  `one, or move ${COUNTERS_FILE} away: it is then made anew from the screenings that are left.`;

/** Makes the file where there is none, and refuses one that knows more than the records: it would count what never happened. */
export const provideCountersFile = (path: string, records: DatabaseSync): void => {
  const counters = openDatabase(path, { cacheKib: 512, newPageBytes: PAGE_BYTES });
  try {
    if (counters.prepare('PRAGMA user_version').get()?.user_version !== HISTORY_LAYOUT) counters.exec(DISCARD);
    counters.exec(SCHEMA);
    const newest = records.prepare(NEWEST).get()?.seq;
    if (typeof newest === 'number' && completeThrough(counters) > newest) throw new Error(AHEAD);
  } finally {
    counters.close();
  }
};
