import type { BacklogRegistry } from './backlog-registry.ts';
import type { RedisClient } from './client.ts';
import type { LossDetector } from './loss-detector.ts';

const CHECK_EVERY_MS = 5000;
/** A registered process that has not renewed its entry for this long has ended, and its queued updates are lost. */
const ALIVE_MS = 60_000;

export interface HealthCheckOptions {
  readonly redis: RedisClient;
  readonly lossDetector: LossDetector;
  readonly backlogRegistry: BacklogRegistry;
  /** Whether updates are queued that Redis has not taken. */
  readonly hasBacklog: () => boolean;
  readonly clock: () => number;
  readonly onError: (message: string) => void;
  readonly onWarning: (message: string) => void;
  readonly checkEveryMs?: number | undefined;
}

interface HealthState {
  readonly options: HealthCheckOptions;
  isComplete: boolean;
  /** Updates were lost, and the markers in Redis do not record it yet. */
  hasUnmarkedLoss: boolean;
  isRegistered: boolean;
  /** The eviction policy of a server that may evict keys. */
  eviction: string | undefined;
  checking: Promise<void> | undefined;
}

/** The eviction policy of a server; undefined where it evicts nothing, or does not report a policy. */
const evictionOf = (info: string): string | undefined => {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  const isLimited = !/^maxmemory:0\s/m.test(info);
  return isLimited && policy !== 'noeviction' ? policy : undefined;
};

/** Registers a backlog, so that other processes know of the loss if this one ends before Redis is back. */
const updateRegistry = async (state: HealthState): Promise<void> => {
  const { hasBacklog, backlogRegistry, clock } = state.options;
  if (hasBacklog()) {
    state.isRegistered = true;
    await backlogRegistry.register(clock() + ALIVE_MS);
  } else if (state.isRegistered) {
    await backlogRegistry.unregister();
    state.isRegistered = false;
  }
};

const markLosses = async (state: HealthState): Promise<void> => {
  const { backlogRegistry, lossDetector, clock } = state.options;
  const ended = await backlogRegistry.findEnded(clock());
  if (state.hasUnmarkedLoss || ended.length > 0) await lossDetector.markLost();
  state.hasUnmarkedLoss = false;
  for (const process of ended) await backlogRegistry.remove(process);
};

const checkMarkers = async (state: HealthState): Promise<void> => {
  const wasComplete = state.isComplete;
  state.isComplete = (await state.options.lossDetector.check()) && !state.hasUnmarkedLoss;
  if (wasComplete && !state.isComplete)
    state.options.onError(
      'Redis has lost histories: decisions list them as unavailable until `portcullis rebuild` has run',
    );
};

const checkMemory = async (state: HealthState): Promise<void> => {
  const { redis, onWarning } = state.options;
  const infos = await Promise.all(redis.servers().map((server) => redis.send(() => server.info('memory'))));
  const before = state.eviction;
  state.eviction = infos.map(evictionOf).find((policy) => policy !== undefined);
  if (state.eviction !== undefined && state.eviction !== before)
    onWarning(
      `Redis evicts histories when its memory is full (maxmemory-policy ${state.eviction}): set it to noeviction`,
    );
};

const runChecks = async (state: HealthState): Promise<void> => {
  const redisChecks = state.options.redis.isAvailable() ? [markLosses, checkMarkers, checkMemory] : [];
  for (const check of [updateRegistry, ...redisChecks])
    try {
      await check(state);
    } catch {
      // Checked again at the next run. The Redis client, or other users of the store, report the error.
    }
  state.checking = undefined;
};
const check = (state: HealthState): Promise<void> => {
  state.checking ??= runChecks(state);
  return state.checking;
};

const close = async (state: HealthState): Promise<void> => {
  const { hasBacklog, backlogRegistry, lossDetector, redis, onError } = state.options;
  await state.checking;
  if (hasBacklog()) {
    onError('The process ends with updates that Redis has not taken. Run `portcullis rebuild` to count them');
    await backlogRegistry.register(0);
  } else if (state.isRegistered) await backlogRegistry.unregister();
  if (redis.isAvailable()) await lossDetector.leave();
};

/** Checks Redis regularly, even without traffic: that it answers, holds all that was counted, and evicts nothing. */
export const makeHealthCheck = (options: HealthCheckOptions) => {
  const state: HealthState = {
    options,
    isComplete: true,
    hasUnmarkedLoss: false,
    isRegistered: false,
    eviction: undefined,
    checking: undefined,
  };
  const timer = setInterval(check, options.checkEveryMs ?? CHECK_EVERY_MS, state);
  timer.unref();
  return {
    check: (): Promise<void> => check(state),
    /** An update was queued. Registered at once, because the process may end at any moment. */
    onQueued: (): void => {
      if (!state.isRegistered) updateRegistry(state).catch(() => {});
    },
    /** An update was lost. */
    onLost: (): void => {
      if (!state.hasUnmarkedLoss)
        options.onError(
          'Redis did not take all updates, and some were dropped. Run `portcullis rebuild` to count them',
        );
      state.hasUnmarkedLoss = true;
      state.isComplete = false;
    },
    stats: () => ({ isComplete: state.isComplete, mayEvict: state.eviction !== undefined }),
    /** Stops the checks, and registers a backlog that is left. */
    close: (): Promise<void> => {
      clearInterval(timer);
      return close(state);
    },
  };
};
export type HealthCheck = ReturnType<typeof makeHealthCheck>;
