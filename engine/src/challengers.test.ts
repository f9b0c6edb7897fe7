import { describe, expect, test } from 'vitest';
import type { Rows } from './bins.ts';
import { meaningOf, sigmoid } from './calibrate.ts';
import { calibrateByRank, fitIsolation, ISOLATION_DEFAULTS } from './isolation.ts';
import { fitLogistic, LOGISTIC_DEFAULTS, logisticScore, makeLogisticScorer } from './logistic.ts';
import { makeRandom } from './random.ts';
import { rankMetrics } from './rank-metrics.ts';
import { makeScorer } from './scorer.ts';

/** Mostly ordinary rows around zero; every fiftieth is far out in one of four features, or lacks one that all others have. */
const makeRows = (seed: number, count = 5000): Rows => {
  const random = makeRandom(seed);
  const values = new Float64Array(count * 4);
  const labels = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    for (let f = 0; f < 4; f++) values[i * 4 + f] = random() + random() + random() - 1.5;
    if (i % 50 !== 0) continue;
    labels[i] = 1;
    values[i * 4 + (i % 200) / 50] = i % 100 === 0 ? 6 : Number.NaN;
  }
  return { count, features: 4, values, labels };
};
const aucOf = (rows: Rows, score: (at: number) => number): number =>
  rankMetrics(
    Array.from({ length: rows.count }, (_, i) => score(i * rows.features)),
    rows.labels,
  ).auc;

describe('a logistic regression', () => {
  const model = fitLogistic(makeRows(1), { ...LOGISTIC_DEFAULTS, seed: 1 });

  test('finds what lies out on one side, and what is not known, in rows it has not seen', () => {
    const unseen = makeRows(2);
    expect(aucOf(unseen, (at) => logisticScore(model, unseen.values, at))).toBeGreaterThan(0.95);
  });

  test('is the same for the same rows and seed, and survives JSON', () => {
    expect(fitLogistic(makeRows(1), { ...LOGISTIC_DEFAULTS, seed: 1 })).toEqual(model);
    const { values } = makeRows(3, 10);
    const stored = JSON.parse(JSON.stringify(model));
    expect(logisticScore(stored, values, 8)).toBe(logisticScore(model, values, 8));
  });

  test('says the share of fraud where there is nothing to learn from', () => {
    const flat = {
      count: 1000,
      features: 1,
      values: new Float64Array(1000).fill(3),
      labels: new Uint8Array(1000).fill(1, 0, 100),
    };
    const none = fitLogistic(flat, { ...LOGISTIC_DEFAULTS, seed: 1 });
    const probability = 1 / (1 + Math.exp(-logisticScore(none, flat.values, 0)));
    expect(Math.abs(probability - 0.1)).toBeLessThan(0.05);
  });

  test('says what each feature adds, and that adds up', () => {
    const { values } = makeRows(3, 200);
    const scorer = makeLogisticScorer(model);
    const added = new Float64Array(4);
    for (let i = 0; i < 200; i++) {
      const logOdds = scorer.explain(values as Float64Array, added, i * 4);
      expect(logOdds).toBe(scorer.logOdds(values as Float64Array, i * 4));
      expect(added.reduce((sum, part) => sum + part, scorer.baseline)).toBeCloseTo(logOdds, 12);
    }
  });
});

describe('an isolation forest', () => {
  const rows = makeRows(1);
  const forest = fitIsolation(rows, { ...ISOLATION_DEFAULTS, seed: 1 });
  const { explain, logOdds, baseline } = makeScorer(forest);

  test('sets apart what is unlike the rest, without ever having seen a label', () => {
    const unseen = makeRows(2);
    const far: Rows = { ...unseen, labels: Uint8Array.from(unseen.labels, (label, i) => (i % 100 === 0 ? label : 0)) };
    expect(aucOf(far, (at) => logOdds(far.values as Float64Array, at))).toBeGreaterThan(0.95);
  });

  test('says about nothing of what is as usual as any, and what each feature adds to the rest', () => {
    const values = makeRows(3, 400).values as Float64Array;
    const oddity = Array.from({ length: 400 }, (_, i) => logOdds(values, i * 4));
    const usual = oddity.filter((_, i) => i % 50 !== 0);
    expect(Math.abs(usual.reduce((sum, score) => sum + score, 0) / usual.length)).toBeLessThan(0.2);
    expect(oddity.every((score) => score > -1 && score < 1)).toBe(true);
    const added = new Float64Array(4);
    explain(values, added, 100 * 4);
    expect(added.reduce((sum, part) => sum + part, baseline)).toBeCloseTo(oddity[100] as number, 12);
    expect(added.indexOf(Math.max(...added))).toBe(2);
  });

  test('means a probability that only rises, by how rare such oddity is', () => {
    const said = Float64Array.from({ length: rows.count }, (_, i) => logOdds(rows.values as Float64Array, i * 4));
    const calibration = calibrateByRank(said);
    const meant = said.toSorted().map((at) => sigmoid(meaningOf(calibration, at)));
    expect(meant).toEqual(meant.toSorted());
    expect(meant.filter((probability) => probability > 0.1).length / rows.count).toBeCloseTo(0.005, 3);
  });

  test('is the same for the same rows and seed, and takes rows that are all alike', () => {
    expect(fitIsolation(makeRows(1), { ...ISOLATION_DEFAULTS, seed: 1 })).toEqual(forest);
    const alike = { count: 50, features: 2, values: new Float64Array(100).fill(1), labels: new Uint8Array(50) };
    const flat = fitIsolation(alike, { ...ISOLATION_DEFAULTS, seed: 1 });
    expect(Number.isFinite(makeScorer(flat).logOdds(alike.values, 0))).toBe(true);
    const none = calibrateByRank(new Float64Array(50).fill(0.5));
    expect(none.said).toHaveLength(1);
  });
});
