import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dataOf,
  factsOf,
  KINDS,
  makeRows,
  paidFor,
  planted,
  probabilityOf,
  SEEN,
  TRAIN,
  train,
} from '../../test/training.ts';
import { logit, sigmoid } from '../model/calibration.ts';
import { makeModel } from '../model/model.ts';
import { rankMetrics } from './rank-metrics.ts';
import { trainModel } from './train.ts';

const rows = makeRows(4000, 1, planted);
const file = train(rows);
const model = makeModel(file);
const unseen = makeRows(3000, 2, planted);
const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;

describe('a model trained on labels', () => {
  test('detects fraud by a number and by a category in rows it was not trained on', () => {
    expect(file.kind).toBe('trees');
    expect(file.features).toEqual(expect.arrayContaining(['user.transactions.1h', 'ip.distinct_user.24h']));
    expect(file.features.at(-1)).toBe('metadata.kind');
    const said = unseen.map((row) => probabilityOf(model, row));
    const best = rankMetrics(
      unseen.map(({ values, kind }) => planted(values, kind)),
      unseen.map(({ label }) => label),
    );
    const found = rankMetrics(
      said,
      unseen.map(({ label }) => label),
    );
    expect(found.auc).toBeGreaterThan(best.auc - 0.04);
    expect(found.averagePrecision).toBeGreaterThan(best.averagePrecision - 0.1);
  });

  test('has calibrated probabilities, overall and for the riskiest rows', () => {
    const said = unseen
      .map((row) => ({ said: probabilityOf(model, row), label: row.label }))
      .toSorted((a, b) => a.said - b.said);
    const riskiest = said.slice(-300);
    for (const group of [said, riskiest]) {
      const share = mean(group.map(({ label }) => label));
      expect(Math.abs(mean(group.map((row) => row.said)) / share - 1)).toBeLessThan(0.2);
    }
  });

  test('encodes a category value as the log-odds of fraud among its rows, with a prior', () => {
    const share = mean(rows.map(({ label }) => label));
    const expected = KINDS.map((kind) => {
      const own = rows.filter((row) => row.kind === kind);
      return logit((own.filter(({ label }) => label === 1).length + 20 * share) / (own.length + 20));
    });
    const numbers = KINDS.map((kind) => file.categories[0]?.values[kind] as number);
    numbers.forEach((number, i) => {
      expect(number).toBeCloseTo(expected[i] as number, 5);
    });
  });

  test('records its training data and its metrics on held-out rows', () => {
    const frauds = rows.filter(({ label }) => label === 1).length;
    expect(file.trained).toEqual({
      source: 'a test',
      from: '2026-01-01',
      until: '2026-02-01',
      rows: 4000,
      frauds,
      seed: 1,
    });
    expect(file.metrics.held_out_rows).toBeGreaterThanOrEqual(800);
    expect(file.metrics.auc_roc).toBeGreaterThan(0.8);
    expect(file.metrics.average_precision).toBeGreaterThan(file.metrics.logistic_average_precision as number);
  });

  test('is the same to the byte for the same rows and seed, and differs for another seed or row', () => {
    expect(JSON.stringify(train(rows))).toBe(JSON.stringify(file));
    const other = train(rows, { seed: 2 });
    expect(JSON.stringify(other.forest)).not.toBe(JSON.stringify(file.forest));
    const flipped = train(rows.map((row, i) => (i === 0 ? { ...row, label: row.label === 1 ? 0 : 1 } : row)));
    const versions = [file, other, flipped].map(({ model_version }) => model_version);
    expect(new Set(versions).size).toBe(3);
    for (const version of versions) expect(version).toMatch(/^mdl_[0-9a-z]{10,}$/);
    // The scores are the same, so the recorded source makes the versions differ.
    expect(train(rows, { source: 'another' }).model_version).not.toBe(file.model_version);
  });

  test('scores the same after a round trip through JSON', () => {
    const stored = makeModel(JSON.parse(JSON.stringify(file)));
    for (const row of unseen.slice(0, 200)) expect(probabilityOf(stored, row)).toBe(probabilityOf(model, row));
  });

  test('reports progress that never falls', () => {
    const shares: number[] = [];
    train(rows.slice(0, 1500), { onProgress: (share) => shares.push(share) });
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.every((share) => share > 0 && share <= 1.000_001)).toBe(true);
  });

  test('counts rows by their weight', () => {
    const data = dataOf(rows);
    // Each legitimate row counts as ten, so fraud is that much rarer.
    const weights = Float64Array.from(rows, ({ label }) => (label === 1 ? 1 : 10));
    const rarer = makeModel(trainModel({ ...data, weights }, TRAIN));
    const frauds = unseen.filter(({ label }) => label === 1).length;
    const share = frauds / (frauds + 10 * (unseen.length - frauds));
    const said = unseen.map((row) => ({ p: probabilityOf(rarer, row), weight: row.label === 1 ? 1 : 10 }));
    const expected =
      said.reduce((sum, { p, weight }) => sum + p * weight, 0) / said.reduce((sum, s) => sum + s.weight, 0);
    expect(Math.abs(expected / share - 1)).toBeLessThan(0.25);
  });

  test('does not overstate the probability of frauds that weigh more, if it is calibrated for real traffic', () => {
    // Frauds that are hard to see weigh most.
    const weightOf = ({ values, kind, label }: (typeof rows)[number]): number =>
      label === 1 && planted(values, kind) < 0.3 ? 8 : 1;
    const frauds = rows.filter(({ label }) => label === 1);
    const options = { ...TRAIN, legitimateWeight: mean(frauds.map(weightOf)) };
    const trained = makeModel(trainModel({ ...dataOf(rows), weights: Float64Array.from(rows, weightOf) }, options));
    const safest = unseen
      .map((row) => ({ said: probabilityOf(trained, row), label: row.label }))
      .toSorted((a, b) => a.said - b.said)
      .slice(0, 2000);
    const share = mean(safest.map(({ label }) => label));
    const ratio = mean(safest.map(({ said }) => said)) / share;
    expect(ratio).toBeGreaterThan(0.75);
    expect(ratio).toBeLessThan(1.25);
  });
});

