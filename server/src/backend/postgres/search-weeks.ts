import { firstSeqAt, timeOfSeq } from '../../runtime/ids.ts';
import type { Backend, Statement, Unit } from '../backend.ts';
import { dateOf, mondayOf, WEEK_MS } from './weeks.ts';

/**
 * The tables of the projection have a partition per week of `seq`: dropping one deletes a week at once. A search for the
 * items of a user reads an index of every partition, so days would make it several times as slow.
 */
const TABLES = ['search_items', 'search_terms'];

/**
 * Attaching a week lets reads go on. `CREATE TABLE … PARTITION OF` would wait for every read of the table, and reads that
 * join both tables would deadlock with it.
 */
const createWeek = (table: string, monday: number): Statement => {
  const name = `${table}_${dateOf(monday)}`;
  const [from, to] = [firstSeqAt(monday), firstSeqAt(monday + WEEK_MS)];
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

/** Creates the weeks of items from `first` to `last`, and the next one. */
export const createSearchWeeks = async (
  backend: Pick<Backend, 'read' | 'write'>,
  first: number,
  last: number,
): Promise<void> => {
  // Not remembered from the last call: another process may have dropped a week since.
  const existing = new Set((await backend.read<{ name: string }>(PARTITIONS)).map(({ name }) => name));
  const until = timeOfSeq(last) + WEEK_MS;
  for (let monday = mondayOf(timeOfSeq(first)); monday <= until; monday += WEEK_MS)
    for (const table of TABLES)
      if (!existing.has(`${table}_${dateOf(monday)}`)) await backend.write([createWeek(table, monday)]);
};

/** Drops the weeks that end before a number. Returns how many tables it dropped. */
export const dropSearchWeeksBefore = async (backend: Pick<Backend, 'read' | 'write'>, seq: number): Promise<number> => {
  const firstKept = dateOf(mondayOf(timeOfSeq(seq)));
  const names = (await backend.read<{ name: string }>(PARTITIONS)).map(({ name }) => name);
  const old = names.filter((name) => name.slice(-firstKept.length) < firstKept);
  for (const name of old) await backend.write([{ sql: `DROP TABLE IF EXISTS ${name}`, params: [] }]);
  return old.length;
};

/** Deletes the projection with its partitions: an earlier version made one per day, which would overlap the weeks. */
export const CLEAR_SEARCH: Unit = [
  {
    sql: `DO $$ DECLARE partition TEXT; BEGIN
      LOCK TABLE ${TABLES.join(', ')} IN ACCESS EXCLUSIVE MODE;
      FOR partition IN ${PARTITIONS} LOOP EXECUTE format('DROP TABLE %I', partition); END LOOP;
    END $$`,
    params: [],
  },
  { sql: 'TRUNCATE search_users, search_sums, search_through', params: [] },
];
