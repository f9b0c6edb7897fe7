import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeScorer } from '../model/forest-scorer.ts';
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
