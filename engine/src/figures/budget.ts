import type { Thresholds } from '../decide/thresholds.ts';

/** How many legitimate items per 10,000 an account accepts to hold. Those that are blocked count as reviewed too. */
export interface Budget {
  readonly reviewed_per_10k: number;
  readonly blocked_per_10k: number;
}

/** The budget of an account that has set none. */
export const DEFAULT_BUDGET: Budget = { reviewed_per_10k: 100, blocked_per_10k: 5 };

/** With fewer legitimate items, no thresholds should be derived: 5 of 10,000 would be less than one item. */
export const MIN_BUDGET_ITEMS = 1_000;

/** Scores are whole numbers from 0 to 100. */
export const SCORES = 101;

/** For each score, the sum of the values of all scores from it on. */
export const sumsFrom = (values: ArrayLike<number>): Float64Array => {
  const sums = new Float64Array(SCORES);
  let sum = 0;
  for (let score = SCORES - 1; score >= 0; score--) {
    sum += values[score] as number;
    sums[score] = sum;
  }
  return sums;
};

/** Null where there is nothing to count. */
export const per10k = (part: number, whole: number): number | null => (whole === 0 ? null : (10_000 * part) / whole);

/**
 * The lowest thresholds that stay within the budget, from the number of legitimate items by score. Undefined where no
 * thresholds do, because too many of these items have the highest scores.
 */
export const thresholdsWithin = (
  legitimate: ArrayLike<number>,
  { reviewed_per_10k, blocked_per_10k }: Budget,
): Thresholds | undefined => {
  const held = sumsFrom(legitimate);
  const all = held[0] as number;
  const lowest = (from: number, limit: number): number => {
    let score = from;
    while (score < SCORES && 10_000 * (held[score] as number) > limit * all) score++;
    return score;
  };
  const review = lowest(1, reviewed_per_10k);
  const block = lowest(review + 1, blocked_per_10k);
  return block < SCORES ? { review, block } : undefined;
};
