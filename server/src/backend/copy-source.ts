import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Value } from './backend.ts';
import { COUNTERS_FILE, completeThrough } from './counters-file.ts';
import { lockFolder } from './lock.ts';
import { DATABASE_FILE, openSqlite } from './sqlite.ts';
import { openDatabase } from './sqlite-open.ts';

/** The embedded store as something to copy from: at rest, and read from its schema, so that no table can be forgotten. */

/** Nothing was changed, and what is to be done first is said. */
export class Refused extends Error {
  override name = 'Refused';
}

/** What went wrong in between. The same command goes on from there. */
export class Failed extends Error {
  override name = 'Failed';
}

export type Row = readonly Value[];
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[];
  readonly rows: number;
}

/** What each store keeps for itself. */
const OWN = 'migrations';
const MOST_ROWS = 1000;
const MOST_BYTES = 4 * 1024 * 1024;

export const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** All there is in a store, but for what was migrated. */
export const tablesOf = (database: DatabaseSync): Table[] =>
  database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name`,
    )
    .all()
    .map(({ name }) => String(name))
    .filter((name) => name !== OWN)
    .map((name) => {
      const columns = database.prepare(`SELECT name, pk FROM pragma_table_info(?) ORDER BY cid`).all(name);
      const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
      if (key.length === 0) throw new Failed(`${name} has no primary key, and cannot be copied without one`);
      const names = (of: typeof columns): string[] => of.map((column) => String(column.name));
      const rows = Number(database.prepare(`SELECT COUNT(*) AS count FROM "${name}"`).get()?.count);
      return { name, columns: names(columns), key: names(key), rows };
    });

const sizeOf = (value: Value): number => (typeof value === 'number' || value === null ? 8 : value.length);

/** Rows in the order of their key, after one if it is given. A page is bounded in bytes, too: a model is as large as a thousand screenings. */
export function* pagesOf(database: DatabaseSync, table: Table, after?: Row): Generator<Row[]> {
  const key = quoted(table.key);
  const from = after === undefined ? '' : `WHERE (${key}) > (${table.key.map(() => '?').join(', ')})`;
  const statement = database.prepare(`SELECT ${quoted(table.columns)} FROM "${table.name}" ${from} ORDER BY ${key}`);
  statement.setReturnArrays(true);
  let page: Row[] = [];
  let bytes = 0;
  for (const row of statement.iterate(...(after ?? [])) as Iterable<unknown> as Iterable<Row>) {
    page.push(row);
    for (const value of row) bytes += sizeOf(value);
    if (page.length < MOST_ROWS && bytes < MOST_BYTES) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}

const newestScreening = (database: DatabaseSync): number =>
  Number(database.prepare('SELECT MAX(seq) AS seq FROM screenings').get()?.seq ?? 0);

/** Leaves all histories on disk: what a crash left behind is counted in at the opening, and saved at the closing, some hundred thousand at a time. */
const settle = async (directory: string): Promise<void> => {
  for (let before = -1; ; ) {
    await openSqlite({ directory }).backend.close();
    const records = openDatabase(join(directory, DATABASE_FILE), { readOnly: true, cacheKib: 512 });
    const counters = openDatabase(join(directory, COUNTERS_FILE), { readOnly: true, cacheKib: 512 });
    const [newest, through] = [newestScreening(records), completeThrough(counters)];
    records.close();
    counters.close();
    if (through >= newest) return;
    if (through <= before) throw new Failed(`the histories in ${COUNTERS_FILE} could not be saved: is the disk full?`);
    before = through;
  }
};

/** `fingerprint` tells one installation from another without telling its key. */
export const openSource = async (directory: string, fingerprint: (text: string) => string) => {
  const path = join(directory, DATABASE_FILE);
  if (!existsSync(path)) throw new Refused(`There is no store in ${directory}. Set DATA_DIR to the folder to copy.`);
  // Before it is brought up to date: who serves it may be of an older release.
  lockFolder(directory)();
  await settle(directory);
  const unlock = lockFolder(directory);
  const records = openDatabase(path, { cacheKib: 8192 });
  const counters = openDatabase(join(directory, COUNTERS_FILE), { readOnly: true, cacheKib: 8192 });
  // Commands that run beside a service need no lock of the folder: what they wrote now would be lost.
  records.exec('BEGIN IMMEDIATE');
  const newest = records.prepare(
    'SELECT MAX(seq) AS seq FROM (SELECT seq FROM screenings UNION ALL SELECT seq FROM labels)',
  );
  const migrations = records.prepare('SELECT name FROM migrations ORDER BY name').all();
  const { size, mtimeMs } = statSync(path);
  const stamp = createHash('sha256')
    .update(JSON.stringify([size, mtimeMs, migrations]))
    .digest('hex');
  return {
    records,
    counters,
    tables: tablesOf(records),
    /** Which store it is. */
    id: fingerprint(`copy of ${realpathSync(directory)}`),
    /** The same as long as nothing was written to it. */
    stamp,
    newestSeq: Number(newest.get()?.seq ?? 0),
    close: (): void => {
      records.exec('ROLLBACK');
      records.close();
      counters.close();
      unlock();
    },
  };
};
export type Source = Awaited<ReturnType<typeof openSource>>;
