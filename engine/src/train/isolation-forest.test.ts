import { describe, expect, test } from 'vitest';
import { aucOf, makeOutlierRows } from '../../test/outliers.ts';
import { applyCalibration, sigmoid } from '../model/calibration.ts';
import { makeScorer } from '../model/forest-scorer.ts';
import type { Rows } from './bins.ts';
import { calibrateByRank, fitIsolation, ISOLATION_DEFAULTS } from './isolation-forest.ts';

describe('an isolation forest', () => {
  const rows = makeOutlierRows(1);
  const forest = fitIsolation(rows, { ...ISOLATION_DEFAULTS, seed: 1 });
  const { explain, logOdds, baseline } = makeScorer(forest);

  test('ranks outliers high without labels', () => {
    const unseen = makeOutlierRows(2);
    const far: Rows = { ...unseen, labels: Uint8Array.from(unseen.labels, (label, i) => (i % 100 === 0 ? label : 0)) };
    expect(aucOf(far, (at) => logOdds(far.values as Float64Array, at))).toBeGreaterThan(0.95);
  });

  test('scores ordinary rows near 0, with contributions that add up', () => {
    const values = makeOutlierRows(3, 400).values as Float64Array;
    const oddity = Array.from({ length: 400 }, (_, i) => logOdds(values, i * 4));
    const usual = oddity.filter((_, i) => i % 50 !== 0);
    expect(Math.abs(usual.reduce((sum, score) => sum + score, 0) / usual.length)).toBeLessThan(0.2);
    expect(oddity.every((score) => score > -1 && score < 1)).toBe(true);
    const added = new Float64Array(4);
    explain(values, added, 100 * 4);
    expect(added.reduce((sum, part) => sum + part, baseline)).toBeCloseTo(oddity[100] as number, 12);
    expect(added.indexOf(Math.max(...added))).toBe(2);
  });

  test('has a calibrated probability that rises with the rarity of the score', () => {
    const said = Float64Array.from({ length: rows.count }, (_, i) => logOdds(rows.values as Float64Array, i * 4));
    const calibration = calibrateByRank(said);
    const meant = said.toSorted().map((at) => sigmoid(applyCalibration(calibration, at)));
    expect(meant).toEqual(meant.toSorted());
    expect(meant.filter((probability) => probability > 0.1).length / rows.count).toBeCloseTo(0.005, 3);
  });

  test('is the same for the same rows and seed, and accepts rows that are all equal', () => {
    expect(fitIsolation(makeOutlierRows(1), { ...ISOLATION_DEFAULTS, seed: 1 })).toEqual(forest);
    const equal = { count: 50, features: 2, values: new Float64Array(100).fill(1), labels: new Uint8Array(50) };
    const flat = fitIsolation(equal, { ...ISOLATION_DEFAULTS, seed: 1 });
    expect(Number.isFinite(makeScorer(flat).logOdds(equal.values, 0))).toBe(true);
    const none = calibrateByRank(new Float64Array(50).fill(0.5));
    expect(none.said).toHaveLength(1);
  });
});
