import { setTimeout } from 'node:timers/promises';
import { MIGRATIONS, type Migration } from '../migrate.ts';
import {
  connectPostgres,
  describeError,
  isReadOnly,
  LOCKS,
  type PostgresConnection,
  sqlStateOf,
} from './connection.ts';
import { prepared, translateMigration } from './sql.ts';

/**
 * A migration that waits for a table's lock blocks every query that comes after it. It gives up before those time
 * out, and tries again later.
 */
const LOCK_WAIT_MS = 2000;
const RETRY_MS = 1000;
export const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Applies one migration. A long read of a table, such as a backup of hours, delays it but does not stop the service.
 */
const applyOne = async (
  connection: PostgresConnection,
  { name, sql = '', postgres = '' }: Migration,
): Promise<void> => {
  for (;;) {
    try {
      await connection.exec(`BEGIN; SET LOCAL lock_timeout = ${LOCK_WAIT_MS}; ${translateMigration(sql + postgres)}`);
      await connection.run(prepared('INSERT INTO migrations (name, applied_at) VALUES (?, ?)'), [name, Date.now()]);
      await connection.exec('COMMIT');
      return;
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      await connection.exec('ROLLBACK');
      await setTimeout(RETRY_MS);
    }
  }
};

const apply = async (connection: PostgresConnection): Promise<string[]> => {
  await connection.exec(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT COLLATE "C" PRIMARY KEY, applied_at BIGINT NOT NULL)',
  );
  const { rows } = await connection.run<{ name: string }>(prepared('SELECT name FROM migrations'), []);
  const existing = new Set(rows.map(({ name }) => name));
  const applied: string[] = [];
  for (const migration of MIGRATIONS) {
    if (existing.has(migration.name)) continue;
    await applyOne(connection, migration);
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
const OLDEST_VERSION = 150_000;

/** A connection error in words that do not reveal the password. */
const connectionError = (error: unknown): Error => {
  const { code = '' } = error as { code?: string };
  return new Error(`DATABASE_URL: PostgreSQL cannot be used: ${REASONS[code] ?? describeError(error)}`);
};

const SETTINGS = prepared(
  `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding`,
);
const checkServer = async (connection: PostgresConnection): Promise<void> => {
  const { version, encoding } =
    (await connection.run<{ version: string; encoding: string }>(SETTINGS, [])).rows[0] ?? {};
  if (!(Number(version) >= OLDEST_VERSION)) throw new Error('DATABASE_URL: PostgreSQL 15 or newer is needed');
  if (encoding !== 'UTF8') throw new Error(`DATABASE_URL: the encoding of the database must be UTF8, not ${encoding}`);
  if (await isReadOnly(connection))
    throw new Error('DATABASE_URL: the database takes no writes: it is a standby, or set to be read only');
};

/** A table that exists while another store is copied into the database. An unfinished copy must not be served. */
export const COPY_MARKER_TABLE = 'copy_under_way';
const IS_BEING_COPIED = prepared(
  `SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = '${COPY_MARKER_TABLE}'`,
);
export const refuseUnfinishedCopy = async (connection: PostgresConnection): Promise<void> => {
  if ((await connection.run(IS_BEING_COPIED, [])).changes > 0)
    throw new Error('DATABASE_URL: a copy into this database is not finished. Run portcullis copy again, as before');
};

/**
 * Connects to a supported server without timeouts, whatever the database's defaults: an index on a large table takes
 * long to build.
 */
export const connectForMaintenance = async (url: string): Promise<PostgresConnection> => {
  const connection = await connectPostgres({ url }).catch((error: unknown) => {
    throw connectionError(error);
  });
  try {
    await connection.exec('SET statement_timeout = 0; SET lock_timeout = 0');
    await checkServer(connection);
    return connection;
  } catch (error) {
    await connection.end();
    throw error;
  }
};

/**
 * Applies the migrations of the embedded store. If several processes start at once, one of them migrates and the
 * others wait.
 */
export const migratePostgres = async (url: string, isCopying = false): Promise<string[]> => {
  const connection = await connectForMaintenance(url);
  try {
    if (!isCopying) await refuseUnfinishedCopy(connection);
    await connection.run(prepared(`SELECT pg_advisory_lock(${LOCKS.migration}, 0)`), []);
    return await apply(connection);
  } finally {
    await connection.end();
  }
};
