import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibrate, logit, meaningOf, pointsOf, sigmoid, UNCALIBRATED } from './calibrate.ts';
import { makeRandom } from './random.ts';
import { curveOf, rankMetrics } from './rank-metrics.ts';

const random = makeRandom(1);
/** What is said is off: twice as sure as it should be, and too high by one. */
const rows = Array.from({ length: 20_000 }, () => {
  const truth = random() * 8 - 6;
  return { said: 2 * truth + 1, label: random() < sigmoid(truth) ? 1 : 0 };
});
const said = Float64Array.from(rows, (row) => row.said);
const labels = Uint8Array.from(rows, (row) => row.label);

describe('a calibration', () => {
  const calibration = calibrate(said, labels);

  test('turns what is said into what it turns out to mean', () => {
    for (const truth of [-4, -2, 0, 1]) {
      expect(sigmoid(meaningOf(calibration, 2 * truth + 1))).toBeCloseTo(sigmoid(truth), 1);
    }
  });

  test('never falls where what is said rises, within what was seen and beyond', () => {
    const anySaid = fc.double({ min: -40, max: 40, noNaN: true });
    fc.assert(
      fc.property(anySaid, anySaid, (a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(meaningOf(calibration, high)).toBeGreaterThanOrEqual(meaningOf(calibration, low));
        expect(meaningOf(UNCALIBRATED, a)).toBeCloseTo(a, 9);
      }),
    );
  });

  test('of rows of one kind alone says nothing, and leaves what is said as it is', () => {
    for (const label of [0, 1]) expect(calibrate(said, new Uint8Array(said.length).fill(label))).toEqual(UNCALIBRATED);
    expect(calibrate(new Float64Array(0), [])).toEqual(UNCALIBRATED);
  });

  test('survives JSON', () => {
    const stored = JSON.parse(JSON.stringify(calibration));
    expect(meaningOf(stored, 0.3)).toBe(meaningOf(calibration, 0.3));
  });
});

describe('the score of a probability', () => {
  test.each([
    [0.0001, 0.1],
    [0.001, 0.9],
    [0.01, 8.3],
    [0.1, 50],
    [0.5, 80],
    [0.9, 94.1],
    [0.99, 98.6],
  ])('of %d is about %d points', (probability, points) => {
    expect(pointsOf(logit(probability))).toBeCloseTo(points, 0);
  });
});

describe('how well scores rank', () => {
  const anyRows = fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 1 })), {
    minLength: 2,
    maxLength: 60,
  });

  test('is the share of pairs in the right order, a tie being half of one', () => {
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

  test('has an average precision that is the mean precision at each fraud, ties together', () => {
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

  test('counts recall where no more than the given share of the others is wrong', () => {
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
