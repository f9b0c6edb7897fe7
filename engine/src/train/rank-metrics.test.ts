import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { curveOf, rankMetrics } from './rank-metrics.ts';

describe('rank metrics', () => {
  const anyRows = fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 1 })), {
    minLength: 2,
    maxLength: 60,
  });

  test('measure the AUC as the share of pairs in the right order, a tie counting half', () => {
    fc.assert(
      fc.property(anyRows, (pairs) => {
        const scores = pairs.map(([score]) => score);
        const own = pairs.map(([, label]) => label);
        const frauds = scores.filter((_, i) => own[i] === 1);
        const others = scores.filter((_, i) => own[i] === 0);
        fc.pre(frauds.length > 0 && others.length > 0);
        let right = 0;
        for (const a of frauds) for (const b of others) right += a > b ? 1 : a === b ? 0.5 : 0;
        expect(rankMetrics(scores, own).auc).toBeCloseTo(right / frauds.length / others.length, 12);
      }),
    );
  });

  test('draw the same curve with and without weights of 1', () => {
    fc.assert(
      fc.property(anyRows, (pairs) => {
        const scores = pairs.map(([score]) => score);
        const own = pairs.map(([, label]) => label);
        const ones = pairs.map(() => 1);
        expect(curveOf(scores, own)).toEqual(curveOf(scores, own, ones));
      }),
    );
  });

  test('measure the average precision as the mean precision at each fraud, ties together', () => {
    fc.assert(
      fc.property(anyRows, (pairs) => {
        const scores = pairs.map(([score]) => score);
        const own = pairs.map(([, label]) => label);
        fc.pre(own.includes(1) && own.includes(0));
        const precisions = pairs.flatMap(([score, label]) => {
          if (label === 0) return [];
          const above = pairs.filter(([other]) => other >= score);
          return [above.filter(([, of]) => of === 1).length / above.length];
        });
        const mean = precisions.reduce((sum, precision) => sum + precision, 0) / precisions.length;
        expect(rankMetrics(scores, own).averagePrecision).toBeCloseTo(mean, 12);
      }),
    );
  });

  test('measure recall at a false positive rate of at most the given share', () => {
    const others = Array.from({ length: 1000 }, (_, i) => i);
    const scores = [...others, 999.5, 998.5, 989.5, 5];
    const own = [...others.map(() => 0), 1, 1, 1, 1];
    expect(rankMetrics(scores, own)).toMatchObject({ rows: 1004, frauds: 4, recallAt01: 0.5, recallAt1: 0.75 });
    expect(curveOf([1, 1, 2], [1, 0, 0])).toEqual([
      { score: 2, found: 0, wrong: 1 },
      { score: 1, found: 1, wrong: 2 },
    ]);
  });
});
