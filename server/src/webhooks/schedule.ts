const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after each failed attempt the next one comes. */
const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
] as const;
/** Spread, so that what failed together does not come back together. */
const JITTER = 0.2;

/** How long to wait after so many attempts that failed; undefined when there is to be no further one. `random` is 0 to 1. */
export const retryAfterMs = (failed: number, random: number): number | undefined => {
  const after = RETRY_AFTER_MS[failed - 1];
  return after === undefined ? undefined : Math.round(after * (1 + JITTER * (2 * random - 1)));
};

/** An endpoint that fails everything for so long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS;
