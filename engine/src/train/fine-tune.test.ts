import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dataOf,
  factsOf,
  KINDS,
  makeRows,
  paidFor,
  probabilityOf,
  SEEN,
  type TestRow,
  TRAIN,
  train,
} from '../../test/training.ts';
import { REVIEW_LOG_ODDS, sigmoid } from '../model/calibration.ts';
import { makeModel } from '../model/model.ts';
import { fineTune } from './fine-tune.ts';
import { rankMetrics } from './rank-metrics.ts';
import { makeTrainingTable } from './table.ts';

/** The risk of the base model's training rows: one kind of fraud, visible in one of its two features. */
const known = ([dollars = 0, payments = 0]: readonly number[]): number =>
  payments > 8 || (dollars > 4 && dollars < 5) ? 0.7 : 0.02;
/** The same risk, and a kind of fraud that the base model does not know. */
const planted = (values: readonly number[], kind: string): number =>
  kind === 'gift' && (values[2] as number) > 7 ? 0.97 : known(values);
/** The same, less certain. */
const suspected = (values: readonly number[], kind: string): number =>
  kind === 'gift' && (values[2] as number) > 7 ? 0.5 : known(values);
const mayUseFeature = (name: string): boolean => ['user.transactions.1h', 'dollars'].includes(name);
const base = train(makeRows(6000, 1, known), { mayUseFeature });
const baseModel = makeModel(base);

const tune = (rows: readonly TestRow[], more = {}) => fineTune(dataOf(rows), base, { ...TRAIN, ...more });
const precisionOf = (model: ReturnType<typeof makeModel>, rows: readonly TestRow[]): number =>
  rankMetrics(
    rows.map((row) => probabilityOf(model, row)),
    rows.map(({ label }) => label),
  ).averagePrecision;
const REVIEWED = sigmoid(REVIEW_LOG_ODDS);
/** The share of rows that the model would review. */
const shareHeld = (model: ReturnType<typeof makeModel>, rows: readonly TestRow[]): number =>
  rows.filter((row) => probabilityOf(model, row) >= REVIEWED).length / rows.length;
const unseen = makeRows(4000, 9, planted);

const anyValue = fc.oneof(fc.double({ min: -1, max: 11, noNaN: true }), fc.constant(Number.NaN));
const anyRow = fc.record({
  values: fc.array(anyValue, { minLength: SEEN.length, maxLength: SEEN.length }),
  kind: fc.constantFrom(...KINDS, 'never seen'),
});

test('rejects a base model that has no boosted trees', () => {
  const anomaly = train(makeRows(500, 1, () => 0));
  expect(() => fineTune(dataOf(unseen), anomaly, TRAIN)).toThrow('cannot fine-tune a model of kind anomaly');
});