describe('training', () => {
  test('uses only allowed features', () => {
    const blind = (name: string): boolean => name !== 'user.transactions.1h' && name !== 'metadata.kind';
    for (const some of [rows, rows.map((row) => ({ ...row, label: 0 as const }))]) {
      const { features, kind } = train(some, { mayUseFeature: blind });
      expect(features.length).toBeGreaterThan(0);
      expect(
        features.filter((name) => !blind(name)),
        kind,
      ).toEqual([]);
    }
  });

  const anyValue = fc.oneof(fc.double({ min: -1, max: 11, noNaN: true }), fc.constant(Number.NaN));
  const anySeen = fc.array(anyValue, { minLength: SEEN.length, maxLength: SEEN.length });
  /** More payments never lower the score, for any other values. */
  const expectRising = (trained: ReturnType<typeof train>): void => {
    const { explain } = makeModel(trained);
    const value = fc.double({ min: -1, max: 11, noNaN: true });
    fc.assert(
      fc.property(anySeen, value, value, fc.constantFrom(...KINDS), (others, a, b, kind) => {
        const pointsAt = (payments: number): number => explain(factsOf(others.with(1, payments)), paidFor(kind)).points;
        expect(pointsAt(Math.max(a, b))).toBeGreaterThanOrEqual(pointsAt(Math.min(a, b)) - 1e-9);
      }),
      { numRuns: 300 },
    );
  };
  const riskSign = (name: string) => (name === 'user.transactions.1h' ? 1 : 0);

  test('keeps trees to monotone constraints, even against the training rows', () => {
    const wavy = makeRows(4000, 3, ([dollars = 0, payments = 0]) =>
      dollars > 5 !== payments > 5 ? 0.5 : payments > 8 ? 0.4 : 0.02,
    );
    expect(train(wavy).kind).toBe('trees');
    expectRising(train(wavy, { riskSign }));
  });

  /** A risk that rises with some numbers and falls with another, too weakly for trees on few rows. */
  const away = (value: number | undefined): number => (value || 5) - 5;
  const straight = makeRows(600, 3, ([dollars, payments, users, failed]) =>
    sigmoid(-1.5 + 0.35 * (away(dollars) - away(payments) + away(users) + away(failed))),
  );
  test('chooses a logistic regression if it is better', () => {
    const line = train(straight);
    expect(line.kind).toBe('logistic');
    expect(line.metrics.logistic_average_precision).toBeGreaterThan(line.metrics.average_precision as number);
    expect(line.forest).toBeUndefined();
    const high = makeModel(line).explain(factsOf([9, 1, 9, 9]), paidFor('book'));
    const low = makeModel(line).explain(factsOf([1, 9, 1, 1]), paidFor('book'));
    expect(high.probability).toBeGreaterThan(0.3);
    expect(low.probability).toBeLessThan(high.probability);
  });

  test('rejects a logistic regression that violates a monotone constraint', () => {
    const trained = train(straight, { riskSign });
    expect(trained.metrics.logistic_average_precision).toBeGreaterThan(trained.metrics.average_precision as number);
    expectRising(trained);
  });

  test('predicts the share of fraud if all features are constant', () => {
    const labels = Uint8Array.from({ length: 1000 }, (_, i) => (i % 10 === 0 ? 1 : 0));
    const flat = { ...dataOf([]), count: 1000, features: 0, names: [], labels, categories: [] };
    const { features, ...rest } = trainModel({ ...flat, weights: new Float64Array(1000).fill(1) }, TRAIN);
    expect(features).toEqual([]);
    expect(makeModel({ features, ...rest }).explain(factsOf([1, 1, 1, 1]), paidFor('book')).probability).toBeCloseTo(
      0.1,
      1,
    );
  });

  test('works if labelling began late and all fraud is among the newest rows', () => {
    const late = makeRows(2000, 5, (values, kind) => planted(values, kind)).map((row, i) =>
      i < 1800 ? { ...row, label: 0 as const } : row,
    );
    expect(late.filter(({ label }) => label === 1).length).toBeGreaterThan(20);
    expect(train(late).features.length).toBeGreaterThan(0);
  });

  test('rejects an empty table', () => {
    expect(() => trainModel(dataOf([]), TRAIN)).toThrow('there are no labelled items to train on');
  });
});

