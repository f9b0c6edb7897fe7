const FIRST = 4;
const FEWEST = 2;
const MOST = 128;
const LITTLE_SLOWER = 2;
const MUCH_SLOWER = 4;
/** Times are whole milliseconds: below this, slower and quicker mean nothing. */
const LEAST_MS = 1;
const QUICK_MS = 1000;
/** As many a second is enough for one endpoint: more at once would only be more that arrive twice after a crash. */
const ENOUGH_PER_SECOND = 1000;
/** The quickest exchange is forgotten slowly, so that a receiver that moved further away is not held to its old time. */
const FORGET = 1.001;
/** Leased at once for each that may be under way: enough to begin while the next ones are being leased. */
const AHEAD = { least: 2, most: 16 };
/** What is leased when a worker dies waits for the end of its lease. */
const MOST_LEASED = 256;

/**
 * How many exchanges one endpoint may have under way. More while more are wanted and none gets slower by it: a receiver far away
 * then gets many at once and one that is near and busy few, which is also how few can arrive twice after a crash. Fewer when
 * they fail: each that hangs holds its place for ten seconds.
 */
export const makePace = () => {
  let limit = FIRST;
  let quickestMs = Number.POSITIVE_INFINITY;
  let isQuick = false;
  let ahead = AHEAD.least;
  return {
    limit: (): number => limit,
    /** How many to lease at once. The next ones are leased when half of them have begun. */
    toLease: (): number => Math.min(MOST_LEASED, ahead * limit),
    /** All that was leased had begun before more was: leasing takes longer than sending, as it does where the store is far away. */
    ranDry: (): void => {
      if (isQuick) ahead = Math.min(AHEAD.most, 2 * ahead);
    },
    /** Whether the last exchange went well and was quick. One that was never called may hang: until it has answered, it is not. */
    isQuick: (): boolean => isQuick,
    succeeded: (tookMs: number, moreWait: boolean): void => {
      isQuick = tookMs <= QUICK_MS;
      quickestMs = Math.max(LEAST_MS, Math.min(tookMs, quickestMs * FORGET));
      const unhurried = limit < FIRST || tookMs <= LITTLE_SLOWER * quickestMs;
      const most = Math.min(MOST, Math.max(FIRST, (ENOUGH_PER_SECOND * quickestMs) / 1000));
      if (unhurried && moreWait && limit < most) limit++;
      else if (limit > FIRST && tookMs > MUCH_SLOWER * quickestMs) limit--;
    },
    failed: (): void => {
      isQuick = false;
      limit = Math.max(FEWEST, Math.floor(limit / 2));
      ahead = AHEAD.least;
    },
  };
};
export type Pace = ReturnType<typeof makePace>;
