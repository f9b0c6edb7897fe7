import type { Limits, Taken } from '../backend/limits.ts';
import { ApiError } from '../http/errors.ts';

/** Headers to send, or the refusal. */
const tell = (perMinute: number, { granted, left }: Taken): Record<string, string> => {
  const untilOne = Math.max(1, Math.ceil(((1 - left) * 60) / perMinute));
  const headers = {
    'RateLimit-Limit': String(perMinute),
    'RateLimit-Remaining': String(Math.max(0, Math.floor(left))),
    'RateLimit-Reset': String(Math.max(0, Math.ceil(((perMinute - left) * 60) / perMinute))),
  };
  if (granted) return headers;
  throw new ApiError('rate_limited', `This key may make ${perMinute} requests a minute. Try again in ${untilOne} s.`, {
    headers: { ...headers, 'Retry-After': String(untilOne) },
  });
};

/** A bucket per key that refills steadily, so that a minute's requests need not wait for the minute to end. */
export const makeRateLimit =
  (limits: Limits, clock: () => number) =>
  /** Takes one request from the bucket; nearly always without waiting. */
  (keyId: string, perMinute: number): Record<string, string> | Promise<Record<string, string>> => {
    const taken = limits.take(keyId, perMinute, clock());
    return taken instanceof Promise ? taken.then((later) => tell(perMinute, later)) : tell(perMinute, taken);
  };
