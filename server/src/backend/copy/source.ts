import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Value } from '../backend.ts';
import { completeThrough } from '../embedded/counters-file.ts';
import { COUNTERS_FILE } from '../embedded/counters-schema.ts';
import { holdLockFile } from '../embedded/folder-lock.ts';
import { openDatabase } from '../embedded/open-database.ts';
import { DATABASE_FILE, openSqlite } from '../embedded/store.ts';
import { newestScreeningSeq, newestSeq, oldestScreeningSeq } from '../journal.ts';
import { makeServiceIdentities } from '../service-identities.ts';

/** The embedded store as the source of a copy: locked, and read by its schema, so that no table can be forgotten. */

/** The copy was refused before it changed anything. The message names the remedy. */
export class CopyRefused extends Error {
  override name = 'CopyRefused';
}

/** The copy failed part-way. The same command resumes it. */
export class CopyFailed extends Error {
  override name = 'CopyFailed';
}

export type Row = readonly Value[];
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[];
  readonly rows: number;
}

/** Each store has its own list of migrations and its own processes. */
export const NOT_COPIED = ['migrations', 'serving', 'write_probe'];
const MAX_ROWS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

export const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** Every table of a store that is copied. */
export const tablesOf = (database: DatabaseSync): Table[] =>
  database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name`,
    )
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !NOT_COPIED.includes(name))
    .map((name) => {
      const columns = database.prepare(`SELECT name, pk FROM pragma_table_info(?) ORDER BY cid`).all(name);
      const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
      if (key.length === 0) throw new CopyFailed(`${name} cannot be copied: it has no primary key`);
      const names = (of: typeof columns): string[] => of.map((column) => String(column.name));
      const rows = Number(database.prepare(`SELECT COUNT(*) AS count FROM "${name}"`).get()?.count);
      return { name, columns: names(columns), key: names(key), rows };
    });

const sizeOf = (value: Value): number => (typeof value === 'number' || value === null ? 8 : value.length);

/**
 * Yields rows in the order of their key, from after the key `after`. Pages are bounded in bytes too: one model is as
 * large as a thousand screenings.
 */
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
    if (page.length < MAX_ROWS && bytes < MAX_BYTES) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}

/**
 * Brings the histories on disk up to date. Opening counts the entries that a crash left behind; closing saves some
 * hundred thousand groups at a time.
 */
const settle = async (directory: string, identityKey: Uint8Array): Promise<void> => {
  for (let before = -1; ; ) {
    await openSqlite({ directory, identities: makeServiceIdentities(identityKey), serves: false }).backend.close();
    const records = openDatabase(join(directory, DATABASE_FILE), { readOnly: true, cacheKib: 512 });
    const counters = openDatabase(join(directory, COUNTERS_FILE), { readOnly: true, cacheKib: 512 });
    const [newest, through] = [newestScreeningSeq(records), completeThrough(counters)];
    records.close();
    counters.close();
    if (through >= newest) return;
    if (through <= before)
      throw new CopyFailed(`the histories in ${COUNTERS_FILE} could not be saved; check the space on the disk`);
    before = through;
  }
};

/**
 * Opens the keys of the store once the folder is known to be free. `fingerprint` identifies the installation without
 * revealing a key.
 */
export type OpenKeys = () => Promise<{
  readonly identityKey: Uint8Array;
  readonly fingerprint: (text: string) => string;
  /** Rows that the copy gets instead of those of a table, in the order of its primary key. */
  readonly replaced?: { readonly table: string; readonly rows: readonly Readonly<Record<string, Value>>[] } | undefined;
}>;
type Replaced = Awaited<ReturnType<OpenKeys>>['replaced'];

/** A key is after another if its first different column is. */
const isAfter = (key: Row, other: Row): boolean => {
  const at = key.findIndex((value, index) => value !== other[index]);
  return at >= 0 && (key[at] as string | number) > (other[at] as string | number);
};
const replacedPage = ({ columns, key }: Table, rows: NonNullable<Replaced>['rows'], after: Row | undefined): Row[] =>
  rows
    .filter(
      (row) =>
        after === undefined ||
        isAfter(
          key.map((column) => row[column] as Value),
          after,
        ),
    )
    .map((row) => columns.map((column) => row[column] as Value));

export const openSource = async (directory: string, openKeys: OpenKeys) => {
  const path = join(directory, DATABASE_FILE);
  if (!existsSync(path))
    throw new CopyRefused(`There is no store in ${directory}. Set DATA_DIR to the folder to copy.`);
  // Checked before the migration in `settle`: the process that serves it may be of an older release.
  holdLockFile(directory)();
  const { identityKey, fingerprint, replaced } = await openKeys();
  await settle(directory, identityKey);
  // `settle` has made sure that no process serves the folder.
  const unlock = holdLockFile(directory);
  const records = openDatabase(path, { cacheKib: 8192 });
  const counters = openDatabase(join(directory, COUNTERS_FILE), { readOnly: true, cacheKib: 8192 });
  // Commands that run beside a service do not lock the folder. This transaction keeps them from writing rows that the
  // copy would miss.
  records.exec('BEGIN IMMEDIATE');
  const migrations = records.prepare('SELECT name FROM migrations ORDER BY name').all();
  const { size, mtimeMs } = statSync(path);
  const stamp = createHash('sha256')
    .update(JSON.stringify([size, mtimeMs, migrations, replaced]))
    .digest('hex');
  return {
    records,
    counters,
    identityKey,
    tables: tablesOf(records).map((table) =>
      table.name === replaced?.table ? { ...table, rows: replaced.rows.length } : table,
    ),
    /** The rows of a table for the copy, after a key, in pages. */
    pages: (table: Table, after?: Row): Iterable<Row[]> =>
      table.name === replaced?.table
        ? [replacedPage(table, replaced.rows, after)].filter(({ length }) => length > 0)
        : pagesOf(records, table, after),
    /** Identifies the store. */
    id: fingerprint(`copy of ${realpathSync(directory)}`),
    /** Changes with every write to the store. */
    stamp,
    newestSeq: newestSeq(records),
    screenings: { oldestSeq: oldestScreeningSeq(records), newestSeq: newestScreeningSeq(records) },
    close: (): void => {
      records.exec('ROLLBACK');
      records.close();
      counters.close();
      unlock();
    },
  };
};
export type Source = Awaited<ReturnType<typeof openSource>>;
