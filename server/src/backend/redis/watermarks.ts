import type { RedisClient } from './client.ts';
import type { Keys } from './keys.ts';

/**
 * One watermark per process (a writer): every record it counted below the watermark is settled, that is, its
 * screening was stored or cancelled. Settling each record of each entity would cost as much as counting it. A record
 * names its writer, so a reader knows which records of a tail may be compacted.
 */
const MAX_WRITERS = 255;
/** Writer of records that are settled one by one. */
export const NO_WRITER = 0;
const PUBLISH_EVERY_MS = 20;
/** Sequence numbers per millisecond. */
const SEQS_PER_MS = 4096;
/**
 * Older records count as settled, whichever process wrote them: it has ended. A process that is cut off from Redis for
 * longer would count its retries twice.
 */
const FORGOTTEN_AFTER = 24 * 3_600_000 * SEQS_PER_MS;

/** A counted screening that is neither stored nor cancelled yet, or whose updates have not all arrived in Redis. */
export interface UnsettledScreening {
  readonly seq: number;
  /** Events left until it is settled. */
  left: number;
}

interface WatermarkState {
  readonly redis: RedisClient;
  readonly keys: Keys;
  writer: number;
  /** Our screenings in the order of their sequence numbers. Those before `first` are settled. */
  unsettled: UnsettledScreening[];
  first: number;
  newest: number;
  /** The watermarks of all writers, by number, as last read. */
  published: Map<number, number>;
  isPublishing: boolean;
  publishedAt: number;
}

const ownWatermark = (state: WatermarkState): number => {
  const { unsettled } = state;
  while (state.first < unsettled.length && (unsettled[state.first] as UnsettledScreening).left <= 0) state.first++;
  if (state.first > 1000) {
    state.unsettled = unsettled.slice(state.first);
    state.first = 0;
  }
  return state.unsettled[state.first]?.seq ?? state.newest + 1;
};

const readPublished = (state: WatermarkState, fields: readonly unknown[]): void => {
  const { redis, keys } = state;
  state.published = new Map();
  for (let i = 0; i + 1 < fields.length; i += 2) state.published.set(Number(fields[i]), Number(fields[i + 1]));
  for (const [writer, watermark] of state.published)
    if (writer !== state.writer && state.newest - watermark > FORGOTTEN_AFTER)
      redis.send((client) => client.hdel(keys.watermarks, String(writer))).catch(() => {});
};

const publish = async (state: WatermarkState): Promise<void> => {
  const { redis, keys } = state;
  state.isPublishing = true;
  state.publishedAt = performance.now();
  try {
    if (state.writer === NO_WRITER)
      state.writer = 1 + (Number(await redis.send((client) => client.incr(keys.writers))) % MAX_WRITERS);
    const [, fields] = await Promise.all([
      redis.send((client) => client.hset(keys.watermarks, String(state.writer), String(ownWatermark(state)))),
      redis.send((client) => client.call('HGETALL', keys.watermarks) as Promise<unknown>),
    ]);
    readPublished(state, Array.isArray(fields) ? fields : Object.entries(fields as object).flat());
  } catch {
    // Published again soon. Until then tails grow a little.
  } finally {
    state.isPublishing = false;
  }
};

const isSettled = (state: WatermarkState, writer: number, seq: number): boolean => {
  const watermark = writer === state.writer ? ownWatermark(state) : (state.published.get(writer) ?? 0);
  return (writer !== NO_WRITER && seq < watermark) || state.newest - seq > FORGOTTEN_AFTER;
};

export const makeWatermarks = (redis: RedisClient, keys: Keys) => {
  const state: WatermarkState = {
    redis,
    keys,
    writer: NO_WRITER,
    unsettled: [],
    first: 0,
    newest: 0,
    published: new Map(),
    isPublishing: false,
    publishedAt: Number.NEGATIVE_INFINITY,
  };
  return {
    writer: (): number => state.writer,
    /** Registers a screening that is being counted. Calls are in the order of sequence numbers. */
    begin: (seq: number): UnsettledScreening => {
      const screening = { seq, left: 1 };
      state.newest = Math.max(state.newest, seq);
      state.unsettled.push(screening);
      return screening;
    },
    isSettled: (writer: number, seq: number): boolean => isSettled(state, writer, seq),
    /** Publishes our watermark and reads the others', unless it did so a moment ago. */
    publishIfDue: (): void => {
      const isDue = !state.isPublishing && performance.now() - state.publishedAt >= PUBLISH_EVERY_MS;
      if (isDue && redis.isAvailable()) void publish(state);
    },
    isPublishing: (): boolean => state.isPublishing,
    /** Gets a writer number before the first screening is counted. */
    start: (): Promise<void> => publish(state),
  };
};
export type Watermarks = ReturnType<typeof makeWatermarks>;
