import { HISTORY_LAYOUT } from '@portcullis/engine';

/**
 * The file of the histories, apart from the records. It is written seldom and in large pieces; between writes, readers
 * keep the pages they have read. The table `shelves` holds entity groups.
 */
export const SCHEMA = `
-- The id of a group is the key of its first entity, or below 0 where that id was taken. "owner" is the check of that entity.
CREATE TABLE IF NOT EXISTS shelves (
  shelf INTEGER PRIMARY KEY,
  tenant BIGINT NOT NULL,
  owner BIGINT NOT NULL,
  through BIGINT NOT NULL,
  checksum BIGINT NOT NULL,
  bytes BLOB NOT NULL
);
-- The group of an entity that cannot be found by the id of its group. Key and check are the keyed hash of its name.
CREATE TABLE IF NOT EXISTS entities (
  tenant BIGINT NOT NULL,
  key BIGINT NOT NULL,
  "check" BIGINT NOT NULL,
  shelf BIGINT NOT NULL,
  checksum BIGINT NOT NULL,
  PRIMARY KEY (tenant, key, "check")
) WITHOUT ROWID;
-- Every screening and label up to this one is in the groups on disk; later ones are folded in again at the start.
-- "identity" recognizes the key of the identities: under another key no history would be found.
-- "layout" makes the tables of each layout differ: a damaged version number is then told from another layout.
CREATE TABLE IF NOT EXISTS counters_through (
  id INTEGER PRIMARY KEY, seq BIGINT NOT NULL, checksum BIGINT, identity TEXT, layout BIGINT DEFAULT ${HISTORY_LAYOUT}
);
INSERT OR IGNORE INTO counters_through (id, seq) VALUES (1, 0);
PRAGMA user_version = ${HISTORY_LAYOUT};
`;

/** A save changes scattered groups and writes the whole page of each. Most groups take half a page of this size. */
export const PAGE_BYTES = 2048;

export const COUNTERS_FILE = 'counters.db';
