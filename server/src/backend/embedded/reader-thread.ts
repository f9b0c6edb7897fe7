import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../../runtime/thread-priority.ts';
import { sizeOf } from '../pages.ts';
import { openDatabase } from './open-database.ts';
import type { ReadRequest, ReadResult } from './reader.ts';

/** Runs the long reads, on a connection of its own, so that the thread that screens never waits for one. */
const port = parentPort;
if (port === null) throw new Error('reader-thread.ts must run as a worker thread');
const database = openDatabase((workerData as { path: string }).path, { readOnly: true, cacheKib: 4096 });
const statements = new Map<string, StatementSync>();
try {
  // Screenings come first on a busy machine.
  lowerThreadPriority('BELOW_NORMAL');
} catch {
  // Some containers forbid it. Reading works without it.
}

const prepare = (sql: string): StatementSync => {
  let statement = statements.get(sql);
  if (statement === undefined) {
    statement = database.prepare(sql);
    statement.setReturnArrays(true);
    statements.set(sql, statement);
  }
  return statement;
};

/** Sends values without the names of their columns: repeating the names in every row would triple the message. */
const read = ({ sql, params, maxRows, maxSize }: ReadRequest): ReadResult => {
  const statement = prepare(sql);
  const values: unknown[] = [];
  let rows = 0;
  let size = 0;
  let hasMore = false;
  for (const row of statement.iterate(...(params as SQLInputValue[])) as Iterable<unknown>) {
    if (rows === maxRows || (rows > 0 && size >= maxSize)) {
      hasMore = true;
      break;
    }
    for (const value of row as unknown[]) {
      size += sizeOf(value);
      values.push(value);
    }
    rows++;
  }
  return { columns: statement.columns().map(({ name }) => name), values, hasMore };
};

port.on('message', (message: ReadRequest | 'close') => {
  if (message === 'close') {
    database.close();
    port.close();
    return;
  }
  let result: ReadResult;
  try {
    result = read(message);
  } catch (error) {
    const { message: failed, errcode } = error as Error & { errcode?: number };
    result = { failed, errcode };
  }
  port.postMessage(result);
});
