import { describe, expect, test } from 'vitest';
import { aucOf, makeOutlierRows } from '../../test/outliers.ts';
import { logisticScore, makeLogisticScorer } from '../model/logistic.ts';
import { fitLogistic, LOGISTIC_DEFAULTS } from './fit-logistic.ts';

describe('a logistic regression', () => {
  const model = fitLogistic(makeOutlierRows(1), { ...LOGISTIC_DEFAULTS, seed: 1 });

  test('ranks outliers and unknown values high in rows it was not trained on', () => {
    const unseen = makeOutlierRows(2);
    expect(aucOf(unseen, (at) => logisticScore(model, unseen.values, at))).toBeGreaterThan(0.95);
  });

  test('is the same for the same rows and seed, and after a round trip through JSON', () => {
    expect(fitLogistic(makeOutlierRows(1), { ...LOGISTIC_DEFAULTS, seed: 1 })).toEqual(model);
    const { values } = makeOutlierRows(3, 10);
    const stored = JSON.parse(JSON.stringify(model));
    expect(logisticScore(stored, values, 8)).toBe(logisticScore(model, values, 8));
  });

  test('predicts the share of fraud if the features carry no information', () => {
    const flat = {
      count: 1000,
      features: 1,
      values: new Float64Array(1000).fill(3),
      labels: new Uint8Array(1000).fill(1, 0, 100),
    };
    const uninformed = fitLogistic(flat, { ...LOGISTIC_DEFAULTS, seed: 1 });
    const probability = 1 / (1 + Math.exp(-logisticScore(uninformed, flat.values, 0)));
    expect(Math.abs(probability - 0.1)).toBeLessThan(0.05);
  });

  test('has contributions that add up to the log-odds', () => {
    const { values } = makeOutlierRows(3, 200);
    const scorer = makeLogisticScorer(model);
    const added = new Float64Array(4);
    for (let i = 0; i < 200; i++) {
      const logOdds = scorer.explain(values as Float64Array, added, i * 4);
      expect(logOdds).toBe(scorer.logOdds(values as Float64Array, i * 4));
      expect(added.reduce((sum, part) => sum + part, scorer.baseline)).toBeCloseTo(logOdds, 12);
    }
  });
});