describe('a fine-tuned model', () => {
  const file = tune(makeRows(4000, 2, planted));
  const model = makeModel(file);

  test('keeps the trees of the base model, and its features first', () => {
    const own = file.forest?.trees ?? [];
    expect(own.slice(0, base.forest?.trees.length)).toEqual(base.forest?.trees);
    expect(own.length).toBeGreaterThan(base.forest?.trees.length as number);
    expect(file.features.slice(0, base.features.length)).toEqual(base.features);
    expect(file.features).toEqual(expect.arrayContaining(['ip.distinct_user.24h', 'metadata.kind']));
  });

  test('detects fraud that the base model does not know, and fraud that it knows', () => {
    expect(precisionOf(model, unseen)).toBeGreaterThan(precisionOf(baseModel, unseen) + 0.1);
    const old = unseen.filter(({ values, label }) => label === 0 || known(values) > 0.5);
    expect(precisionOf(model, old)).toBeGreaterThan(precisionOf(baseModel, old) - 0.03);
  });

  test('reports its gain over the base model on the same held-out rows', () => {
    expect(file.metrics.average_precision).toBeGreaterThan(file.metrics.base_average_precision as number);
  });

  test('is the same to the byte for the same rows and seed, and differs for another seed', () => {
    const again = () => tune(makeRows(1500, 2, planted));
    expect(JSON.stringify(again())).toBe(JSON.stringify(again()));
    expect(tune(makeRows(1500, 2, planted), { seed: 2 }).model_version).not.toBe(again().model_version);
  });

  test('adds no tree if the base model misses nothing, and then ranks all rows like the base model', () => {
    const same = tune(makeRows(4000, 3, known));
    expect(same.forest?.trees).toEqual(base.forest?.trees);
    const unchanged = makeModel(same);
    fc.assert(
      fc.property(anyRow, anyRow, (a, b) => {
        const [before, after] = [baseModel, unchanged].map((by) =>
          Math.sign(probabilityOf(by, a) - probabilityOf(by, b)),
        ) as [number, number];
        // The calibration of the base model can have flat parts, but it never reverses an order.
        if (before !== 0) expect(after).toBe(before);
      }),
    );
  });

  test('changes less with few rows than with many', () => {
    const moves = [150, 600, 4000].map((count) => {
      const judged = makeModel(tune(makeRows(count, 4, planted)));
      const gifts = unseen.filter(({ values, kind }) => planted(values, kind) === 0.97 && known(values) < 0.5);
      return gifts.reduce((sum, row) => sum + probabilityOf(judged, row), 0) / gifts.length;
    });
    expect(moves).toEqual(moves.toSorted((a, b) => a - b));
    expect((moves[2] as number) - (moves[0] as number)).toBeGreaterThan(0.15);
  });

  test('keeps to monotone constraints', () => {
    const falling = makeRows(4000, 5, ([, , users = 0]) => (users < 2 ? 0.4 : 0.02));
    const { explain } = makeModel(
      tune(falling, { riskSign: (name: string) => (name === 'ip.distinct_user.24h' ? 1 : 0) }),
    );
    fc.assert(
      fc.property(anyRow, fc.double({ min: -1, max: 11, noNaN: true }), ({ values, kind }, more) => {
        const at = (users: number): number => explain(factsOf(values.with(2, users)), paidFor(kind)).points;
        const least = Number.isNaN(values[2]) ? 0 : (values[2] as number);
        expect(at(Math.max(least, more))).toBeGreaterThanOrEqual(at(Math.min(least, more)) - 1e-9);
      }),
    );
  });

  test('reviews hardly more legitimate rows than the base model', () => {
    // Ten times the fraud that the base model expects: without the limit it would review a large part of all rows.
    const flooded = makeRows(12_000, 6, (_, kind) => (kind === 'gift' ? 0.5 : 0.09));
    const judged = makeModel(tune(flooded));
    const later = makeRows(4000, 7, (_, kind) => (kind === 'gift' ? 0.5 : 0.09)).filter(({ label }) => label === 0);
    expect(shareHeld(judged, later)).toBeLessThan(shareHeld(baseModel, later) + 0.03);
  });

  test('reviews at most 0.15 % more of the training rows than the base model, also of those held out at first', () => {
    for (const seed of [1, 2, 3]) {
      // A kind of fraud that began shortly before the held-out rows: the final trees know much more of it.
      const rows = [...makeRows(3000, 10 + seed, known), ...makeRows(1500, 20 + seed, suspected)];
      const judged = makeModel(tune(rows, { seed }));
      for (const period of [rows, rows.slice(-900)]) {
        const ordinary = period.filter(({ label }) => label === 0);
        expect(shareHeld(judged, ordinary)).toBeLessThanOrEqual(shareHeld(baseModel, ordinary) + 0.0015);
      }
    }
  });

  test('reports progress that never falls', () => {
    const shares: number[] = [];
    tune(makeRows(1500, 2, planted), { onProgress: (share: number) => shares.push(share) });
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBeCloseTo(1);
  });

  test('rejects rows that lack a feature of the base model', () => {
    const data = dataOf(unseen);
    expect(() => fineTune({ ...data, names: ['a', 'b', 'c', 'd'] }, base, TRAIN)).toThrow(
      'the training rows have no column',
    );
  });
});

test('the categories of a base model keep their numbers, wherever its features stand', () => {
  const withKinds = train(makeRows(4000, 1, planted), {
    mayUseFeature: (name) => mayUseFeature(name) || name === 'metadata.kind',
  });
  expect(withKinds.categories).toHaveLength(1);
  const file = fineTune(dataOf(makeRows(4000, 3, planted)), withKinds, TRAIN);
  expect(file.categories[0]).toEqual(withKinds.categories[0]);
  expect(file.features.length).toBeGreaterThan(withKinds.features.length);
  expect(file.features.at(-1)).toBe('metadata.kind');
  expect(precisionOf(makeModel(file), unseen)).toBeGreaterThan(precisionOf(makeModel(withKinds), unseen));
});

describe('missing metadata does not raise the risk', () => {
  const ordinary = unseen.filter(({ values, kind }) => planted(values, kind) === 0.02);
  /** The mean probability of ordinary rows if each had this category. */
  const meanOf = (model: ReturnType<typeof makeModel>, kindOf: (row: TestRow) => string | undefined): number =>
    ordinary.reduce((sum, row) => sum + model.explain(factsOf(row.values), paidFor(kindOf(row))).probability, 0) /
    ordinary.length;
  const expectNone = (model: ReturnType<typeof makeModel>): void => {
    const usual = meanOf(model, ({ kind }) => kind);
    for (const kind of [undefined, 'never seen']) expect(meanOf(model, () => kind)).toBeLessThan(2 * usual);
  };

  test('if all training rows have a known value', () => {
    expectNone(makeModel(tune(makeRows(4000, 2, planted))));
  });

  test('if the metadata of labelled rows was deleted', () => {
    const table = makeTrainingTable(100_000);
    for (const { values, label } of makeRows(200, 6, () => 0.6))
      table.add(factsOf(values), paidFor(undefined), label, 1, true);
    for (const { values, kind, label } of makeRows(4000, 2, planted)) table.add(factsOf(values), paidFor(kind), label);
    const data = table.between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, base.features);
    expectNone(makeModel(fineTune(data, base, TRAIN)));
  });
});
