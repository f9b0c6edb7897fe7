import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decisionFor } from '../decide/thresholds.ts';
import { logit, pointsFor } from '../model/calibration.ts';
import { rankFigures } from './ranking.ts';
import { makeScoreFigures, modelScoreFor } from './score-figures.ts';
import { makeSignalCounts } from './signal-precision.ts';

const THRESHOLDS = { review: 50, block: 80 };
const anItem = fc.record({
  score: fc.integer({ min: 0, max: 100 }),
  label: fc.constantFrom<0 | 1>(0, 1),
  money: fc.option(
    fc.record({ amount: fc.integer({ min: 0, max: 500_000 }), currency: fc.constantFrom('EUR', 'JPY', 'XTS') }),
    { nil: undefined },
  ),
});
type Item = typeof anItem extends fc.Arbitrary<infer Of> ? Of : never;
const measure = (items: readonly Item[]) => {
  const figures = makeScoreFigures();
  for (const { score, label, money } of items) figures.add(score, decisionFor(score, THRESHOLDS), label, money);
  return figures.result();
};

describe('the figures of a score', () => {
  test('rank like the items themselves', () => {
    fc.assert(
      fc.property(fc.array(anItem, { maxLength: 200 }), (items) => {
        const direct = rankFigures(
          items.map(({ score }) => score),
          items.map(({ label }) => label),
        );
        const figures = measure(items);
        for (const name of Object.keys(direct) as (keyof typeof direct)[]) {
          if (direct[name] === null) expect(figures[name]).toBeNull();
          else expect(figures[name]).toBeCloseTo(direct[name] as number, 12);
        }
      }),
    );
  });

  test('count every amount once, in its own currency', () => {
    fc.assert(
      fc.property(fc.array(anItem, { maxLength: 100 }), (items) => {
        const { money } = measure(items);
        for (const { currency, fraud_held, fraud_missed, legitimate_held } of money) {
          const sum = (keep: (item: Item) => boolean): number =>
            items.reduce(
              (all, item) => all + (item.money?.currency === currency && keep(item) ? item.money.amount : 0),
              0,
            );
          expect(fraud_held).toBe(sum(({ score, label }) => label === 1 && score >= THRESHOLDS.review));
          expect(fraud_missed).toBe(sum(({ score, label }) => label === 1 && score < THRESHOLDS.review));
          expect(legitimate_held).toBe(sum(({ score, label }) => label === 0 && score >= THRESHOLDS.review));
        }
        expect(money.map(({ currency }) => currency)).toEqual(
          [...new Set(items.flatMap((item) => item.money?.currency ?? []))].sort(),
        );
      }),
    );
  });

  test('count blocked items as reviewed, per 10,000 of the same label', () => {
    const legitimate = (score: number): Item => ({ score, label: 0, money: undefined });
    const fraud = (score: number): Item => ({ score, label: 1, money: undefined });
    expect(measure([...[0, 1, 49, 50, 80].map(legitimate), ...[10, 79, 100].map(fraud)])).toMatchObject({
      reviewed_per_10k: 4000,
      blocked_per_10k: 2000,
      fraud_held: 2 / 3,
    });
  });

  test('are null without items to compute them from', () => {
    expect(measure([])).toEqual({
      auc_roc: null,
      average_precision: null,
      recall_at_0_1_percent_fp: null,
      recall_at_1_percent_fp: null,
      reviewed_per_10k: null,
      blocked_per_10k: null,
      fraud_held: null,
      money: [],
    });
  });
});

test('the score of a model alone is that of its probability, from 0 to 100', () => {
  expect([0, 0.125, 0.8, 1].map(modelScoreFor)).toEqual([0, 50, 80, 100]);
  expect(modelScoreFor(0.3)).toBe(Math.round(pointsFor(logit(0.3))));
});

describe('the precision of a signal', () => {
  test('has an interval that is wider if the frauds come in few groups', () => {
    const precisionOf = (groupOf: (i: number) => number) => {
      const counts = makeSignalCounts();
      for (let i = 0; i < 400; i++) counts.add(groupOf(i), ['new_device'], i < 100 ? 1 : 0);
      return counts.result()[0];
    };
    const [scattered, clustered] = [precisionOf((i) => i % 20), precisionOf((i) => Math.floor(i / 20))];
    expect(scattered).toMatchObject({ items: 400, labelled: 400, frauds: 100, precision: 0.25, fraudShare: 1 });
    expect(clustered?.precision).toBe(0.25);
    const width = (of: typeof scattered): number => (of?.high ?? 0) - (of?.low ?? 0);
    expect(width(clustered)).toBeGreaterThan(2 * width(scattered));
  });

  test('ignores items without a label, which only count as items', () => {
    const counts = makeSignalCounts();
    for (const label of [1, 0, undefined, undefined] as const) counts.add('', ['new_device'], label);
    counts.add('', ['quiet'], undefined);
    const [first, last] = counts.result();
    expect(first).toMatchObject({ signal: 'new_device', items: 4, labelled: 2, precision: 0.5 });
    expect(last).toMatchObject({ signal: 'quiet', items: 1, labelled: 0, precision: Number.NaN });
  });
});
