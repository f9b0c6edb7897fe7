/** Whether a request was granted, and how many are left in the bucket. */
export interface RateLimitResult {
  readonly granted: boolean;
  readonly left: number;
}

/**
 * Limits requests by a token bucket per name. A bucket is full at first, holds the requests of one minute and refills
 * steadily.
 */
export interface RateLimits {
  /** Takes one request from the bucket of a name. Returns at once where no other process needs to be consulted. */
  take(name: string, perMinute: number, now: number): RateLimitResult | Promise<RateLimitResult>;
}

export const MINUTE_MS = 60_000;

/** Buckets in the memory of this process. A restart fills them again. */
export const makeLocalRateLimits = () => {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take: (name: string, perMinute: number, now: number): RateLimitResult => {
      const bucket = buckets.get(name) ?? { left: perMinute, at: now };
      bucket.left = Math.min(perMinute, bucket.left + (Math.max(0, now - bucket.at) * perMinute) / MINUTE_MS);
      bucket.at = now;
      buckets.set(name, bucket);
      const granted = bucket.left >= 1;
      if (granted) bucket.left -= 1;
      return { granted, left: bucket.left };
    },
  } satisfies RateLimits;
};
