import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isMalformed, layoutOf, openDatabase } from './open-database.ts';
import { TERMS_SCHEMA } from './settle-terms.ts';

/** The file of the projection that search reads. Everything in it can be written again from the journal. */
export const SEARCH_FILE = 'search.db';
export const searchPathBeside = (recordsPath: string): string => join(dirname(recordsPath), SEARCH_FILE);

/** A file of another layout is replaced. */
const LAYOUT = 4;

/** The tables of `migrations/023-search.ts`, `025-search-sums.ts` and `039-search-users.ts`, without partitions. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS search_items (
  tenant BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  user_term BIGINT NOT NULL,
  at BIGINT NOT NULL,
  type TEXT NOT NULL,
  event_type TEXT,
  outcome TEXT,
  score BIGINT NOT NULL,
  decision TEXT NOT NULL,
  currency TEXT,
  usd DOUBLE PRECISION,
  country TEXT,
  model BIGINT,
  label TEXT,
  label_seq BIGINT NOT NULL,
  review_seq BIGINT NOT NULL,
  terms BLOB NOT NULL,
  PRIMARY KEY (tenant, seq)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS search_items_held ON search_items (tenant, decision, seq) WHERE decision <> 'allow';
CREATE INDEX IF NOT EXISTS search_items_labelled ON search_items (tenant, label, seq) WHERE label IS NOT NULL;
${TERMS_SCHEMA}
CREATE TABLE IF NOT EXISTS search_users (
  tenant BIGINT NOT NULL,
  user_id TEXT NOT NULL,
  user_term BIGINT NOT NULL,
  newest_day BIGINT NOT NULL,
  PRIMARY KEY (tenant, user_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_sums (
  tenant BIGINT NOT NULL,
  kind TEXT NOT NULL,
  hours BIGINT NOT NULL,
  start BIGINT NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  items BIGINT NOT NULL,
  cents DOUBLE PRECISION NOT NULL,
  fraud BIGINT NOT NULL,
  legitimate BIGINT NOT NULL,
  fraud_cents DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (tenant, kind, hours, start, type, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_feed (
  number BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  entry BIGINT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  at BIGINT NOT NULL,
  id TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  has_case BIGINT NOT NULL,
  score BIGINT NOT NULL,
  decision TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS search_feed_by_tenant ON search_feed (tenant, number);
CREATE TABLE IF NOT EXISTS search_through (
  part TEXT PRIMARY KEY,
  follows BIGINT NOT NULL,
  written BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  drift BIGINT NOT NULL,
  source TEXT NOT NULL
);
PRAGMA user_version = ${LAYOUT};
`;

/** With NORMAL a power cut may lose the newest pages, with their positions: they are written again. */
const SETTINGS = 'PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000';

const open = (path: string): DatabaseSync => {
  const database = openDatabase(path, { cacheKib: 8192 });
  try {
    const layout = layoutOf(database);
    if (layout !== 0 && layout !== LAYOUT) throw new Error('another layout');
    database.exec(`${SETTINGS}; ${SCHEMA}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Opens the file for the thread that writes it. */
export const openSearchFile = (path: string): DatabaseSync => open(path);

/** Whether the file is there and complete. Opens it only for reading: a writer that closes last copies the whole log. */
const isUsable = (path: string): boolean => {
  if (!existsSync(path)) return false;
  const database = openDatabase(path, { readOnly: true, cacheKib: 64 });
  try {
    return layoutOf(database) === LAYOUT && database.prepare('SELECT * FROM sqlite_schema').all().length > 0;
  } finally {
    database.close();
  }
};

/** Creates the file, and replaces one that is malformed or of another layout. Returns whether it was replaced. */
export const provideSearchFile = (path: string): boolean => {
  try {
    if (!isUsable(path)) open(path).close();
    return false;
  } catch (error) {
    if (!isMalformed(error) && (error as Error).message !== 'another layout') throw error;
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    open(path).close();
    return true;
  }
};
