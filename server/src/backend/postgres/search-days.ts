import { firstSeqAt, timeOfSeq } from '../../runtime/ids.ts';
import type { Backend, Statement } from '../backend.ts';

/** The tables of the projection have a partition per day of `seq`: dropping one deletes a day at once. */
const TABLES = ['search_items', 'search_terms'];
const DAY_MS = 24 * 3_600_000;
/** Days that exist before their first item. */
const AHEAD = 2;

/** The day of a time, as in the names of partitions: `20261116`. */
const nameOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');

/**
 * Attaching a day lets reads go on. `CREATE TABLE … PARTITION OF` would wait for every read of the table, and reads that
 * join both tables would deadlock with it.
 */
const createDay = (table: string, day: number): Statement => {
  const name = `${table}_${nameOfDay(day)}`;
  const [from, to] = [firstSeqAt(day * DAY_MS), firstSeqAt((day + 1) * DAY_MS)];
  return {
    sql: `DO $$ BEGIN
      LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE;
      IF to_regclass('${name}') IS NOT NULL THEN RETURN; END IF;
      CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS);
      ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to});
    END $$`,
    params: [],
  };
};

const PARTITIONS = `SELECT c.relname AS name FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
  WHERE h.inhparent IN ('search_items'::regclass, 'search_terms'::regclass)`;

/** Creates the days of items from `first` to `last`, and some days ahead. */
export const createDays = async (
  backend: Pick<Backend, 'read' | 'write'>,
  first: number,
  last: number,
): Promise<void> => {
  const from = Math.floor(timeOfSeq(first) / DAY_MS);
  const until = Math.floor(timeOfSeq(last) / DAY_MS) + AHEAD;
  // Not remembered from the last call: another process may have dropped a day since.
  const existing = new Set((await backend.read<{ name: string }>(PARTITIONS)).map(({ name }) => name));
  for (let day = from; day <= until; day++) {
    for (const table of TABLES)
      if (!existing.has(`${table}_${nameOfDay(day)}`)) await backend.write([createDay(table, day)]);
  }
};

/** Drops the days that end before a number. Returns how many tables it dropped. */
export const dropDaysBefore = async (backend: Pick<Backend, 'read' | 'write'>, seq: number): Promise<number> => {
  const firstKept = nameOfDay(Math.floor(timeOfSeq(seq) / DAY_MS));
  const names = (await backend.read<{ name: string }>(PARTITIONS)).map(({ name }) => name);
  const old = names.filter((name) => name.slice(-firstKept.length) < firstKept);
  for (const name of old) await backend.write([{ sql: `DROP TABLE IF EXISTS ${name}`, params: [] }]);
  return old.length;
};
