import { Unavailable } from '../backend.ts';
import { connectPostgres, isReadOnly, type PostgresConnection, sessionOf, sqlStateOf } from './connection.ts';

export interface PoolOptions {
  readonly url: string;
  /** The pool keeps this many connections open, and opens up to `max` when work waits for them. */
  readonly min: number;
  readonly max: number;
  /** How long work may wait for a connection, and how long the server may take for a statement. */
  readonly timeoutMs: number;
  /** How long work may hold a connection; `timeoutMs` by default. */
  readonly holdMs?: number;
  readonly maxWaiting: number;
  /** Prepares a new connection. The connection is free when this resolves. */
  readonly onOpen?: (connection: PostgresConnection) => Promise<void>;
  /** A connection is free, and no work of `run` waits for it. */
  readonly onFree?: () => void;
}

interface Waiter {
  readonly start: (connection: PostgresConnection) => void;
  readonly giveUp: () => void;
  readonly since: number;
}

interface PoolState {
  readonly options: PoolOptions;
  readonly holdMs: number;
  readonly free: PostgresConnection[];
  /** Since when each busy connection is held. */
  readonly busy: Map<PostgresConnection, number>;
  readonly waiting: Waiter[];
  /** How many connections are open. */
  live: number;
  isOpening: boolean;
  retryMs: number;
  /** Set once the pool is closing. Called when no work is left. */
  onClosed: (() => void) | undefined;
}

const RETRY_MS = { first: 50, max: 1000 };
const WATCHDOG_MS = 100;
const READ_ONLY = '25006';
/**
 * Every statement here has an index, and joins few rows by it. The planner does not know: a partition of a new week was
 * analyzed with no or few rows, and it prices a probe by number as one probe of each partition. Left alone, it reads whole
 * partitions once per row, or joins them, which took seconds at a million screenings. A generic plan is made once per
 * connection: with a partition for each week, planning takes longer than reading. The compiler takes longer than both.
 * Groups of 50,000 items sort 5 MB, for which the default would use the disk.
 */
const SETTINGS = [
  // A write that waited for a row must see whether that row was committed.
  "SET default_transaction_isolation = 'read committed'",
  'SET enable_seqscan = off',
  'SET enable_mergejoin = off',
  'SET enable_hashjoin = off',
  'SET enable_material = off',
  'SET plan_cache_mode = force_generic_plan',
  'SET jit = off',
  "SET work_mem = '16MB'",
].join('; ');

const addConnection = async (state: PoolState): Promise<void> => {
  const { options, holdMs, free } = state;
  let connection: PostgresConnection | undefined;
  const onLost = (): void => {
    if (connection === undefined) return;
    state.live--;
    const at = free.indexOf(connection);
    if (at >= 0) free.splice(at, 1);
    serve(state);
  };
  const opened = await connectPostgres({ url: options.url, statementMs: options.timeoutMs, onLost });
  // Not in `busy` yet, so the watchdog misses it; one hung handshake would block every connect.
  const timeout = setTimeout(opened.destroy, holdMs + 2 * WATCHDOG_MS).unref();
  try {
    const [readOnly, session] = await Promise.all([isReadOnly(opened), sessionOf(opened), opened.exec(SETTINGS)]);
    if (readOnly) throw new Unavailable('the database takes no writes');
    opened.session = session;
    await options.onOpen?.(opened);
    // It may have been lost in the same turn in which it became ready. Counted as live, it would never be replaced.
    if (opened.isLost()) throw new Unavailable('the connection was lost while it was opened');
  } catch (error) {
    opened.destroy();
    throw error;
  } finally {
    clearTimeout(timeout);
  }
  connection = opened;
  state.live++;
  free.push(connection);
};

const open = async (state: PoolState): Promise<void> => {
  state.isOpening = true;
  try {
    await addConnection(state);
    state.retryMs = RETRY_MS.first;
  } catch {
    await new Promise((done) => setTimeout(done, state.retryMs).unref());
    state.retryMs = Math.min(state.retryMs * 2, RETRY_MS.max);
  }
  state.isOpening = false;
  serve(state);
};
const openMore = (state: PoolState): void => {
  if (!state.isOpening && state.live < state.options.max) void open(state);
};

