import { array, assert, constant, double, integer, oneof, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Budget, DEFAULT_BUDGET, per10k, SCORES, sumsFrom, thresholdsWithin } from './budget.ts';

/** Counts by score: `[score, items]` pairs, no items elsewhere. */
const countsOf = (...pairs: readonly (readonly [number, number])[]): number[] => {
  const counts = new Array<number>(SCORES).fill(0);
  for (const [score, items] of pairs) counts[score] = items;
  return counts;
};

describe('thresholds within a budget', () => {
  test.each([
    ['the lowest scores that stay within it', countsOf([5, 9890], [60, 100], [90, 10]), { review: 61, block: 91 }],
    ['exactly the budget is within it', countsOf([5, 9900], [60, 95], [90, 5]), { review: 6, block: 61 }],
    ['block is above review where both would be the same score', countsOf([5, 10_000]), { review: 6, block: 7 }],
    ['a few items at 100 leave no threshold', countsOf([5, 9980], [100, 20]), undefined],
    ['items at 99 can only be reviewed', countsOf([5, 9950], [99, 50]), { review: 6, block: 100 }],
    ['more items at 99 than may be reviewed leave no threshold', countsOf([5, 9800], [99, 200]), undefined],
  ])('%s', (_name, counts, expected) => {
    expect(thresholdsWithin(counts, DEFAULT_BUDGET)).toEqual(expected);
  });

  const counts = array(oneof(constant(0), integer({ min: 0, max: 5000 })), { minLength: SCORES, maxLength: SCORES });
  const rate = oneof(double({ min: 0, max: 10_000, noNaN: true }), integer({ min: 0, max: 200 }));
  const budget = tuple(rate, rate).map(
    ([a, b]): Budget => ({ reviewed_per_10k: Math.max(a, b), blocked_per_10k: Math.min(a, b) }),
  );
  const within = (held: number, all: number, limit: number): boolean => 10_000 * held <= limit * all;

  test('never exceed it, and one point lower does', () => {
    assert(
      property(counts, budget, (legitimate, limits) => {
        const held = sumsFrom(legitimate);
        const all = held[0] as number;
        const found = thresholdsWithin(legitimate, limits);
        if (found === undefined) {
          const canReview = within(held[99] as number, all, limits.reviewed_per_10k);
          return !canReview || !within(held[100] as number, all, limits.blocked_per_10k);
        }
        const { review, block } = found;
        const fits =
          within(held[review] as number, all, limits.reviewed_per_10k) &&
          within(held[block] as number, all, limits.blocked_per_10k);
        const lowest =
          (review === 1 || !within(held[review - 1] as number, all, limits.reviewed_per_10k)) &&
          (block === review + 1 || !within(held[block - 1] as number, all, limits.blocked_per_10k));
        return fits && lowest && 1 <= review && review < block && block <= 100;
      }),
    );
  });

  test('never rise with a larger budget', () => {
    assert(
      property(counts, budget, rate, rate, (legitimate, limits, more, andMore) => {
        const larger = {
          reviewed_per_10k: limits.reviewed_per_10k + more + andMore,
          blocked_per_10k: limits.blocked_per_10k + more,
        };
        const [small, large] = [thresholdsWithin(legitimate, limits), thresholdsWithin(legitimate, larger)];
        if (small === undefined) return true;
        return large !== undefined && large.review <= small.review && large.block <= small.block;
      }),
    );
  });
});

test('a rate per 10,000 needs items', () => {
  expect([per10k(1, 200), per10k(0, 0)]).toEqual([50, null]);
});
