import { describeError, LOCKS, type PostgresConnection } from './connection.ts';
import { connectForMaintenance } from './migrate.ts';
import { prepared } from './sql.ts';

/**
 * The indexes by which the journal is read in the order of its commits. On a large table a migration that makes one
 * would hold up every screening. PostgreSQL makes them beside the writes instead, outside any transaction, and waits for
 * transactions in progress: so nothing waits for it here. Until then, following reads the whole table.
 */
const INDEXES = { screenings_by_written: 'screenings', labels_by_written: 'labels' };

const USABLE = prepared(
  `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_index i ON i.indexrelid = c.oid
    WHERE n.nspname = current_schema() AND i.indisvalid AND c.relname IN ('screenings_by_written', 'labels_by_written')`,
);
/** One process at a time makes them. The lock ends with the connection. */
const TRY_LOCK = prepared(`SELECT pg_try_advisory_lock(${LOCKS.migration}, 1) AS held`);

/** Makes the indexes that are missing, and makes those again that an interrupted attempt left unusable. */
const provideIndexes = async (connection: PostgresConnection): Promise<void> => {
  const [lock] = (await connection.run<{ held: boolean }>(TRY_LOCK, [])).rows;
  if (lock?.held !== true) return;
  const usable = new Set((await connection.run<{ name: string }>(USABLE, [])).rows.map(({ name }) => name));
  for (const [name, table] of Object.entries(INDEXES).filter(([index]) => !usable.has(index))) {
    await connection.exec(`DROP INDEX IF EXISTS ${name}`);
    await connection.exec(`CREATE INDEX CONCURRENTLY ${name} ON ${table} (written, seq) WHERE written IS NOT NULL`);
  }
};

export const makeFollowIndexes = (url: string, onError: (message: string) => void) => {
  let working: Promise<void> | undefined;
  let connection: PostgresConnection | undefined;
  let isClosed = false;
  const work = async (): Promise<void> => {
    try {
      connection = await connectForMaintenance(url);
      if (!isClosed) await provideIndexes(connection);
    } catch (error) {
      if (!isClosed) onError(`an index of search was not made: ${describeError(error)}`);
    } finally {
      await connection?.end();
    }
  };
  return {
    /** Starts to make the indexes, once. */
    provide: (): void => {
      working ??= work();
    },
    /** An index that is being made is left unusable, and made again after the next start. */
    close: async (): Promise<void> => {
      isClosed = true;
      connection?.destroy();
      await working;
    },
  };
};