/** Hands free connections to waiting work, and opens more where needed. */
const serve = (state: PoolState): void => {
  const { options, free, busy, waiting } = state;
  while (free.length > 0 && waiting.length > 0) waiting.shift()?.start(free.pop() as PostgresConnection);
  if (state.onClosed !== undefined) {
    for (const connection of free.splice(0)) void connection.end();
    if (busy.size === 0 && waiting.length === 0) state.onClosed();
    return;
  }
  if (state.live < options.min || waiting.length > 0) openMore(state);
  if (free.length > 0) options.onFree?.();
};

/** Destroys connections that are held too long, and rejects work that has waited too long. */
const watch = (state: PoolState): void => {
  const { options, holdMs, busy, waiting } = state;
  const now = performance.now();
  // A little later than the server's own timeout, which ends the statement but keeps the connection usable. And one
  // turn of the event loop later: after a long turn the answer may have arrived without having been read.
  for (const [connection, since] of busy)
    if (now - since > holdMs + 2 * WATCHDOG_MS)
      setImmediate(() => busy.get(connection) === since && connection.destroy());
  while (waiting[0] !== undefined && now - waiting[0].since > options.timeoutMs) waiting.shift()?.giveUp();
  if (state.onClosed !== undefined) serve(state);
};

type Work<T> = (connection: PostgresConnection) => Promise<T>;

const lend = async <T>(state: PoolState, connection: PostgresConnection, work: Work<T>): Promise<T> => {
  const { busy, free } = state;
  busy.set(connection, performance.now());
  try {
    return await work(connection);
  } catch (error) {
    // The server has become a standby. A new connection may lead to the new primary.
    if (sqlStateOf(error) === READ_ONLY) connection.destroy();
    throw error;
  } finally {
    busy.delete(connection);
    if (!connection.isLost()) free.push(connection);
    serve(state);
  }
};

const run = <T>(state: PoolState, work: Work<T>): Promise<T> => {
  const { options, free, waiting } = state;
  const connection = free.pop();
  if (connection !== undefined) return lend(state, connection, work);
  const isDown = state.onClosed !== undefined || state.live < Math.min(options.min, 1);
  if (isDown || waiting.length >= options.maxWaiting)
    return Promise.reject(new Unavailable('no connection to the store is free'));
  return new Promise((resolve, reject) => {
    waiting.push({
      since: performance.now(),
      start: (connection) => lend(state, connection, work).then(resolve, reject),
      giveUp: () => reject(new Unavailable('no connection to the store became free in time')),
    });
    serve(state);
  });
};

/**
 * Connections, each lent to one piece of work at a time. A lost connection is replaced, however long that takes. Work
 * that waits or runs too long is rejected and its connection destroyed, so that nothing piles up behind a database
 * that does not answer.
 */
export const makePool = async (options: PoolOptions) => {
  const state: PoolState = {
    options,
    holdMs: options.holdMs ?? options.timeoutMs,
    free: [],
    busy: new Map(),
    waiting: [],
    live: 0,
    isOpening: false,
    retryMs: RETRY_MS.first,
    onClosed: undefined,
  };
  // One after the other: if the first fails, no other is left open.
  for (let number = 0; number < options.min; number++) await addConnection(state);
  const watchdog = setInterval(watch, WATCHDOG_MS, state).unref();
  return {
    /** Lends a connection to `work` until it resolves. */
    run: <T>(work: Work<T>): Promise<T> => run(state, work),
    hasFree: () => state.free.length > 0,
    /** Opens another connection, for work that waits outside of `run`. */
    openMore: () => openMore(state),
    isUp: () => state.live > 0,
    areAllBusy: () => state.live > 0 && state.free.length === 0,
    /** Waits for the work in progress, then closes all connections. */
    close: async (): Promise<void> => {
      await new Promise<void>((done) => {
        state.onClosed = done;
        serve(state);
      });
      clearInterval(watchdog);
    },
  };
};
export type Pool = Awaited<ReturnType<typeof makePool>>;
