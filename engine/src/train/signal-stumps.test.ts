import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeScorer } from '../model/forest-scorer.ts';
import { shapley } from '../model/shap.ts';
import { makeRandom } from '../random.ts';
import type { Rows } from './bins.ts';
import { fitSignalStumps } from './signal-stumps.ts';

/** Rows of signals that are active one time in ten. `risk` is the probability of fraud. */
const makeSignals = (
  count: number,
  signals: number,
  seed: number,
  risk: (active: readonly number[]) => number,
): Rows => {
  const random = makeRandom(seed);
  const values = new Float32Array(count * signals);
  const labels = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    const active = Array.from({ length: signals }, () => Number(random() < 0.1));
    values.set(active, row * signals);
    labels[row] = Number(random() < risk(active));
  }
  return { count, features: signals, values, labels };
};
const scoreOf = (rows: Rows, active: readonly number[]): number =>
  makeScorer(fitSignalStumps(rows, [...active.keys()])).logOdds(Float64Array.from(active));

describe('the weights of signals', () => {
  test('find the signals that mean fraud, and give none to the others', () => {
    const rows = makeSignals(20_000, 4, 1, ([first, second]) => (first === 1 ? 0.5 : second === 1 ? 0.1 : 0.01));
    const { trees } = fitSignalStumps(rows, [0, 1, 2, 3]);
    const weights = new Map(trees.map(({ feature, value }) => [feature[0], value[2] as number]));
    expect(weights.get(0)).toBeGreaterThan(weights.get(1) as number);
    expect(weights.get(1)).toBeGreaterThan(1);
    for (const idle of [2, 3]) expect(weights.get(idle) ?? 0).toBeLessThan(0.4);
  });

  test('are never negative, and never more than 3, whatever the labels', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
        (seed, risks) => {
          const rows = makeSignals(400, 3, seed, (active) =>
            active.reduce((risk, is, i) => (is === 1 ? (risks[i] as number) : risk), 0.3),
          );
          for (const { value } of fitSignalStumps(rows, [0, 1, 2]).trees) {
            expect(value[1]).toBe(0);
            expect(value[2]).toBeGreaterThan(0);
            expect(value[2]).toBeLessThanOrEqual(3);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('add up in a combination that never occurred', () => {
    // The two signals are never active together.
    const rows = makeSignals(20_000, 2, 2, ([first, second]) => (first === 1 || second === 1 ? 0.2 : 0.01));
    for (let row = 0; row < rows.count; row++)
      if (rows.values[2 * row] === 1) (rows.values as Float32Array)[2 * row + 1] = 0;
    const [one, two, both] = [
      [1, 0],
      [0, 1],
      [1, 1],
    ].map((active) => scoreOf(rows, active)) as [number, number, number];
    expect(both).toBeGreaterThan(Math.max(one, two) + 1);
  });
});

test('a signal that is not active contributes nothing, and an active one its weight, in fast and in exact explanations', () => {
  const rows = makeSignals(20_000, 2, 2, ([first, second]) => (first === 1 || second === 1 ? 0.2 : 0.01));
  const forest = fitSignalStumps(rows, [0, 1]);
  const scorer = makeScorer(forest);
  const row = Float64Array.of(0, 1);
  const [fast, exact] = [new Float64Array(2), new Float64Array(2)];
  const weight = scorer.logOdds(row) - scorer.logOdds(Float64Array.of(0, 0));
  expect(scorer.baseline).toBe(scorer.logOdds(Float64Array.of(0, 0)));
  expect(shapley(forest, row, exact)).toBe(scorer.baseline);
  scorer.explain(row, fast);
  for (const contributions of [fast, exact]) {
    expect(contributions[0]).toBe(0);
    expect(contributions[1]).toBeCloseTo(weight, 9);
  }
});

describe('an assumed weight', () => {
  const weightOf = (rows: Rows, assumed: readonly number[]): number =>
    (fitSignalStumps(rows, [0], assumed).trees[0]?.value[2] as number | undefined) ?? 0;

  test('is the weight of a signal that no row has', () => {
    const rows = { ...makeSignals(1000, 1, 3, () => 0.1), values: new Float32Array(1000) };
    expect(weightOf(rows, [1.5])).toBeCloseTo(1.5, 6);
    expect(weightOf(rows, [0])).toBe(0);
  });

  test('is corrected by rows with the signal, little by few and almost fully by many', () => {
    const harmless = (count: number) => makeSignals(count, 1, 4, () => 0.02);
    const [few, many] = [weightOf(harmless(100), [1.5]), weightOf(harmless(40_000), [1.5])];
    expect(few).toBeLessThan(1.5);
    expect(few).toBeGreaterThan(0.5);
    expect(many).toBeLessThan(0.3);
  });
});

/** Rows of one graded signal, and one that is active or not. The risk follows the grade. */
const makeGraded = (count: number, seed: number, risk: (grade: number) => number): Rows => {
  const random = makeRandom(seed);
  const values = new Float32Array(2 * count);
  const labels = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    const grade = random() < 0.5 ? 0 : random();
    values.set([grade, Number(random() < 0.1)], 2 * row);
    labels[row] = Number(random() < risk(grade));
  }
  return { count, features: 2, values, labels };
};

describe('the weights of a graded signal', () => {
  const rising = makeGraded(30_000, 3, (grade) => 0.01 + 0.5 * grade ** 2);
  const forest = fitSignalStumps(rising, [0, 1]);
  const scorer = makeScorer(forest);
  const scoreAt = (grade: number): number => scorer.logOdds(Float64Array.from([grade, 0]));

  test('follow the grade in steps: it never scores lower for a higher grade, and far higher for 1 than for 0', () => {
    for (let grade = 0; grade < 1; grade += 0.01)
      expect(scoreAt(grade + 0.01), `${grade}`).toBeGreaterThanOrEqual(scoreAt(grade));
    expect(scoreAt(1) - scoreAt(0)).toBeGreaterThan(2);
  });

  test('have ten equal steps, even if only the highest grade means fraud', () => {
    const hurried = fitSignalStumps(
      makeGraded(30_000, 7, (grade) => (grade > 0.95 ? 0.9 : 0.01)),
      [0, 1],
    );
    for (const { trees } of [forest, hurried]) {
      const steps = trees.filter(({ feature }) => feature[0] === 0);
      expect(steps.map(({ threshold }) => threshold[0])).toEqual(
        Array.from({ length: 10 }, (_, i) => expect.closeTo(0.05 + i / 10, 9)),
      );
      expect(new Set(steps.map(({ value }) => value[2])).size).toBe(1);
    }
  });

  test('have the cover of the rows above each step', () => {
    const above = (threshold: number): number =>
      rising.values.filter((grade, i) => i % 2 === 0 && grade > threshold).length;
    for (const { feature, threshold, cover } of forest.trees)
      if (feature[0] === 0) expect(cover[2]).toBe(above(threshold[0] as number));
  });

  test('leave a signal without grades one weight, at one half', () => {
    const yesOrNo = fitSignalStumps(
      makeSignals(20_000, 1, 4, ([active]) => (active === 1 ? 0.5 : 0.01)),
      [0],
    );
    expect(yesOrNo.trees.map(({ threshold }) => threshold[0])).toEqual([0.5]);
  });

  test('are 3 at most together, even if the signal alone decides', () => {
    const decided = makeGraded(20_000, 6, (grade) => (grade > 0.7 ? 1 : grade > 0.3 ? 0.5 : 0));
    const total = fitSignalStumps(decided, [0, 1]).trees.reduce(
      (sum, { feature, value }) => sum + (feature[0] === 0 ? (value[2] as number) : 0),
      0,
    );
    expect(total).toBeGreaterThan(2.9);
    expect(total).toBeLessThanOrEqual(3 + 1e-9);
  });

  test('are never negative, also where a higher grade means less fraud', () => {
    for (const { value } of fitSignalStumps(
      makeGraded(5000, 5, (grade) => 0.5 - 0.4 * grade),
      [0, 1],
    ).trees)
      expect(value[2]).toBeGreaterThan(0);
  });
});
