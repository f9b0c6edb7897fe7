import { describeError, type PostgresConnection } from './connection.ts';
import { connectForMaintenance } from './migrate.ts';

type Task = (connection: PostgresConnection) => Promise<unknown>;

/**
 * Runs statements that take minutes on large tables, one task after the other, on a connection without a time limit.
 * Nothing waits for them.
 */
export const makeMaintenance = (url: string, onError: (message: string) => void) => {
  let working = Promise.resolve();
  let connection: PostgresConnection | undefined;
  let isClosed = false;
  const work = async (task: Task, failure: string): Promise<void> => {
    if (isClosed) return;
    try {
      connection = await connectForMaintenance(url);
      if (!isClosed) await task(connection);
    } catch (error) {
      if (!isClosed) onError(`${failure}: ${describeError(error)}`);
    } finally {
      await connection?.end();
      connection = undefined;
    }
  };
  return {
    start: (task: Task, failure: string): void => {
      working = working.then(() => work(task, failure));
    },
    /** Interrupts the task in progress. */
    close: async (): Promise<void> => {
      isClosed = true;
      connection?.destroy();
      await working;
    },
  };
};
