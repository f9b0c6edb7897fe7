import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { serializeByKey } from '../../runtime/serialize-by-key.ts';
import { type Backend, dropNothing, type Outcome, settleWrite, type Unit } from '../backend.ts';
import { readsOnThisThread } from '../pages.ts';
import { openMigrated } from './store.ts';

/**
 * Reads the rows of a statement as objects of one shape. Those that SQLite's binding makes are dictionaries, and every
 * access to one of them misses the inline caches of the engine.
 */
const makeRowReader = (statement: StatementSync) => {
  statement.setReturnArrays(true);
  const names = statement.columns().map(({ name }) => name);
  return (params: readonly SQLInputValue[]): object[] =>
    (statement.all(...params) as unknown as SQLOutputValue[][]).map((values) => {
      const row: Record<string, SQLOutputValue> = {};
      for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i] as SQLOutputValue;
      return row;
    });
};

/** Reads and writes a database on the calling thread. */
export const makeDirectStore = (database: DatabaseSync): Backend => {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const run = (unit: Unit): Outcome => {
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const [refused, { sql, params, expect, must }] of unit.entries()) {
        const { changes } = prepare(sql).run(...(params as SQLInputValue[]));
        const wanted = expect ?? must;
        if (wanted === undefined || changes === wanted) continue;
        database.exec('ROLLBACK');
        return { written: false, refused };
      }
      database.exec('COMMIT');
      return { written: true };
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
  const readers = new Map<string, ReturnType<typeof makeRowReader>>();
  const readerOf = (sql: string): ReturnType<typeof makeRowReader> => {
    const reader = readers.get(sql) ?? makeRowReader(database.prepare(sql));
    readers.set(sql, reader);
    return reader;
  };
  const read = async <Row>(sql: string, ...params: readonly unknown[]): Promise<Row[]> =>
    readerOf(sql)(params as SQLInputValue[]) as Row[];
  const write = (unit: Unit): Promise<Outcome> =>
    new Promise((resolve, reject) => settleWrite({ unit, resolve, reject }, run(unit)));
  return {
    read,
    ...readsOnThisThread(read),
    write,
    writeAll: (writes) => {
      for (const { unit, resolve, reject } of writes) write(unit).then(resolve, reject);
    },
    withLock: serializeByKey<string>(),
    tryWithLock: (_job, task) => task(),
    dropOld: dropNothing,
    close: async () => database.close(),
  };
};

/**
 * Opens the store on the calling thread, for a few statements before the service starts. A writer thread for them
 * would take longer to start than they take to run.
 */
export const openSqliteDirect = (directory: string): Backend => {
  const { database, applied } = openMigrated(directory);
  if (applied.length === 0) return makeDirectStore(database);
  // A migration fills the log. Closing the connection copies it, so that a disk with little room is not full at the start.
  database.close();
  return makeDirectStore(openMigrated(directory).database);
};
