const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The wait after each failed attempt. `storeOutcome` in `deliver.ts` sets the retry. */
const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
] as const;
/** Spreads retries, so that deliveries that failed together do not return together. */
const JITTER = 0.2;

/** The wait after `failed` failed attempts; undefined when no retry is left. `random` is 0 to 1. */
export const retryAfterMs = (failed: number, random: number): number | undefined => {
  const after = RETRY_AFTER_MS[failed - 1];
  return after === undefined ? undefined : Math.round(after * (1 + JITTER * (2 * random - 1)));
};

/** No wait is longer. */
export const MAX_RETRY_AFTER_MS = Math.max(...RETRY_AFTER_MS) * (1 + JITTER);

/** An endpoint without one success for this long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS;
