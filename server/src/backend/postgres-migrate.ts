import { setTimeout } from 'node:timers/promises';
import { MIGRATIONS } from './migrate.ts';
import { faultOf, isReadOnly, type Link, LOCKS, openLink, stateOf } from './postgres-link.ts';
import { prepared, translateMigration } from './postgres-sql.ts';

/** Whoever comes to a table behind one that waits for it waits, too: less than they may, and then it is their turn. */
const LOCK_WAIT_MS = 2000;
const AGAIN_MS = 1000;
export const LOCK_NOT_AVAILABLE = '55P03';

/** However long somebody reads a table, as a backup does for hours: the service goes on meanwhile. */
const applyOne = async (link: Link, { name, sql }: (typeof MIGRATIONS)[number]): Promise<void> => {
  for (;;) {
    try {
      await link.exec(`BEGIN; SET LOCAL lock_timeout = ${LOCK_WAIT_MS}; ${translateMigration(sql)}`);
      await link.run(prepared('INSERT INTO migrations (name, applied_at) VALUES (?, ?)'), [name, Date.now()]);
      await link.exec('COMMIT');
      return;
    } catch (error) {
      if (stateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      await link.exec('ROLLBACK');
      await setTimeout(AGAIN_MS);
    }
  }
};

const apply = async (link: Link): Promise<string[]> => {
  await link.exec(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT COLLATE "C" PRIMARY KEY, applied_at BIGINT NOT NULL)',
  );
  const { rows } = await link.run<{ name: string }>(prepared('SELECT name FROM migrations'), []);
  const done = new Set(rows.map(({ name }) => name));
  const applied: string[] = [];
  for (const migration of MIGRATIONS) {
    if (done.has(migration.name)) continue;
    await applyOne(link, migration);
    applied.push(migration.name);
  }
  return applied;
};

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'its host name is not known',
  '28P01': 'its user or password is wrong',
  '28000': 'its user may not connect',
  '3D000': 'there is no such database',
};
const OLDEST = 150_000;

/** In words that tell nobody its password. */
const cannotBeUsed = (error: unknown): Error => {
  const { code = '' } = error as { code?: string };
  return new Error(`DATABASE_URL: PostgreSQL cannot be used: ${REASONS[code] ?? faultOf(error)}`);
};

const ASKED = prepared(
  `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding`,
);
const checkServer = async (link: Link): Promise<void> => {
  const { version, encoding } = (await link.run<{ version: string; encoding: string }>(ASKED, [])).rows[0] ?? {};
  if (!(Number(version) >= OLDEST)) throw new Error('DATABASE_URL: PostgreSQL 15 or newer is needed');
  if (encoding !== 'UTF8') throw new Error(`DATABASE_URL: the encoding of the database must be UTF8, not ${encoding}`);
  if (await isReadOnly(link))
    throw new Error('DATABASE_URL: the database takes no writes: it is a standby, or set to be read only');
};

/** There while a copy of another store is made here: what is not all there must not be served. */
export const COPY_UNDER_WAY = 'copy_under_way';
const IS_BEING_COPIED = prepared(
  `SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = '${COPY_UNDER_WAY}'`,
);
export const checkWhole = async (link: Link): Promise<void> => {
  if ((await link.run(IS_BEING_COPIED, [])).changes > 0)
    throw new Error('DATABASE_URL: a copy into this database is not finished. Run portcullis copy again, as before');
};

/** A connection to a server that will do. However long its statements take, and whatever the database allows others: an index on a large table is no reason to give up. */
export const openChecked = async (url: string): Promise<Link> => {
  const link = await openLink({ url }).catch((error: unknown) => {
    throw cannotBeUsed(error);
  });
  try {
    await link.exec('SET statement_timeout = 0; SET lock_timeout = 0');
    await checkServer(link);
    return link;
  } catch (error) {
    await link.end();
    throw error;
  }
};

/** Brings the database up to date, with the same migrations as the embedded store. Of several who start at once, one does and the rest wait for it. */
export const migratePostgres = async (url: string, isCopying = false): Promise<string[]> => {
  const link = await openChecked(url);
  try {
    if (!isCopying) await checkWhole(link);
    await link.run(prepared(`SELECT pg_advisory_lock(${LOCKS.migration}, 0)`), []);
    return await apply(link);
  } finally {
    await link.end();
  }
};
