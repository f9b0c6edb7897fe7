import { createHash, type Hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { timeOfSeq } from '../../runtime/ids.ts';
import type { Value } from '../backend.ts';
import { migrate } from '../migrate.ts';
import { describeError, LOCKS, type PostgresConnection } from '../postgres/connection.ts';
import { COPY_MARKER_TABLE, connectForMaintenance, LOCK_NOT_AVAILABLE, migratePostgres } from '../postgres/migrate.ts';
import { prepared } from '../postgres/sql.ts';
import { createWeeks } from '../postgres/weeks.ts';
import { CopyFailed, CopyRefused, pagesOf, quoted, type Row, type Source, type Table, tablesOf } from './source.ts';

/**
 * Copies records from the embedded store into PostgreSQL, table by table in the order of their keys. An interrupted
 * copy resumes after the last row.
 */

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
  `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type, a.attidentity <> '' AS "isIdentity"
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    ${IN_SCHEMA} AND c.relname = ? AND a.attnum > 0 AND NOT a.attisdropped`,
);
const WHO_SERVES = prepared(
  `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LOCKS.process}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
);
/** After a copy was killed, the database may still be writing its last page. */
const LOCK_WAIT_MS = 60_000;

/** Rows of before are few, since they are past their retention. They need no weeks. */
const MAX_HISTORY_MS = 400 * 24 * 3_600_000;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isIdentity: boolean;
}
type NamedRow = Record<string, Value>;

/** Adds a row to a checksum, as text that is the same for both stores. */
const addTo = (hash: Hash, row: Row): void =>
  void hash.update(
    JSON.stringify(row.map((value) => (value instanceof Uint8Array ? [Buffer.from(value).toString('base64')] : value))),
  );
const rowsOf = (table: Table, rows: readonly unknown[]): Row[] =>
  (rows as NamedRow[]).map((row) => table.columns.map((column) => row[column] as Value));

/** The rows that migrations insert into a new store. A database with only these rows counts as empty. */
const seededTables = (): Map<string, string> => {
  const fresh = new DatabaseSync(':memory:');
  migrate(fresh);
  const seeded = tablesOf(fresh).map(
    (table) => [table.name, JSON.stringify([...pagesOf(fresh, table)].flat())] as const,
  );
  fresh.close();
  return new Map(seeded);
};

const namesIn = async (connection: PostgresConnection): Promise<string[]> =>
  (await connection.run<{ name: string }>(TABLES, [])).rows.map(({ name }) => name);

const refuseUnlessEmpty = async (connection: PostgresConnection): Promise<void> => {
  const seeded = seededTables();
  for (const name of await namesIn(connection)) {
    if (name === 'migrations' || name === COPY_MARKER_TABLE) continue;
    const { rows } = await connection.run<NamedRow>(prepared(`SELECT * FROM "${name}" LIMIT 100`), []);
    if (rows.length === 0 || JSON.stringify(rows.map((row) => Object.values(row))) === seeded.get(name)) continue;
    throw new CopyRefused(
      `The database is not empty: ${name} has rows. Copy into an empty database. Nothing was changed.`,
    );
  }
};

const refuseIfServed = async (connection: PostgresConnection): Promise<void> => {
  if ((await connection.run(WHO_SERVES, [])).changes > 0)
    throw new CopyRefused('A process serves this database. Stop it first. Nothing was changed.');
};

/** Starts from empty tables: their rows are from an earlier copy, or from the migrations. */
const beginCopy = (connection: PostgresConnection, { tables, stamp }: Source): Promise<unknown> =>
  connection.exec(
    `BEGIN; UPDATE ${COPY_MARKER_TABLE} SET stamp = '${stamp}'; TRUNCATE ${quoted(tables.map(({ name }) => name))}; COMMIT`,
  );

/**
 * Creates the marker before anything is changed, and checks again. A process that started to serve after the first
 * check is found by this one; a process that starts later finds the marker.
 */
const startCopy = async (connection: PostgresConnection, source: Source): Promise<void> => {
  // The id is a hash, so it needs no escaping.
  await connection.exec(
    `BEGIN; CREATE TABLE ${COPY_MARKER_TABLE} (source TEXT NOT NULL, stamp TEXT NOT NULL);
      INSERT INTO ${COPY_MARKER_TABLE} (source, stamp) VALUES ('${source.id}', ''); COMMIT`,
  );
  try {
    await refuseIfServed(connection);
    await refuseUnlessEmpty(connection);
  } catch (error) {
    await connection.exec(`DROP TABLE ${COPY_MARKER_TABLE}`);
    throw error;
  }
  await beginCopy(connection, source);
};

const copyTable = async (
  connection: PostgresConnection,
  source: Source,
  table: Table,
  onRows: (rows: number) => void,
): Promise<void> => {
  const types = new Map(
    (await connection.run<Column>(COLUMNS, [table.name])).rows.map(({ name, type }) => [name, type]),
  );
  const missing = table.columns.find((column) => !types.has(column));
  if (missing !== undefined) throw new CopyFailed(`the database has no column ${missing} in ${table.name}`);
  const key = quoted(table.key);
  const descending = table.key.map((column) => `"${column}" DESC`).join(', ');
  const lastRow = prepared(`SELECT ${key} FROM "${table.name}" ORDER BY ${descending} LIMIT 1`);
  const [last] = (await connection.run<NamedRow>(lastRow, [])).rows;
  const after = last && table.key.map((column) => last[column] as Value);
  const arrays = table.columns.map((column) => `?::${types.get(column)}[]`).join(', ');
  const insert = prepared(`INSERT INTO "${table.name}" (${quoted(table.columns)}) SELECT * FROM unnest(${arrays})`);
  let copied = 0;
  for (const page of source.pages(table, after)) {
    const columns = table.columns.map((_, i) => page.map((row) => row[i]));
    await connection.run(insert, columns as unknown as Value[]);
    copied += page.length;
    onRows(page.length);
  }
  // Rows of an earlier run.
  onRows(table.rows - copied);
};

/** Sets each sequence past the copied rows. */
const setSequences = async (connection: PostgresConnection, { name }: Table): Promise<void> => {
  for (const { name: column, isIdentity } of (await connection.run<Column>(COLUMNS, [name])).rows)
    if (isIdentity)
      await connection.run(
        prepared(
          `SELECT setval(pg_get_serial_sequence('"${name}"', '${column}'), COALESCE(MAX("${column}"), 1), MAX("${column}") IS NOT NULL) FROM "${name}"`,
        ),
        [],
      );
};

/** Compares all rows of both tables, reading them side by side. */
const checkTable = async (
  connection: PostgresConnection,
  source: Source,
  table: Table,
  onRows: (rows: number) => void,
): Promise<CopiedTable> => {
  const [here, there] = [createHash('sha256'), createHash('sha256')];
  let rows = 0;
  await connection.exec(
    `BEGIN; DECLARE copied CURSOR FOR SELECT ${quoted(table.columns)} FROM "${table.name}" ORDER BY ${quoted(table.key)}`,
  );
  const fetch = async (count: number): Promise<Row[]> =>
    rowsOf(table, (await connection.exec(`FETCH ${count} FROM copied`)).rows);
  for (const page of source.pages(table)) {
    for (const row of page) addTo(here, row);
    const copied = await fetch(page.length);
    for (const row of copied) addTo(there, row);
    rows += copied.length;
    onRows(page.length);
  }
  const more = (await fetch(1)).length;
  await connection.exec('COMMIT');
  const checksum = here.digest('hex');
  if (more > 0 || rows !== table.rows || there.digest('hex') !== checksum)
    throw new CopyFailed(`${table.name} in the database differs from its copy. Empty the database and copy again`);
  return { table: table.name, rows, checksum };
};

/** Names the step that failed. Leaves out the message of PostgreSQL, which may quote values. */
const runStep = async <T>(step: string, task: () => Promise<T>): Promise<T> => {
  try {
    return await task();
  } catch (error) {
    if (error instanceof CopyRefused || error instanceof CopyFailed) throw error;
    throw new CopyFailed(`${step} failed: ${describeError(error)}`, { cause: error });
  }
};

/** Takes the lock of copies, after waiting for the last page of a copy that was killed. */
const lockCopies = async (connection: PostgresConnection): Promise<void> => {
  await connection.exec(`SET lock_timeout = ${LOCK_WAIT_MS}`);
  await connection.run(prepared(`SELECT pg_advisory_lock(${LOCKS.copy}, 0)`), []).catch((error: unknown) => {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new CopyRefused('Another copy into this database is running.');
  });
};

/** The marker of an unfinished copy, if there is one. */
const findMarker = async (connection: PostgresConnection): Promise<{ source: string; stamp: string } | undefined> => {
  if (!(await namesIn(connection)).includes(COPY_MARKER_TABLE)) return undefined;
  const query = prepared(`SELECT source, stamp FROM ${COPY_MARKER_TABLE}`);
  return (await connection.run<{ source: string; stamp: string }>(query, [])).rows[0];
};

/** Creates the weeks of the screenings to copy. */
const createWeeksOf = async (connection: PostgresConnection, { screenings }: Source): Promise<void> => {
  if (screenings.newestSeq === 0) return;
  const last = timeOfSeq(screenings.newestSeq);
  await createWeeks(connection, Math.max(timeOfSeq(screenings.oldestSeq), last - MAX_HISTORY_MS), last);
};

/** Checks the database, migrates it, and starts the copy or resumes an unfinished one. */
const prepareTarget = async (
  connection: PostgresConnection,
  url: string,
  source: Source,
  print: (line: string) => void,
): Promise<void> => {
  await lockCopies(connection);
  const marker = await findMarker(connection);
  if (marker === undefined) await refuseUnlessEmpty(connection);
  else if (marker.source !== source.id)
    throw new CopyRefused(
      'The database holds an unfinished copy of another store. Copy into an empty database. Nothing was changed.',
    );
  await refuseIfServed(connection);
  await migratePostgres(url, true);
  const existing = await namesIn(connection);
  const missing = source.tables.find(({ name }) => !existing.includes(name));
  if (missing !== undefined) throw new CopyFailed(`the database has no table ${missing.name} after its migrations`);
  if (marker === undefined) await startCopy(connection, source);
  else if (marker.stamp !== source.stamp) {
    // An empty stamp means that the copy ended before its second check: the rows may belong to another application.
    if (marker.stamp === '') await refuseUnlessEmpty(connection);
    print('The store changed after the copy into this database was interrupted: the copy starts again.');
    await beginCopy(connection, source);
  } else print('A copy of this store into the database was interrupted: it resumes where it stopped.');
  await createWeeksOf(connection, source);
};

/** Opens the database to copy into. It must be empty, or hold an unfinished copy of the same store. */
export const openTarget = async (url: string, source: Source, print: (line: string) => void) => {
  const connection = await connectForMaintenance(url);
  try {
    await runStep('preparing the database', () => prepareTarget(connection, url, source, print));
  } catch (error) {
    await connection.end();
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
        await runStep(`copying ${table.name}`, () => copyTable(connection, source, table, copied));
        await runStep(`setting the sequences of ${table.name}`, () => setSequences(connection, table));
      }
      await runStep('analyzing the database', () => connection.exec('ANALYZE'));
      const checked = counting('checking', onProgress);
      const done: CopiedTable[] = [];
      for (const table of source.tables)
        done.push(await runStep(`checking ${table.name}`, () => checkTable(connection, source, table, checked)));
      return done;
    },
    /** Removes the marker: from now on processes may serve the database. */
    finish: () => runStep('finishing', () => connection.exec(`DROP TABLE ${COPY_MARKER_TABLE}`)),
    close: (): Promise<void> => connection.end(),
  };
};
