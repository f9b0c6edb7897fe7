import { repeat } from '../../runtime/repeat.ts';
import type { Backend } from '../backend.ts';
import { describeError, type PostgresConnection, sqlStateOf } from './connection.ts';
import { connectForMaintenance, LOCK_NOT_AVAILABLE } from './migrate.ts';
import { createWeeks, dropPartition, missingWeeks, partitionsOf, TIMED_TABLES } from './weeks.ts';

/** Weeks that exist before their first row, after the present one. */
const AHEAD_MS = 2 * 7 * 24 * 3_600_000;
const CREATE_EVERY_MS = 600_000;
/** A partition could not be locked because of a long read, such as a backup. The next attempt would not succeed at once. */
const DROP_AGAIN_MS = 600_000;

export interface WeeksOptions {
  readonly url: string;
  readonly read: Backend['read'];
  readonly clock: () => number;
  readonly onError: (message: string) => void;
}

/** Creates weeks ahead, and drops old ones, each over a connection of its own: a screening never shares its transaction. */
export const makeWeekKeeper = ({ url, read, clock, onError }: WeeksOptions) => {
  const withConnection = async <T>(task: (connection: PostgresConnection) => Promise<T>): Promise<T> => {
    const connection = await connectForMaintenance(url);
    try {
      return await task(connection);
    } finally {
      await connection.end();
    }
  };
  const provide = async (): Promise<void> => {
    const now = clock();
    const missing = await Promise.all(TIMED_TABLES.map((table) => missingWeeks(read, table, now, now + AHEAD_MS)));
    if (missing.some((weeks) => weeks.length > 0))
      await withConnection((connection) => createWeeks(connection, now, now + AHEAD_MS));
  };
  // Not fatal: rows of a week without a partition are stored in the default one.
  const report = (error: unknown): void => onError(`a week ahead was not created: ${describeError(error)}`);
  const schedule = repeat({ task: provide, firstMs: CREATE_EVERY_MS, restMs: CREATE_EVERY_MS, onError: report });

  let dropAgainAt = Number.NEGATIVE_INFINITY;
  const drop = async (names: readonly string[]): Promise<number> => {
    if (names.length === 0 || performance.now() < dropAgainAt) return 0;
    let dropped = 0;
    try {
      await withConnection(async (connection) => {
        for (const name of names) dropped += await dropPartition(connection, name);
      });
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      dropAgainAt = performance.now() + DROP_AGAIN_MS;
    }
    return dropped;
  };
  const dropOld: Backend['dropOld'] = async (table, before) => {
    const partitions = await partitionsOf(read, table);
    const dropped = await drop(partitions.filter(({ end }) => end <= before).map(({ name }) => name));
    return { dropped, rest: partitions.filter(({ isWeek, end }) => !isWeek && end > before).map(({ name }) => name) };
  };
  return {
    /** Creates the weeks ahead now, and again and again. */
    start: async (): Promise<void> => {
      await provide().catch(report);
      schedule.start();
    },
    stop: schedule.stop,
    dropOld,
  };
};
