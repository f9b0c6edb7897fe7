import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { startService } from '../fixtures/harness.ts';
import { connect } from '../fixtures/postgres.ts';
import { settingsOf } from '../fixtures/records.ts';
import { EMBEDDED_ONLY, POSTGRES_ONLY, RECORDS, SEARCH } from '../fixtures/stored-columns.ts';

/** Partitions have the columns of their table. */
const COLUMNS = `SELECT table_name || '.' || column_name AS name FROM information_schema.columns c
  WHERE table_schema = 'public' AND NOT EXISTS
    (SELECT 1 FROM pg_inherits h WHERE h.inhrelid = quote_ident(c.table_name)::regclass)`;

const columnsOfFile = (path: string): string[] => {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare(
        `SELECT m.name || '.' || c.name AS name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'`,
      )
      .all()
      .map(({ name }) => String(name));
  } finally {
    database.close();
  }
};

const storedColumns = async (folder: string): Promise<string[]> => {
  const { shared } = await settingsOf(folder);
  if (shared === undefined)
    return ['portcullis.db', 'search.db', 'counters.db'].flatMap((file) => columnsOfFile(join(folder, file)));
  const client = await connect(shared.databaseUrl);
  try {
    return (await client.query<{ name: string }>(COLUMNS)).rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
};

const declared = (...parts: (typeof RECORDS)[]): string[] =>
  parts.flatMap((tables) =>
    Object.entries(tables).flatMap(([table, columns]) => Object.keys(columns).map((column) => `${table}.${column}`)),
  );

/**
 * A new column must be declared in `fixtures/stored-columns.ts`. If it can hold data of a person, the erasure must cover it
 * (`server/src/privacy`), and so must the search for traces in `erasures.test.ts`.
 */
test('every column of the store is declared as erased, or as holding no data of a person', async () => {
  const service = await startService();
  const { shared } = await settingsOf(service.dataDir);
  const further = shared === undefined ? [SEARCH, EMBEDDED_ONLY] : [SEARCH, POSTGRES_ONLY];
  expect((await storedColumns(service.dataDir)).sort()).toEqual(declared(RECORDS, ...further).sort());
});
