import { firstIdAt, firstSeqAt } from '../../runtime/ids.ts';
import type { TimedTable } from '../backend.ts';
import { type PostgresConnection, sqlStateOf } from './connection.ts';
import { prepared } from './sql.ts';

/**
 * `screenings` and `deliveries` have a partition per week, named after its Monday: `screenings_20261116`. Dropping one
 * deletes a week at once. Rows that no week covers are in `screenings_default`. A database that was upgraded also has
 * `screenings_before_20261221`, with the rows of before that Monday.
 */
const KEYS: Readonly<Record<TimedTable, { readonly column: string; readonly at: (time: number) => string }>> = {
  screenings: { column: 'seq', at: (time) => String(firstSeqAt(time)) },
  deliveries: { column: 'message_id', at: (time) => `'${firstIdAt(time)}'` },
};
export const TIMED_TABLES = Object.keys(KEYS) as TimedTable[];

const UNDEFINED_TABLE = '42P01';
export const WEEK_MS = 7 * 24 * 3_600_000;
const A_MONDAY = Date.UTC(1970, 0, 5);
/**
 * How long a change of partitions waits for a lock. Behind it wait reads of all weeks, and screenings where a week is
 * dropped. After this it gives up, and is tried again later.
 */
const LOCK_WAIT_MS = 500;
/** Moving this many rows takes less than a second. A week with more rows in the default partition stays there. */
const MAX_MOVED = 20_000;

export const mondayOf = (time: number): number => time - ((((time - A_MONDAY) % WEEK_MS) + WEEK_MS) % WEEK_MS);
/** The date of a time, as in the names of partitions: `20261116`. */
export const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10).replaceAll('-', '');
const nameOf = (table: TimedTable, monday: number): string => `${table}_${dateOf(monday)}`;

interface Partition {
  readonly name: string;
  readonly isWeek: boolean;
  /** All rows are from before this time. */
  readonly end: number;
}

const NAME = /^[a-z]+_(before_)?(\d{4})(\d\d)(\d\d)$/;
const partitionOf = (name: string): Partition => {
  const [, before, ...date] = NAME.exec(name) ?? [];
  if (date.length === 0) return { name, isWeek: false, end: Number.POSITIVE_INFINITY };
  const isWeek = before === undefined;
  return { name, isWeek, end: Date.parse(date.join('-')) + (isWeek ? WEEK_MS : 0) };
};

type Read = <Row>(sql: string, ...params: string[]) => Promise<Row[]>;
export const readBy =
  (connection: PostgresConnection): Read =>
  async <Row>(sql: string, ...params: string[]): Promise<Row[]> =>
    (await connection.run<Row>(prepared(sql), params)).rows;

const PARTITIONS = `SELECT c.relname AS name FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
  WHERE h.inhparent = CAST(CAST(? AS TEXT) AS REGCLASS) ORDER BY c.relname`;
export const partitionsOf = async (read: Read, table: TimedTable): Promise<Partition[]> =>
  (await read<{ name: string }>(PARTITIONS, table)).map(({ name }) => partitionOf(name));

/** The Mondays of weeks from the first to the last time that have no partition. */
export const missingWeeks = async (
  read: Read,
  table: TimedTable,
  first: number,
  last: number,
): Promise<readonly number[]> => {
  const partitions = await partitionsOf(read, table);
  const names = new Set(partitions.map(({ name }) => name));
  const covered = Math.max(
    Number.NEGATIVE_INFINITY,
    ...partitions.flatMap((p) => (p.isWeek ? [] : [p.end])).filter(Number.isFinite),
  );
  const missing: number[] = [];
  for (let monday = mondayOf(first); monday <= last; monday += WEEK_MS)
    if (monday >= covered && !names.has(nameOf(table, monday))) missing.push(monday);
  return missing;
};

/** Ends the transaction of a statement that failed. */
const runAlone = async (connection: PostgresConnection, sql: string): Promise<void> => {
  try {
    await connection.exec(`BEGIN; SET LOCAL lock_timeout = ${LOCK_WAIT_MS}; ${sql}; COMMIT`);
  } catch (error) {
    await connection.exec('ROLLBACK');
    throw error;
  }
};

/**
 * Makes the partition of a week, with the rows that are in the default partition so far. Of several processes the lock
 * of the table lets one do it at a time, beside reads and writes of other weeks.
 */
export const createWeek = (connection: PostgresConnection, table: TimedTable, monday: number): Promise<void> => {
  const { column, at } = KEYS[table];
  const name = nameOf(table, monday);
  const [from, to] = [at(monday), at(monday + WEEK_MS)];
  const isInWeek = `${column} >= ${from} AND ${column} < ${to}`;
  return runAlone(
    connection,
    `DO $$ BEGIN
      LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE;
      IF to_regclass('${name}') IS NOT NULL OR ${MAX_MOVED} <
        (SELECT COUNT(*) FROM (SELECT 1 FROM ${table}_default WHERE ${isInWeek} LIMIT ${MAX_MOVED + 1}) AS found)
      THEN RETURN; END IF;
      LOCK TABLE ${table}_default IN ACCESS EXCLUSIVE MODE;
      CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS);
      WITH moved AS (DELETE FROM ${table}_default WHERE ${isInWeek} RETURNING *) INSERT INTO ${name} SELECT * FROM moved;
      ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to});
    END $$`,
  );
};

/** Makes the missing weeks of both tables from the first to the last time. */
export const createWeeks = async (connection: PostgresConnection, first: number, last: number): Promise<void> => {
  for (const table of TIMED_TABLES)
    for (const monday of await missingWeeks(readBy(connection), table, first, last))
      await createWeek(connection, table, monday);
};

const countRows = async (connection: PostgresConnection, name: string): Promise<number> => {
  try {
    return (await readBy(connection)<{ count: number }>(`SELECT COUNT(*) AS count FROM ${name}`))[0]?.count ?? 0;
  } catch (error) {
    // Another process has dropped it since the partitions were listed.
    if (sqlStateOf(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
};

/** Drops a partition. Returns how many rows it had. */
export const dropPartition = async (connection: PostgresConnection, name: string): Promise<number> => {
  const count = await countRows(connection, name);
  await runAlone(connection, `DROP TABLE IF EXISTS ${name}`);
  return count;
};
