import { describe, expect, test } from 'vitest';
import type { Rows } from './bins.ts';
import { fitIsolation, ISOLATION_DEFAULTS, isolationScore } from './isolation.ts';
import { fitLogistic, LOGISTIC_DEFAULTS, logisticScore } from './logistic.ts';
import { makeRandom } from './random.ts';
import { rankMetrics } from './rank-metrics.ts';

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
});

describe('an isolation forest', () => {
  const forest = fitIsolation(makeRows(1), { ...ISOLATION_DEFAULTS, seed: 1 });

  test('sets apart what is unlike the rest, without ever having seen a label', () => {
    const unseen = makeRows(2);
    const far: Rows = { ...unseen, labels: Uint8Array.from(unseen.labels, (label, i) => (i % 100 === 0 ? label : 0)) };
    expect(aucOf(far, (at) => isolationScore(forest, far.values, at))).toBeGreaterThan(0.95);
  });

  test('says about a half of what is as usual as any, and never leaves 0 to 1', () => {
    const { values } = makeRows(3, 400);
    const scores = Array.from({ length: 400 }, (_, i) => isolationScore(forest, values, i * 4));
    const usual = scores.filter((_, i) => i % 50 !== 0);
    expect(usual.reduce((sum, score) => sum + score, 0) / usual.length).toBeLessThan(0.55);
    expect(scores.every((score) => score > 0 && score < 1)).toBe(true);
  });

  test('is the same for the same rows and seed, and takes rows that are all alike', () => {
    expect(fitIsolation(makeRows(1), { ...ISOLATION_DEFAULTS, seed: 1 })).toEqual(forest);
    const alike = { count: 50, features: 2, values: new Float64Array(100).fill(1), labels: new Uint8Array(50) };
    const flat = fitIsolation(alike, { ...ISOLATION_DEFAULTS, seed: 1 });
    expect(Number.isFinite(isolationScore(flat, alike.values, 0))).toBe(true);
  });
});
