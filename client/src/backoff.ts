const FIRST_MS = 100;
const LONGEST_MS = 2000;

/**
 * Delay before the nth retry. It doubles each time, less up to half at random, so that callers that failed together do not retry
 * together. `Retry-After` is added in full.
 */
export const pauseMs = (retry: number, retryAfterMs: number, random: number): number =>
  retryAfterMs + Math.min(LONGEST_MS, FIRST_MS * 2 ** (retry - 1)) * (1 - random / 2);

/** `Retry-After`, in milliseconds from now. The service sends seconds; a proxy in front of it may send a date. */
export const readRetryAfter = (header: string | null, now: number): number => {
  if (header === null) return 0;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return ms > 0 ? ms : 0;
};
