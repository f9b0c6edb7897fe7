import type { RateLimitResult, RateLimits } from '../backend/rate-limits.ts';
import { ApiError } from '../validation/errors.ts';

/** The headers of an admitted request. Throws for a refused one. */
const headersOf = (perMinute: number, { granted, left }: RateLimitResult): Record<string, string> => {
  const retryAfter = Math.max(1, Math.ceil(((1 - left) * 60) / perMinute));
  const headers = {
    'RateLimit-Limit': String(perMinute),
    'RateLimit-Remaining': String(Math.max(0, Math.floor(left))),
    'RateLimit-Reset': String(Math.max(0, Math.ceil(((perMinute - left) * 60) / perMinute))),
  };
  if (granted) return headers;
  throw new ApiError(
    'rate_limited',
    `This key may make ${perMinute} requests per minute. Retry after ${retryAfter} second${retryAfter === 1 ? '' : 's'}.`,
    {
      headers: { ...headers, 'Retry-After': String(retryAfter) },
    },
  );
};

/** Limits the requests of each key by a token bucket. It refills steadily, not at the end of each minute. */
export const makeRateLimit =
  (limits: RateLimits, clock: () => number) =>
  /** Takes one request from the key's bucket. Synchronous unless the bucket is shared with other processes. */
  (keyId: string, perMinute: number): Record<string, string> | Promise<Record<string, string>> => {
    const taken = limits.take(keyId, perMinute, clock());
    return taken instanceof Promise ? taken.then((later) => headersOf(perMinute, later)) : headersOf(perMinute, taken);
  };
