import { createHash, type Hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { Value } from './backend.ts';
import { Failed, pagesOf, quoted, Refused, type Row, type Source, type Table, tablesOf } from './copy-source.ts';
import { migrate } from './migrate.ts';
import { faultOf, type Link, LOCKS } from './postgres-link.ts';
import { COPY_UNDER_WAY, LOCK_NOT_AVAILABLE, migratePostgres, openChecked } from './postgres-migrate.ts';
import { prepared } from './postgres-sql.ts';

/** Records from the embedded store into PostgreSQL, table by table in the order of their keys: where it stopped is what the last row there is. */

export type OnProgress = (what: string, done: number, total: number) => void;
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  readonly checksum: string;
}

const IN_SCHEMA = 'WHERE n.nspname = current_schema()';
const TABLES = prepared(
  `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    ${IN_SCHEMA} AND c.relkind IN ('r', 'p') ORDER BY c.relname COLLATE "C"`,
);
const COLUMNS = prepared(
  `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type, a.attidentity <> '' AS counts
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    ${IN_SCHEMA} AND c.relname = ? AND a.attnum > 0 AND NOT a.attisdropped`,
);
const WHO_SERVES = prepared(
  `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LOCKS.process}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
);
/** A copy that was killed may have a page under way that the database still writes. */
const WAIT_MS = 60_000;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly counts: boolean;
}
type Told = Record<string, Value>;

/** A row as a text that is the same from both stores. */
const addTo = (hash: Hash, row: Row): void =>
  void hash.update(
    JSON.stringify(row.map((value) => (value instanceof Uint8Array ? [Buffer.from(value).toString('base64')] : value))),
  );
const rowsOf = (table: Table, told: readonly unknown[]): Row[] =>
  (told as Told[]).map((row) => table.columns.map((column) => row[column] as Value));

/** What migrations put into a new store themselves, which is no reason to refuse it. */
const seededTables = (): Map<string, string> => {
  const fresh = new DatabaseSync(':memory:');
  migrate(fresh);
  const seeded = tablesOf(fresh).map(
    (table) => [table.name, JSON.stringify([...pagesOf(fresh, table)].flat())] as const,
  );
  fresh.close();
  return new Map(seeded);
};

const namesIn = async (link: Link): Promise<string[]> =>
  (await link.run<{ name: string }>(TABLES, [])).rows.map(({ name }) => name);

const refuseUnlessEmpty = async (link: Link): Promise<void> => {
  const seeded = seededTables();
  for (const name of await namesIn(link)) {
    if (name === 'migrations' || name === COPY_UNDER_WAY) continue;
    const { rows } = await link.run<Told>(prepared(`SELECT * FROM "${name}" LIMIT 100`), []);
    if (rows.length === 0 || JSON.stringify(rows.map((row) => Object.values(row))) === seeded.get(name)) continue;
    throw new Refused(`The database holds something already, in ${name}. Copy into an empty one: nothing was changed.`);
  }
};

const refuseIfServed = async (link: Link): Promise<void> => {
  if ((await link.run(WHO_SERVES, [])).changes > 0)
    throw new Refused('A process serves this database. Stop it first: nothing was changed.');
};

/** From nothing. What is there is of a copy before, or of the migrations. */
const beginCopy = (link: Link, { tables, stamp }: Source): Promise<unknown> =>
  link.exec(
    `BEGIN; UPDATE ${COPY_UNDER_WAY} SET stamp = '${stamp}'; TRUNCATE ${quoted(tables.map(({ name }) => name))}; COMMIT`,
  );

/** Said before anything is changed, and then looked again: who began to serve between the first look and this must be seen by it, and who does later sees this. */
const startCopy = async (link: Link, source: Source): Promise<void> => {
  // A hash of ours.
  await link.exec(
    `BEGIN; CREATE TABLE ${COPY_UNDER_WAY} (source TEXT NOT NULL, stamp TEXT NOT NULL);
      INSERT INTO ${COPY_UNDER_WAY} (source, stamp) VALUES ('${source.id}', ''); COMMIT`,
  );
  try {
    await refuseIfServed(link);
    await refuseUnlessEmpty(link);
  } catch (error) {
    await link.exec(`DROP TABLE ${COPY_UNDER_WAY}`);
    throw error;
  }
  await beginCopy(link, source);
};

const copyTable = async (link: Link, source: Source, table: Table, onRows: (rows: number) => void): Promise<void> => {
  const types = new Map((await link.run<Column>(COLUMNS, [table.name])).rows.map(({ name, type }) => [name, type]));
  const missing = table.columns.find((column) => !types.has(column));
  if (missing !== undefined) throw new Failed(`the database has no column ${missing} in ${table.name}`);
  const key = quoted(table.key);
  const descending = table.key.map((column) => `"${column}" DESC`).join(', ');
  const lastRow = prepared(`SELECT ${key} FROM "${table.name}" ORDER BY ${descending} LIMIT 1`);
  const [last] = (await link.run<Told>(lastRow, [])).rows;
  const after = last && table.key.map((column) => last[column] as Value);
  const arrays = table.columns.map((column) => `?::${types.get(column)}[]`).join(', ');
  const insert = prepared(`INSERT INTO "${table.name}" (${quoted(table.columns)}) SELECT * FROM unnest(${arrays})`);
  let copied = 0;
  for (const page of pagesOf(source.records, table, after)) {
    const columns = table.columns.map((_, i) => page.map((row) => row[i]));
    await link.run(insert, columns as unknown as Value[]);
    copied += page.length;
    onRows(page.length);
  }
  // Those that were there already.
  onRows(table.rows - copied);
};

/** The next that the database numbers by itself comes after all that was copied. */
const setCounters = async (link: Link, { name }: Table): Promise<void> => {
  for (const { name: column, counts } of (await link.run<Column>(COLUMNS, [name])).rows)
    if (counts)
      await link.run(
        prepared(
          `SELECT setval(pg_get_serial_sequence('"${name}"', '${column}'), COALESCE(MAX("${column}"), 1), MAX("${column}") IS NOT NULL) FROM "${name}"`,
        ),
        [],
      );
};

/** Reads both from the first to the last row, side by side. */
const checkTable = async (
  link: Link,
  source: Source,
  table: Table,
  onRows: (rows: number) => void,
): Promise<CopiedTable> => {
  const [here, there] = [createHash('sha256'), createHash('sha256')];
  let rows = 0;
  await link.exec(
    `BEGIN; DECLARE copied CURSOR FOR SELECT ${quoted(table.columns)} FROM "${table.name}" ORDER BY ${quoted(table.key)}`,
  );
  const fetch = async (count: number): Promise<Row[]> =>
    rowsOf(table, (await link.exec(`FETCH ${count} FROM copied`)).rows);
  for (const page of pagesOf(source.records, table)) {
    for (const row of page) addTo(here, row);
    const copied = await fetch(page.length);
    for (const row of copied) addTo(there, row);
    rows += copied.length;
    onRows(page.length);
  }
  const more = (await fetch(1)).length;
  await link.exec('COMMIT');
  const checksum = here.digest('hex');
  if (more > 0 || rows !== table.rows || there.digest('hex') !== checksum)
    throw new Failed(`${table.name} in the database is not what was copied there. Empty the database, and copy again`);
  return { table: table.name, rows, checksum };
};

/** What went wrong without what PostgreSQL says of it, which may quote values. */
const telling = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Refused || error instanceof Failed) throw error;
    throw new Failed(`${what} failed: ${faultOf(error)}`, { cause: error });
  }
};

/** The database to copy into: empty, or an unfinished copy of the same store. */
export const openTarget = async (url: string, source: Source, say: (line: string) => void) => {
  const link = await openChecked(url);
  const takeOver = async (): Promise<void> => {
    await link.exec(`SET lock_timeout = ${WAIT_MS}`);
    await link.run(prepared(`SELECT pg_advisory_lock(${LOCKS.copy}, 0)`), []).catch((error: unknown) => {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      throw new Refused('Another copy into this database is under way.');
    });
  };
  const prepare = async (): Promise<void> => {
    await takeOver();
    const isUnderWay = (await namesIn(link)).includes(COPY_UNDER_WAY);
    const [before] = isUnderWay
      ? (await link.run<{ source: string; stamp: string }>(prepared(`SELECT source, stamp FROM ${COPY_UNDER_WAY}`), []))
          .rows
      : [];
    if (before === undefined) await refuseUnlessEmpty(link);
    else if (before.source !== source.id)
      throw new Refused(
        'The database holds an unfinished copy of another store. Copy into an empty one: nothing was changed.',
      );
    await refuseIfServed(link);
    await migratePostgres(url, true);
    const theirs = (await namesIn(link)).filter((name) => name !== COPY_UNDER_WAY && name !== 'migrations');
    const missing = source.tables.find(({ name }) => !theirs.includes(name));
    if (missing !== undefined)
      throw new Failed(`the database has no table ${missing.name} after it was brought up to date`);
    if (before === undefined) await startCopy(link, source);
    else if (before.stamp !== source.stamp) {
      // Broken off before it had looked a second time: what is there may be somebody's.
      if (before.stamp === '') await refuseUnlessEmpty(link);
      say('The store has changed since the copy into this database was broken off: it begins anew.');
      await beginCopy(link, source);
    } else say('A copy of this store into the database was broken off: it goes on where it stopped.');
  };
  try {
    await telling('preparing the database', prepare);
  } catch (error) {
    await link.end();
    throw error;
  }
  const total = source.tables.reduce((sum, { rows }) => sum + rows, 0);
  const counting = (what: string, onProgress: OnProgress): ((rows: number) => void) => {
    let done = 0;
    return (rows) => {
      done += rows;
      onProgress(what, done, total);
    };
  };
  return {
    copy: async (onProgress: OnProgress): Promise<CopiedTable[]> => {
      const copied = counting('copying', onProgress);
      for (const table of source.tables) {
        await telling(`copying ${table.name}`, () => copyTable(link, source, table, copied));
        await telling(`numbering ${table.name}`, () => setCounters(link, table));
      }
      await telling('looking at what was copied', () => link.exec('ANALYZE'));
      const checked = counting('checking', onProgress);
      const done: CopiedTable[] = [];
      for (const table of source.tables)
        done.push(await telling(`checking ${table.name}`, () => checkTable(link, source, table, checked)));
      return done;
    },
    /** All is there: from now on it may be served. */
    finish: () => telling('finishing', () => link.exec(`DROP TABLE ${COPY_UNDER_WAY}`)),
    close: (): Promise<void> => link.end(),
  };
};
