const FIRST_MS = 100;
const LONGEST_MS = 2000;

/**
 * How long to wait before the nth repetition: twice as long each time, by chance up to half less, so that callers who failed together do not come back
 * together. What the service asks for is waited for in full.
 */
export const pauseMs = (repetition: number, retryAfterMs: number, random: number): number =>
  retryAfterMs + Math.min(LONGEST_MS, FIRST_MS * 2 ** (repetition - 1)) * (1 - random / 2);

/** `Retry-After`, in milliseconds from now. The service sends seconds; a proxy in front of it may send a date. */
export const readRetryAfter = (header: string | null, now: number): number => {
  if (header === null) return 0;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return ms > 0 ? ms : 0;
};
