import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { MessagePort, Worker } from 'node:worker_threads';
import { serializeByKey } from '../../runtime/serialize-by-key.ts';
import {
  type Backend,
  dropNothing,
  type Outcome,
  type PendingWrite,
  settleWrite,
  Unavailable,
  type Value,
} from '../backend.ts';
import { readsOnThisThread } from '../pages.ts';
import { makeBatchEncoder, type WriterMessage } from './batch-encoding.ts';
import type { LocalCounters } from './counters.ts';
import { readError } from './open-database.ts';
import type { Reader } from './reader.ts';

/** The store refuses further writes beyond this many waiting: a quick refusal is better than a late answer. */
const MAX_WAITING = 20_000;

/** Follows each commit: the counters of a serving process. */
export type CommitObserver = Pick<LocalCounters, 'committing' | 'committed' | 'lost' | 'isReady' | 'close'>;
export const NO_OBSERVER: CommitObserver = {
  committing: () => {},
  committed: () => {},
  lost: () => Promise.resolve(),
  isReady: () => true,
  close: () => Promise.resolve(),
};

export interface CommitHooks {
  readonly onCommit?: (units: number, tookMs: number) => void;
  readonly onError?: (message: string) => void;
  /** A batch could not be committed. */
  readonly onFailed?: (message: string) => void;
  /** The writer takes no more batches: its thread ended, or another process has taken the folder over. */
  readonly onEnded?: (message: string) => void;
}

/**
 * Reads on this thread and sends writes to the writer thread: one batch is being committed while the next one fills.
 */
interface StoreState {
  readonly database: DatabaseSync;
  readonly writer: Worker | MessagePort;
  readonly observer: CommitObserver;
  readonly hooks: CommitHooks;
  readonly readers: Map<string, StatementSync>;
  readonly encode: ReturnType<typeof makeBatchEncoder>;
  waiting: PendingWrite[];
  /** The batch being committed. */
  committing: PendingWrite[] | undefined;
  startedAt: number;
  isScheduled: boolean;
  /** Why the store takes no more writes. */
  ended: Error | undefined;
  readonly drained: (() => void)[];
}

const send = (state: StoreState): void => {
  state.isScheduled = false;
  if (state.committing !== undefined || state.ended !== undefined) return;
  if (state.waiting.length === 0) {
    for (const resolve of state.drained.splice(0)) resolve();
    return;
  }
  state.committing = state.waiting;
  state.waiting = [];
  state.startedAt = performance.now();
  state.observer.committing();
  const batch = state.encode(state.committing);
  state.writer.postMessage(batch, [batch.numbers.buffer, batch.bytes.buffer]);
};

const schedule = (state: StoreState): void => {
  if (state.isScheduled || state.committing !== undefined) return;
  state.isScheduled = true;
  // Requests that arrive in the same turn of the event loop share the batch.
  setImmediate(send, state);
};

/** Rejects the failed batch and every waiting write: they were decided from histories that are now read again. */
const fail = (state: StoreState, message: string): void => {
  const lost = [...(state.committing ?? []), ...state.waiting];
  state.committing = undefined;
  state.waiting = [];
  state.hooks.onError?.(message);
  state.hooks.onFailed?.(message);
  // Rejects only after the histories are read again: the next request must not see effects of the lost writes.
  void state.observer.lost().then(() => {
    for (const { reject } of lost) reject(new Unavailable('the store did not take the write'));
  });
};

const endCommit = (state: StoreState, outcomes: readonly Outcome[]): void => {
  const written = state.committing ?? [];
  state.committing = undefined;
  state.observer.committed();
  state.hooks.onCommit?.(written.length, performance.now() - state.startedAt);
  for (const [index, write] of written.entries()) settleWrite(write, outcomes[index] as Outcome);
  if (state.waiting.length > 0) schedule(state);
  else if (state.drained.length > 0) send(state);
};

