import {
  type Arena,
  type Facts,
  type IdentitiesOf,
  type LabelEffect,
  makeArena,
  type Profile,
} from '@portcullis/engine';
import type { Backend } from '../backend.ts';
import type { CountedScreening, Counters, DecideGathered } from '../counters.ts';
import { isErased } from '../erased-request.ts';
import { makeRestoreSubject, type RestoreSubject, type StoredSubject } from '../journal.ts';
import { makeServiceIdentities } from '../service-identities.ts';
import type { BacklogRegistry } from './backlog-registry.ts';
import { type Batches, makeBatches } from './batch.ts';
import { connectRedis, type RedisClient } from './client.ts';
import { type Completeness, makeCompleteness } from './completeness.ts';
import { forgetEntities } from './forget.ts';
import { type HealthCheck, makeHealthCheck } from './health-check.ts';
import { type Keys, makeKeys } from './keys.ts';
import { makeLossDetector } from './loss-detector.ts';
import { makePast } from './past.ts';
import { readProfile } from './profile.ts';
import type { Compaction } from './record.ts';
import { makeRepair, type Repair } from './repair.ts';
import { makeRetryQueue, type RetryQueue } from './retry-queue.ts';
import { cancel, countDown } from './settle.ts';
import { compactStep, labelUpdate, updateOf } from './updates.ts';
import { readUser } from './user.ts';
import { makeWatermarks, type Watermarks } from './watermarks.ts';
import { makeWriteOutcomes, type WriteOutcomes } from './write-outcomes.ts';

