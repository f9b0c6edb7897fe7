import { MINUTE_MS, makeLocalRateLimits, type RateLimitResult, type RateLimits } from '../rate-limits.ts';
import type { RedisClient } from './client.ts';

/**
 * A slice is the tokens of a tenth of a second: busy keys wait for Redis seldom, and little is withheld from other
 * processes.
 */
const SLICES_PER_MINUTE = 600;

/** The tokens of one bucket that this process has taken from Redis. */
interface Stock {
  /** Taken from the shared bucket and not used yet. */
  own: number;
  /** Left in the shared bucket at the last answer. */
  left: number;
  /** When Redis answered last, and until when the shared bucket is empty. */
  answeredAt: number;
  emptyUntil: number;
  readonly waiting: ((result: RateLimitResult) => void)[];
  isRefilling: boolean;
}

interface SharedLimits {
  readonly redis: RedisClient;
  readonly prefix: string;
  /** Used while Redis is unavailable. Counts all granted requests, so that an outage does not refill a bucket. */
  readonly local: ReturnType<typeof makeLocalRateLimits>;
  readonly stocks: Map<string, Stock>;
}

/** The bucket of one request. */
interface Bucket {
  readonly name: string;
  readonly perMinute: number;
  readonly now: number;
}

const keyOf = ({ prefix }: SharedLimits, name: string): string => `${prefix}:limit:{${name}}`;

const stockOf = ({ stocks }: SharedLimits, name: string): Stock => {
  let stock = stocks.get(name);
  if (stock === undefined) {
    stock = { own: 0, left: 0, answeredAt: 0, emptyUntil: 0, waiting: [], isRefilling: false };
    stocks.set(name, stock);
  }
  return stock;
};

const useOwn = ({ local }: SharedLimits, stock: Stock, { name, perMinute, now }: Bucket): RateLimitResult => {
  stock.own -= 1;
  local.take(name, perMinute, now);
  return { granted: true, left: stock.left + stock.own };
};

/** Takes tokens from the shared bucket. Undefined while Redis is unavailable. */
const takeShared = async (
  limits: SharedLimits,
  { name, perMinute, now }: Bucket,
  wanted: number,
): Promise<{ own: number; left: number } | undefined> => {
  const args = [String(now), String(perMinute), String(wanted)];
  try {
    const answer = await limits.redis.runScript('take', [keyOf(limits, name)], args);
    const [granted, left] = String(answer).split(' ');
    return { own: Number(granted), left: Number(left) };
  } catch {
    return undefined;
  }
};

/** Takes tokens for the waiting requests, and at least a slice. Never rejects. */
const refill = async (limits: SharedLimits, stock: Stock, bucket: Bucket): Promise<void> => {
  const { name, perMinute, now } = bucket;
  stock.isRefilling = true;
  const slice = Math.ceil(perMinute / SLICES_PER_MINUTE);
  const waitingBefore = stock.waiting.length;
  const wanted = Math.max(slice, waitingBefore);
  const taken = await takeShared(limits, bucket, wanted);
  stock.isRefilling = false;
  if (taken !== undefined) {
    stock.own += taken.own;
    stock.left = taken.left;
    stock.answeredAt = now;
    stock.emptyUntil = taken.own < wanted ? now + ((1 - taken.left) * MINUTE_MS) / perMinute : now;
  }
  // Requests that arrived during the call may find no token left, and cause another call.
  const answered = stock.waiting.splice(0, taken === undefined ? stock.waiting.length : waitingBefore);
  for (const answer of answered) {
    if (taken === undefined) answer(limits.local.take(name, perMinute, now));
    else if (stock.own >= 1) answer(useOwn(limits, stock, bucket));
    else answer({ granted: false, left: stock.left });
  }
  while (stock.waiting.length > 0 && stock.own >= 1) stock.waiting.shift()?.(useOwn(limits, stock, bucket));
  if (stock.waiting.length > 0) void refill(limits, stock, bucket);
};

const take = (limits: SharedLimits, bucket: Bucket): RateLimitResult | Promise<RateLimitResult> => {
  const { redis, local } = limits;
  const { name, perMinute, now } = bucket;
  const stock = stockOf(limits, name);
  if (stock.own >= 1) {
    const result = useOwn(limits, stock, bucket);
    const isLow = stock.own < Math.ceil(perMinute / SLICES_PER_MINUTE) / 2;
    if (isLow && stock.own > 0 && !stock.isRefilling && redis.canReach(keyOf(limits, name)))
      void refill(limits, stock, bucket);
    return result;
  }
  // After the clock was set back, `emptyUntil` means nothing.
  if (now >= stock.answeredAt && now < stock.emptyUntil)
    return { granted: false, left: stock.left + ((now - stock.answeredAt) * perMinute) / MINUTE_MS };
  if (!redis.canReach(keyOf(limits, name))) return local.take(name, perMinute, now);
  return new Promise((resolve) => {
    stock.waiting.push(resolve);
    if (!stock.isRefilling) void refill(limits, stock, bucket);
  });
};

/**
 * Buckets that all processes share, taken from in slices. A busy key costs Redis one command per tenth of a second.
 * Its requests do not wait while the next slice arrives before the last is used up. All processes together never
 * grant more than the bucket holds. While Redis is unavailable each process has a bucket of its own, which includes
 * the requests it granted before.
 */
export const makeSharedRateLimits = (redis: RedisClient, prefix: string): RateLimits => {
  const limits: SharedLimits = { redis, prefix, local: makeLocalRateLimits(), stocks: new Map() };
  return { take: (name, perMinute, now) => take(limits, { name, perMinute, now }) };
};
