import { LOCKS, type PostgresConnection } from './connection.ts';
import { prepared } from './sql.ts';

/**
 * The indexes by which the journal is read in the order of its commits. On a large table a migration that makes one
 * would hold up every screening. PostgreSQL makes them beside the writes instead, outside any transaction, and waits for
 * transactions in progress: so nothing waits for it here. Until then, following reads the whole table.
 */
const DEFINITION = '(written, seq) WHERE written IS NOT NULL';
/** Labels, and the partitions of screenings whose index is no part of that of all screenings: mostly the oldest one. */
const TABLES = prepared(
  `SELECT name, is_part AS "isPart", EXISTS
      (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(name || '_by_written') AND indisvalid) AS "isUsable"
    FROM (SELECT 'labels' AS name, FALSE AS is_part
      UNION ALL SELECT c.relname, TRUE FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
      WHERE h.inhparent = 'screenings'::regclass AND NOT EXISTS
        (SELECT 1 FROM pg_inherits part JOIN pg_index i ON i.indexrelid = part.inhrelid
          WHERE part.inhparent = 'screenings_by_written'::regclass AND i.indrelid = c.oid)) AS tables`,
);
/** An index becomes a part in a moment. Where a long read delays it, other reads wait behind it, so it gives up. */
const ATTACH_WAIT_MS = 2000;
/** One process at a time makes them. The lock ends with the connection. */
const TRY_LOCK = prepared(`SELECT pg_try_advisory_lock(${LOCKS.migration}, 1) AS held`);

/** Makes the indexes that are missing, and makes those again that an interrupted attempt left unusable. */
export const provideFollowIndexes = async (connection: PostgresConnection): Promise<void> => {
  const [lock] = (await connection.run<{ held: boolean }>(TRY_LOCK, [])).rows;
  if (lock?.held !== true) return;
  const { rows } = await connection.run<{ name: string; isPart: boolean; isUsable: boolean }>(TABLES, []);
  for (const { name, isPart, isUsable } of rows) {
    const index = `${name}_by_written`;
    if (!isUsable) {
      await connection.exec(`DROP INDEX IF EXISTS ${index}`);
      await connection.exec(`CREATE INDEX CONCURRENTLY ${index} ON ${name} ${DEFINITION}`);
    }
    if (isPart)
      await connection.exec(
        `BEGIN; SET LOCAL lock_timeout = ${ATTACH_WAIT_MS}; ALTER INDEX screenings_by_written ATTACH PARTITION ${index}; COMMIT`,
      );
  }
};