const receive = (state: StoreState, message: WriterMessage): void => {
  if ('checkpointFailed' in message) {
    state.hooks.onError?.(`checkpoint failed, so the write-ahead log grows: ${message.checkpointFailed}`);
  } else if ('superseded' in message) {
    endWriter(state, new Error('another process serves this folder'));
  } else if ('failed' in message) {
    fail(state, message.failed);
    schedule(state);
  } else endCommit(state, message.outcomes);
};

const endWriter = (state: StoreState, error: Error): void => {
  if (state.ended !== undefined) return;
  state.ended = error;
  const message = `the writer ended: ${error.message}`;
  fail(state, message);
  state.hooks.onEnded?.(message);
};

const readRows = <Row>({ database, readers }: StoreState, sql: string, params: Value[]): Row[] => {
  let statement = readers.get(sql);
  if (statement === undefined) {
    statement = database.prepare(sql);
    readers.set(sql, statement);
  }
  return statement.all(...(params as SQLInputValue[])) as Row[];
};

const closeStore = async (state: StoreState): Promise<void> => {
  const { database, writer, observer } = state;
  if (state.ended === undefined) {
    await new Promise<void>((resolve) => {
      state.drained.push(resolve);
      send(state);
    });
    await observer.close();
    state.ended = new Error('closed');
    // Closed before the writer: SQLite checkpoints and deletes the log when the last connection closes.
    database.close();
    const closed = new Promise((resolve) => writer.once('exit', resolve).once('close', resolve));
    writer.postMessage('close', []);
    await closed;
  } else if (database.isOpen) {
    await observer.close();
    database.close();
  }
};

export const makeBackend = (
  database: DatabaseSync,
  writer: Worker | MessagePort,
  observer: CommitObserver,
  hooks: CommitHooks,
  reader?: Reader,
) => {
  const state: StoreState = {
    database,
    writer,
    observer,
    hooks,
    readers: new Map(),
    encode: makeBatchEncoder(),
    waiting: [],
    committing: undefined,
    startedAt: 0,
    isScheduled: false,
    ended: undefined,
    drained: [],
  };
  writer.on('message', (message: WriterMessage) => receive(state, message));
  writer.on('error', (error) => endWriter(state, error instanceof Error ? error : new Error(String(error))));
  // A thread ends with `exit`, a port with `close`.
  for (const event of ['exit', 'close']) writer.on(event, () => endWriter(state, new Error('its thread is gone')));

  const read = async <Row>(sql: string, ...params: Value[]): Promise<Row[]> => {
    try {
      return readRows<Row>(state, sql, params);
    } catch (error) {
      hooks.onError?.(`a read failed: ${error instanceof Error ? error.message : String(error)}`);
      throw readError(error);
    }
  };
  const { readLong, readPage } = reader ?? readsOnThisThread(read);
  const backend: Backend = {
    read,
    readLong,
    readPage,
    write: (unit) => {
      if (state.ended !== undefined) return Promise.reject(new Unavailable('the store is closed'));
      if (state.waiting.length >= MAX_WAITING) return Promise.reject(new Unavailable('too many writes are waiting'));
      return new Promise((resolve, reject) => {
        state.waiting.push({ unit, resolve, reject });
        schedule(state);
      });
    },
    writeAll: (writes) => {
      const { ended } = state;
      if (ended !== undefined) for (const { reject } of writes) reject(new Unavailable('the store is closed'));
      else {
        for (const write of writes) state.waiting.push(write);
        // After the calling function: the counters still have to add the verdicts to the groups that `send` saves.
        process.nextTick(send, state);
      }
    },
    // Locks of this thread: every module that takes them runs in the serving thread.
    withLock: serializeByKey<string>(),
    tryWithLock: (_job, task) => task(),
    dropOld: dropNothing,
    close: () => closeStore(state),
  };
  return {
    backend,
    /** Checked before a screening is counted: once it is counted, the write must be accepted. */
    hasRoom: () => state.ended === undefined && observer.isReady() && state.waiting.length < MAX_WAITING,
    waiting: () => state.waiting.length + (state.committing?.length ?? 0),
  };
};
