import { firstSeqAt, timeOfSeq } from '../../runtime/ids.ts';
import type { Backend, Statement } from '../backend.ts';

/** The tables of the projection have a partition per day of `seq`: dropping one deletes a day at once. */
const TABLES = ['search_items', 'search_terms'];
const DAY_MS = 24 * 3_600_000;
/** Days that exist before their first item. */
const AHEAD = 2;

/** The day of a time, as in the names of partitions: `20261116`. */
const nameOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');

const createDay = (table: string, day: number): Statement => ({
  sql: `CREATE TABLE IF NOT EXISTS ${table}_${nameOfDay(day)} PARTITION OF ${table}
    FOR VALUES FROM (${firstSeqAt(day * DAY_MS)}) TO (${firstSeqAt((day + 1) * DAY_MS)})`,
  params: [],
});

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
    const missing = TABLES.filter((table) => !existing.has(`${table}_${nameOfDay(day)}`));
    if (missing.length > 0) await backend.write(missing.map((table) => createDay(table, day)));
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
