import { ApiError } from '../http/errors.ts';

interface Bucket {
  tokens: number;
  at: number;
}

/** A bucket per key that refills steadily, so that a minute's requests need not wait for the minute to end. */
export const makeRateLimit = (clock: () => number) => {
  const buckets = new Map<string, Bucket>();
  /** Takes one request from the bucket; headers to send, or the refusal. */
  return (keyId: string, perMinute: number): Record<string, string> => {
    const now = clock();
    const bucket = buckets.get(keyId) ?? { tokens: perMinute, at: now };
    bucket.tokens = Math.min(perMinute, bucket.tokens + (Math.max(0, now - bucket.at) * perMinute) / 60_000);
    bucket.at = now;
    buckets.set(keyId, bucket);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    const untilOne = Math.max(1, Math.ceil(((1 - bucket.tokens) * 60) / perMinute));
    const headers = {
      'RateLimit-Limit': String(perMinute),
      'RateLimit-Remaining': String(Math.max(0, Math.floor(bucket.tokens))),
      'RateLimit-Reset': String(Math.ceil(((perMinute - bucket.tokens) * 60) / perMinute)),
    };
    if (allowed) return headers;
    throw new ApiError(
      'rate_limited',
      `This key may make ${perMinute} requests a minute. Try again in ${untilOne} s.`,
      {
        headers: { ...headers, 'Retry-After': String(untilOne) },
      },
    );
  };
};
