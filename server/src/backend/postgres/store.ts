import { makeTurns } from '../../runtime/turns.ts';
import {
  type Backend,
  type Outcome,
  type Page,
  settleWrite,
  Unavailable,
  type Unit,
  UnknownOutcome,
  type Value,
} from '../backend.ts';
import { toPage } from '../pages.ts';
import { makeWriteProbe, type WriteProbe } from '../write-probe.ts';
import { makeLocks } from './advisory-locks.ts';
import { describeError, endSession, isDeadlock, isInvalidSql, isStorageError, type Session } from './connection.ts';
import { makeWeekKeeper } from './keep-weeks.ts';
import { migratePostgres } from './migrate.ts';
import { makePool, type Pool } from './pool.ts';
import { LostTransaction, runBatch } from './run-batch.ts';
import { prepared } from './sql.ts';

export interface PostgresOptions {
  readonly url: string;
  /** The time by which weeks are created ahead. */
  readonly clock?: () => number;
  readonly onCommit?: (units: number, tookMs: number) => void;
  readonly onError?: (message: string) => void;
  /** How long a statement, a batch, or the wait for either may take. Shorter in tests. */
  readonly timeoutMs?: number;
}

/** A unit that waits for its batch. */
interface PendingWrite {
  readonly unit: Unit;
  readonly since: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

const TIMEOUT_MS = 5000;
/** With more writes waiting, further writes are refused: an early refusal is better than a late answer. */
const MAX_WAITING = 20_000;
const MAX_READS_WAITING = 5000;
/** In a larger batch the first unit would wait too long for the last. */
const MAX_UNITS = 128;
/**
 * The database counts as hung when no batch has returned for this part of the timeout. Further writes are then
 * refused at once.
 */
const HUNG_AFTER = 1 / 5;
const WATCHDOG_MS = 100;
const END_SESSION_EVERY_MS = 200;

/** One batch gathers while others are committed. With more writers, batches only get smaller. */
const WRITERS = 3;
const READERS = 4;
/** Connections of long reads, apart from those above: a key or a single row must not wait for them. */
const LONG_READERS = 2;
/** Connections of a thread or a command, which has little to do. */
const FEW = 1;

interface WriteState {
  /** Set in a serving process. */
  readonly probe: WriteProbe | undefined;
  readonly options: PostgresOptions;
  readonly timeoutMs: number;
  readonly waiting: PendingWrite[];
  /** Units in batches that are being committed. */
  inFlight: number;
  /**
   * How often in a row the watchdog found all writers busy. A count rather than a time: after a long turn of our own
   * event loop the time would blame the database.
   */
  busyChecks: number;
  isScheduled: boolean;
  isClosed: boolean;
  /** Called when the last write has ended. */
  onDrained: (() => void) | undefined;
}

const CLOCK = 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now';

interface Pools {
  readonly writers: Pool;
  readonly readers: Pool;
}

const isHung = ({ busyChecks, timeoutMs }: WriteState): boolean => busyChecks * WATCHDOG_MS > timeoutMs * HUNG_AFTER;
const countWrites = ({ inFlight, waiting }: WriteState): number => inFlight + waiting.length;

/** Resolves when a session has ended, however long the database is away. A session in a commit ends after it. */
const whenEnded = async (state: WriteState, readers: Pool, session: Session): Promise<void> => {
  for (;;) {
    if (state.isClosed) throw new Unavailable('the store is closed');
    if (await readers.run((connection) => endSession(connection, session)).catch(() => false)) return;
    await new Promise((done) => setTimeout(done, END_SESSION_EVERY_MS).unref());
  }
};

/** The error of a write that failed with `error`. */
const refusalOf = (state: WriteState, readers: Pool, error: unknown): Error => {
  if (!(error instanceof LostTransaction)) return new Unavailable('the store did not take the write');
  // Every connection of a pool has a session.
  const ended = whenEnded(state, readers, error.session as Session);
  ended.catch(() => {});
  return new UnknownOutcome(ended);
};

const commit = async (
  state: WriteState,
  { writers, readers }: Pools,
  batch: readonly PendingWrite[],
): Promise<void> => {
  const { options, waiting, probe } = state;
  const startedAt = performance.now();
  state.inFlight += batch.length;
  let outcomes: readonly (Outcome | Error)[] = [];
  try {
    const units = batch.map(({ unit }) => unit);
    outcomes = await writers.run((connection) => runBatch(connection, units));
    options.onCommit?.(batch.length, performance.now() - startedAt);
    probe?.succeeded();
  } catch (error) {
    options.onError?.(describeError(error));
    if (isStorageError(error)) probe?.failed(describeError(error));
    // When the database hangs, the waiting writes would only wait as long again and fail the same way.
    const untried = isHung(state) ? waiting.splice(0) : [];
    const refusal = refusalOf(state, readers, error);
    for (const { reject } of batch) reject(refusal);
    for (const { reject } of untried) reject(new Unavailable('the store did not take the write'));
  }
  // Not within `try`: an error of a caller must not reject units that are stored.
  for (const [at, outcome] of outcomes.entries()) {
    const write = batch[at] as PendingWrite;
    if (outcome instanceof Error) {
      options.onError?.(describeError(outcome));
      write.reject(refusalOf(state, readers, outcome));
    } else settleWrite(write, outcome);
  }
  state.inFlight -= batch.length;
  state.busyChecks = 0;
  if (countWrites(state) === 0) state.onDrained?.();
};

const commitWaiting = (state: WriteState, pools: Pools): void => {
  const { waiting } = state;
  const { writers } = pools;
  state.isScheduled = false;
  while (waiting.length > 0 && writers.hasFree()) void commit(state, pools, waiting.splice(0, MAX_UNITS));
  if (waiting.length > 0) writers.openMore();
};
/** Writes of the same turn of the event loop share a batch. */
const schedule = (state: WriteState, pools: Pools): void => {
  if (state.isScheduled) return;
  state.isScheduled = true;
  setImmediate(commitWaiting, state, pools);
};

/** Detects a hung database, and rejects writes that no connection took in time. */
const watch = (state: WriteState, writers: Pool): void => {
  const { waiting, timeoutMs } = state;
  state.busyChecks = writers.areAllBusy() ? state.busyChecks + 1 : 0;
  const oldest = performance.now() - timeoutMs;
  while (waiting[0] !== undefined && waiting[0].since < oldest)
    waiting.shift()?.reject(new Unavailable('the store took no write in time'));
  if (countWrites(state) === 0) state.onDrained?.();
};

const read = async <Row>(
  { onError }: PostgresOptions,
  readers: Pool,
  sql: string,
  params: readonly Value[],
): Promise<Row[]> => {
  const tryIt = async (): Promise<Row[]> =>
    (await readers.run((connection) => connection.run<Row>(prepared(sql), params))).rows;
  try {
    // Changes of partitions lock tables that a read may join in another order.
    return await tryIt().catch((error) => (isDeadlock(error) ? tryIt() : Promise.reject(error)));
  } catch (error) {
    onError?.(`a read failed: ${describeError(error)}`);
    if (isInvalidSql(error)) throw new Error(`a read has invalid SQL: ${describeError(error)}`);
    throw new Unavailable('the store could not be read');
  }
};

const makeBackend = async (options: PostgresOptions, isServing: boolean) => {
  const { url, timeoutMs = TIMEOUT_MS } = options;
  const writeProbe = (unit: Unit): Promise<unknown> => writers.run((connection) => runBatch(connection, [unit]));
  const state: WriteState = {
    probe: isServing ? makeWriteProbe(writeProbe) : undefined,
    options,
    timeoutMs,
    waiting: [],
    inFlight: 0,
    busyChecks: 0,
    isScheduled: false,
    isClosed: false,
    onDrained: undefined,
  };
  const { waiting } = state;
  // `pools` may not be assigned yet: a connection can be lost and replaced while the others open.
  const onFree = (): void => {
    if (waiting.length > 0) schedule(state, pools);
  };
  const [maxWriters, maxReaders] = isServing ? [WRITERS, READERS] : [FEW, FEW];
  const [writers, readers, longReaders, locks] = await Promise.all([
    makePool({ url, min: 1, max: maxWriters, timeoutMs, maxWaiting: 0, onFree }),
    makePool({ url, min: 1, max: maxReaders, timeoutMs, maxWaiting: MAX_READS_WAITING }),
    isServing ? makePool({ url, min: 0, max: LONG_READERS, timeoutMs, maxWaiting: LONG_READERS }) : undefined,
    makeLocks({ url, timeoutMs, isServing }),
  ]);
  const pools: Pools = { writers, readers };
  const watchdog = setInterval(watch, WATCHDOG_MS, state, writers).unref();
  const hasRoom = (): boolean =>
    !state.isClosed &&
    writers.isUp() &&
    (!isServing || locks.place() !== undefined) &&
    waiting.length < MAX_WAITING &&
    !isHung(state);

  const longReads = makeTurns(LONG_READERS, (message) => new Unavailable(message));
  const readLong = <Row>(tenant: number, sql: string, ...params: Value[]): Promise<Row[]> =>
    // Without a connection to the database, the other pool refuses at once; this one would wait.
    longReads.run(tenant, () => read<Row>(options, readers.isUp() ? (longReaders ?? readers) : readers, sql, params));
  const readRows: Backend['read'] = (sql, ...params) => read(options, readers, sql, params);
  const weeks = makeWeekKeeper({
    url,
    read: readRows,
    clock: options.clock ?? Date.now,
    onError: (message) => options.onError?.(message),
  });
  if (isServing) await weeks.start();
  const backend: Backend = {
    read: readRows,
    readLong,
    readPage: async <Row>(tenant: number, limit: number, sql: string, ...params: Value[]): Promise<Page<Row>> =>
      toPage(await readLong<Row & object>(tenant, `${sql} LIMIT ?`, ...params, limit + 1), limit),
    write: (unit) => {
      if (!hasRoom()) return Promise.reject(new Unavailable('the store takes no writes now'));
      return new Promise((resolve, reject) => {
        waiting.push({ unit, resolve, reject, since: performance.now() });
        schedule(state, pools);
      });
    },
    writeAll: (writes) => {
      if (!hasRoom()) for (const { reject } of writes) reject(new Unavailable('the store takes no writes now'));
      else {
        const since = performance.now();
        for (const { unit, resolve, reject } of writes) waiting.push({ unit, resolve, reject, since });
        commitWaiting(state, pools);
      }
    },
    close: async () => {
      if (state.isClosed) return;
      state.isClosed = true;
      if (countWrites(state) > 0) await new Promise<void>((done) => (state.onDrained = done));
      clearInterval(watchdog);
      state.probe?.stop();
      await weeks.stop();
      await Promise.all([writers.close(), readers.close(), longReaders?.close(), locks.close()]);
    },
    withLock: locks.withLock,
    tryWithLock: locks.tryWithLock,
    dropOld: weeks.dropOld,
  };
  return {
    backend,
    /** The clock of the database, in epoch milliseconds. */
    readClock: async (): Promise<number> => (await backend.read<{ now: number }>(CLOCK))[0]?.now ?? Number.NaN,
    hasRoom,
    problem: (): string | undefined => state.probe?.problem(),
    waiting: () => countWrites(state),
    readsWaiting: longReads.waiting,
    place: locks.place,
  };
};

export { migratePostgres };

/** Migrates the database and opens it as a store that many processes share. */
export const openPostgres = async (options: PostgresOptions) => {
  await migratePostgres(options.url);
  return makeBackend(options, true);
};

/** Opens the same store with few connections, for another thread, or for a command while the service runs. */
export const openPostgresRecords = async (options: PostgresOptions): Promise<Backend> =>
  (await makeBackend(options, false)).backend;