describe('a model trained without enough fraud', () => {
  // Ordinary rows are near the middle; one in 600 is an outlier.
  const ordinary = makeRows(3000, 7, () => 0).map((row, i) =>
    i % 600 === 0
      ? { ...row, values: [90, 70, 80, 60] }
      : {
          ...row,
          values: row.values.map((value) => (Number.isNaN(value) ? 5 : 4 + value / 5)),
          label: (i < 10 ? 1 : 0) as 0 | 1,
        },
  );
  const odd = train(ordinary);
  const anomaly = makeModel(odd);

  test('scores outliers high, and has no metrics', () => {
    expect([odd.kind, odd.metrics, odd.categories]).toEqual(['anomaly', {}, []]);
    const usual = ordinary.filter((_, i) => i % 600 !== 0).map((row) => probabilityOf(anomaly, row));
    expect(probabilityOf(anomaly, { values: [90, 70, 80, 60], kind: 'book' })).toBeGreaterThan(Math.max(...usual));
    expect(anomaly.explain(factsOf([85, 75, 70, 65]), paidFor('book')).points).toBeGreaterThanOrEqual(50);
    const flagged = ordinary.filter((row) => anomaly.explain(factsOf(row.values), paidFor(row.kind)).points >= 50);
    expect(flagged.length / ordinary.length).toBeLessThan(0.02);
  });

  test('is the same to the byte for the same rows and seed', () => {
    expect(JSON.stringify(train(ordinary))).toBe(JSON.stringify(odd));
    expect(train(ordinary, { seed: 2 }).model_version).not.toBe(odd.model_version);
  });

  test('can be trained if all rows are fraud, and on a single row', () => {
    expect(train(rows.map((row) => ({ ...row, label: 1 as const }))).kind).toBe('anomaly');
    const single = makeModel(train(rows.slice(0, 1)));
    expect(single.explain(factsOf([1, 2, 3, 4]), paidFor('book')).points).toBeLessThan(50);
  });
});
