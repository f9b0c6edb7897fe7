import type { RedisClient } from './client.ts';
import { CommandRejected } from './connection.ts';
import { markRetry, splitByKey, type Update } from './updates.ts';

/**
 * How long updates wait to share a call with others: a call costs as much as some screenings, and no caller waits for
 * it.
 */
const GATHER_MS = 2;
/** Most updates in one call. */
const MAX_UPDATES = 64;
/** Most sent updates that stay in the list before it is shortened. */
const MAX_SENT = 10_000;
/**
 * Some forty thousand screenings, a minute or two of a busy process. With their objects they take twice as much
 * memory.
 */
const MAX_BYTES = 64 * 1024 * 1024;

interface QueueHooks {
  readonly onLongProfile: (key: string) => void;
  readonly onQueued: () => void;
  readonly onLost: () => void;
  readonly maxBytes?: number;
}

interface QueueState {
  readonly redis: RedisClient;
  readonly hooks: QueueHooks;
  readonly maxBytes: number;
  /** Updates that have not been sent yet. */
  readonly gathered: Update[];
  isScheduled: boolean;
  inFlight: number;
  /** Updates that Redis did not take, in order, from `first` on. */
  queue: Update[];
  first: number;
  queuedBytes: number;
  lost: number;
  isDraining: boolean;
  /** Most queued updates in the next call. A call that a slow server did not finish in time is repeated in parts. */
  most: number;
}

const sizeOf = ({ keys, bytes, next }: Update): number =>
  bytes.length + 120 * keys.length + (next === undefined ? 0 : next.bytes.length);

const queueLength = ({ queue, first }: QueueState): number => queue.length - first;

const takeQueued = (state: QueueState): Update[] => {
  const taken = state.queue.slice(state.first, state.first + state.most);
  state.first += taken.length;
  for (const update of taken) state.queuedBytes -= sizeOf(update);
  // Not every time: the queue may hold a hundred thousand.
  if (queueLength(state) === 0 || state.first >= MAX_SENT) {
    state.queue = state.queue.slice(state.first);
    state.first = 0;
  }
  return taken;
};

const finish = ({ onDone, next }: Update): void => {
  onDone?.();
  if (next !== undefined) finish(next);
};
const drop = (state: QueueState, update: Update): void => {
  if (update.isOptional !== true) {
    state.lost++;
    state.hooks.onLost();
  }
  finish(update);
};
const enqueue = (state: QueueState, update: Update): void => {
  const size = sizeOf(update);
  if (update.isOptional === true || state.queuedBytes + size > state.maxBytes) drop(state, update);
  else {
    markRetry(update);
    state.queue.push(update);
    state.queuedBytes += size;
    state.hooks.onQueued();
  }
};

/**
 * Sends rejected updates one by one, and a single one key by key, so that only the failing step is lost. The steps
 * before it have been applied already, so all of them are marked as retries.
 */
const sendApart = async (state: QueueState, updates: readonly Update[]): Promise<void> => {
  updates.forEach(markRetry);
  const parts = updates.length > 1 ? updates : updates.flatMap(splitByKey);
  if (parts.length === 1) drop(state, parts[0] as Update);
  else await Promise.all(parts.map((update) => sendTogether(state, [update])));
};
const sendTogether = async (state: QueueState, updates: readonly Update[]): Promise<void> => {
  const { redis, hooks } = state;
  const keys = updates.flatMap((update) => update.keys);
  const bytes = updates.length === 1 ? (updates[0] as Update).bytes : Buffer.concat(updates.map((one) => one.bytes));
  state.inFlight++;
  try {
    const long = (await redis.runScript('apply', keys, [bytes])) as number[];
    for (const index of long) hooks.onLongProfile(keys[index - 1] as string);
    for (const { next, onDone } of updates) {
      if (next !== undefined) push(state, next);
      onDone?.();
    }
  } catch (error) {
    if (!(error instanceof CommandRejected)) for (const update of updates) enqueue(state, update);
    else await sendApart(state, updates);
  } finally {
    state.inFlight--;
  }
};
const send = (state: QueueState, updates: readonly Update[]): Promise<unknown> =>
  state.redis.isCluster()
    ? Promise.all(updates.flatMap(splitByKey).map((update) => sendTogether(state, [update])))
    : sendTogether(state, updates);

const flush = (state: QueueState): void => {
  state.isScheduled = false;
  while (state.gathered.length > 0) void send(state, state.gathered.splice(0, MAX_UPDATES));
};
const push = (state: QueueState, update: Update): void => {
  state.gathered.push(update);
  if (state.isScheduled) return;
  state.isScheduled = true;
  setTimeout(flush, GATHER_MS, state);
};
const drain = async (state: QueueState): Promise<void> => {
  if (state.isDraining) return;
  state.isDraining = true;
  while (queueLength(state) > 0 && state.redis.isAvailable()) {
    await send(state, takeQueued(state));
    state.most = state.redis.isAvailable() ? Math.min(state.most * 2, MAX_UPDATES) : Math.ceil(state.most / 2);
  }
  state.isDraining = false;
};

/**
 * Sends updates that no caller waits for: the outcomes of counted screenings, and the updates that Redis missed while
 * it was unavailable. Updates that Redis does not take are queued, up to a limit, and retried when it answers.
 */
export const makeRetryQueue = (redis: RedisClient, hooks: QueueHooks) => {
  const state: QueueState = {
    redis,
    hooks,
    maxBytes: hooks.maxBytes ?? MAX_BYTES,
    gathered: [],
    isScheduled: false,
    inFlight: 0,
    queue: [],
    first: 0,
    queuedBytes: 0,
    lost: 0,
    isDraining: false,
    most: MAX_UPDATES,
  };
  const isSending = (): boolean => state.gathered.length > 0 || state.inFlight > 0;
  return {
    /** Sends an update soon, together with all others of some milliseconds. */
    push: (update: Update): void => push(state, update),
    /** Sends all gathered updates now: a command sent after it sees them. */
    flush: (): void => flush(state),
    /** Sends an update now. Resolves when it has arrived or is queued. */
    send: (update: Update): Promise<unknown> => send(state, [update]),
    /** Retries the queued updates for as long as Redis answers. */
    drain: (): Promise<void> => drain(state),
    isSending,
    isIdle: (): boolean => !isSending() && queueLength(state) === 0,
    /** Updates that are queued, and updates that were rejected or found the queue full. */
    stats: () => ({ queued: queueLength(state), lost: state.lost }),
  };
};
export type RetryQueue = ReturnType<typeof makeRetryQueue>;