export interface RedisCountersOptions {
  readonly url: string;
  /** The prefix of all keys. Installations that share a Redis must have different prefixes. */
  readonly prefix: string;
  /** The key of the hash that finds histories. */
  readonly identityKey: Uint8Array;
  /** The stored screenings and labels. */
  readonly journal: Pick<Backend, 'read'>;
  /** Whether any screening was ever stored: then missing histories were lost. */
  readonly hasStored: () => Promise<boolean>;
  /** Whether a screening or label is stored. */
  readonly isStored: (seq: number) => Promise<boolean>;
  readonly backlogRegistry: BacklogRegistry;
  readonly clock?: () => number;
  /** Called once each time a problem begins, and once when Redis is available again. */
  readonly onError: (message: string) => void;
  readonly onRecovered: (message: string) => void;
  /** Called for a setting that will cause a problem. */
  readonly onWarning: (message: string) => void;
  /**
   * For tests: the timeout of a call, the time between health checks, the size of the retry queue, and the number of
   * records at which a tail is compacted.
   */
  readonly timeoutMs?: number;
  readonly checkEveryMs?: number;
  readonly maxBytes?: number;
  readonly compactFrom?: () => number | undefined;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Rejections are reported at most this often, and again as long as they last. */
const REJECTED_MS = 30_000;
const CLOSING_MS = 2000;
/**
 * With more batches in flight no more screenings are taken. A server that answers in time never has so many at once.
 */
const MAX_IN_FLIGHT = 500;

interface CountersState {
  readonly options: RedisCountersOptions;
  readonly keys: Keys;
  readonly redis: RedisClient;
  readonly watermarks: Watermarks;
  readonly queue: RetryQueue;
  readonly healthCheck: HealthCheck;
  readonly completeness: Completeness;
  readonly outcomes: WriteOutcomes;
  readonly repair: Repair;
  readonly identities: IdentitiesOf;
  readonly restore: RestoreSubject;
  /** For reading profiles. */
  readonly arena: Arena;
  /** Keys with a compaction in flight: other readers of the same tail need not compact it too. */
  readonly compacting: Set<string>;
  screeningsWithoutHistories: number;
  compactions: number;
}

const connect = (options: RedisCountersOptions, keys: Keys, onReconnect: () => void): Promise<RedisClient> => {
  let rejectedAt = Number.NEGATIVE_INFINITY;
  return connectRedis({
    url: options.url,
    key: keys.marker(0),
    timeoutMs: options.timeoutMs,
    onUnavailable: (reason) =>
      options.onError(`Redis is unavailable (${reason}): screening continues without histories`),
    onAvailable: (unavailableMs) => {
      options.onRecovered(
        `Redis is available again after ${unavailableMs} ms: histories are read again, and queued updates are sent`,
      );
      onReconnect();
    },
    onRejected: (reason) => {
      if (Date.now() - rejectedAt < REJECTED_MS) return;
      rejectedAt = Date.now();
      options.onError(`Redis rejected a command (${reason}): some histories are unavailable`);
    },
  });
};

const compact = (state: CountersState, key: string, compaction: Compaction): void => {
  const { compacting, queue } = state;
  if (compacting.has(key)) return;
  compacting.add(key);
  state.compactions++;
  const onDone = (): void => void compacting.delete(key);
  queue.push(updateOf([[key, compactStep(compaction)]], { onDone, isOptional: true }));
};
const compactProfile = async (state: CountersState, key: string): Promise<void> => {
  const { redis, arena, watermarks } = state;
  const value = await redis.send((client) => client.getBuffer(key));
  arena.clear();
  if (value === null) return;
  try {
    readProfile(arena, value, watermarks.isSettled, (compaction) => compact(state, key, compaction));
  } catch {
    state.repair.report(key, value);
  }
};

const makeScreeningBatches = (state: CountersState): Batches => {
  const { redis, keys, watermarks, completeness, queue, outcomes, options } = state;
  return makeBatches(
    { redis, keys, watermarks, completeness },
    {
      onCorrections: ({ steps, screenings }) => void queue.send(updateOf(steps, countDown(...screenings))),
      onRenewals: (steps) => queue.push(updateOf(steps)),
      onGathered: outcomes.follow,
      onFailed: (screening) => cancel(queue, screening),
      onPartial: () => void state.screeningsWithoutHistories++,
      onDamaged: state.repair.report,
      onLong: (key, compaction) => compact(state, key, compaction),
      ...(options.compactFrom === undefined ? {} : { compactFrom: options.compactFrom }),
    },
  );
};

/** Sends the remaining updates for a while, then disconnects. */
const close = async (state: CountersState, batches: Batches): Promise<void> => {
  const { queue, redis, outcomes, healthCheck, options } = state;
  const until = Date.now() + CLOSING_MS;
  const isDone = (): boolean =>
    outcomes.pending() === 0 &&
    outcomes.unknown() === 0 &&
    batches.isIdle() &&
    !queue.isSending() &&
    (queue.isIdle() || !redis.isAvailable());
  while (!isDone() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
  await healthCheck
    .close()
    .catch((error: unknown) => options.onError(`the updates left could not be registered as lost: ${String(error)}`));
  redis.close();
};

const openState = async (options: RedisCountersOptions): Promise<CountersState> => {
  const keys = makeKeys(options.prefix);
  const { backlogRegistry, onError, onWarning, maxBytes, clock = Date.now, isStored } = options;
  let onReconnect = (): void => {};
  const redis = await connect(options, keys, () => onReconnect());
  const watermarks = makeWatermarks(redis, keys);
  if (redis.isAvailable()) await watermarks.start();
  const queue = makeRetryQueue(redis, {
    onLongProfile: (key) => void compactProfile(state, key).catch(() => {}),
    onQueued: () => healthCheck.onQueued(),
    onLost: () => healthCheck.onLost(),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const lossDetector = makeLossDetector(redis, keys, options.hasStored, clock);
  const onUnknown = (): void => healthCheck.onQueued();
  const outcomes = makeWriteOutcomes({ queue, keys, watermarks, isStored, onUnknown, onError });
  const hasBacklog = (): boolean => queue.stats().queued > 0 || outcomes.unknown() > 0;
  const { checkEveryMs } = options;
  const health = { redis, lossDetector, backlogRegistry, hasBacklog, clock, onError, onWarning, checkEveryMs };
  const healthCheck = makeHealthCheck(health);
  const identities = makeServiceIdentities(options.identityKey);
  const restore = makeRestoreSubject(identities);
  const state: CountersState = {
    options,
    identities,
    restore,
    repair: makeRepair({ ...options, redis, keys, restore, clock }),
    keys,
    redis,
    watermarks,
    queue,
    healthCheck,
    completeness: makeCompleteness(redis, keys, clock, () => void healthCheck.check()),
    outcomes,
    arena: makeArena(2 ** 12),
    compacting: new Set(),
    screeningsWithoutHistories: 0,
    compactions: 0,
  };
  await healthCheck.check();
  onReconnect = () => {
    void healthCheck.check();
    void queue.drain().then(healthCheck.check);
  };
  return state;
};

/**
 * Histories and profiles in Redis, shared by all processes. Without Redis, screening continues without them, and
 * updates are queued.
 */
export const openRedisCounters = async (options: RedisCountersOptions) => {
  const state = await openState(options);
  const { keys, redis, watermarks, queue, completeness, outcomes, healthCheck, arena, compacting } = state;
  const batches = makeScreeningBatches(state);
  const { identities, restore, repair } = state;
  const onLongProfile = (key: string): void => void compactProfile(state, key).catch(() => {});
  const userReader = {
    redis,
    keys,
    completeness,
    identities,
    arena,
    isSettled: watermarks.isSettled,
    onDamaged: repair.report,
  };
  const { journal, backlogRegistry, clock = Date.now } = options;
  const forgetter = { redis, keys, restore, journal, backlogRegistry, clock, isSettled: watermarks.isSettled };
  return {
    count: <T extends CountedScreening>(
      screenings: readonly T[],
      decide: DecideGathered<T>,
      fail: (screening: T, error: unknown) => void,
    ): void => {
      for (const counted of screenings) {
        const { tenant, subject, seq } = counted;
        batches.add({
          counted,
          decide: decide as DecideGathered<CountedScreening>,
          fail: fail as (screening: CountedScreening, error: unknown) => void,
          tenant,
          subject,
          seq,
          entities: [],
          unsettled: undefined,
          isNewDay: false,
        });
      }
    },
    /**
     * Counts a label once it is stored. Resolves once it is counted, so that the next screening of any process sees
     * it.
     */
    label: <T>(
      tenant: number,
      of: StoredSubject,
      label: LabelEffect | undefined,
      seq: number,
      write: () => Promise<T>,
    ): Promise<T> =>
      outcomes.writeThenCount(seq, write, async () => {
        if (label !== undefined && !isErased(of))
          await queue.send(labelUpdate(keys, tenant, restore(tenant, of).subject, label, seq));
      }),
    ...makePast({ redis, keys, batches, restore, onLongProfile }),
    forget: (...of: Parameters<Counters['forget']>) => forgetEntities(forgetter, ...of),
    user: (tenant: number, userId: string, now: number, facts: Facts): Promise<Profile | undefined> => {
      queue.flush();
      return readUser(userReader, tenant, userId, now, facts);
    },
    redis,
    /** True even while Redis is unavailable, since screening continues. */
    isReady: (): boolean => batches.inFlight() < MAX_IN_FLIGHT,
    /** Whether Redis has taken every update. */
    isIdle: (): boolean =>
      outcomes.unknown() === 0 &&
      batches.isIdle() &&
      queue.isIdle() &&
      compacting.size === 0 &&
      !watermarks.isPublishing(),
    stats: () => ({
      isAvailable: redis.isAvailable(),
      screeningsWithoutHistories: state.screeningsWithoutHistories,
      compactions: state.compactions,
      damaged: repair.damaged(),
      rebuilding: repair.repairing(),
      ...healthCheck.stats(),
      ...queue.stats(),
    }),
    close: (): Promise<void> => close(state, batches),
  } satisfies Counters & Record<string, unknown>;
};
export type RedisCounters = Awaited<ReturnType<typeof openRedisCounters>>;
