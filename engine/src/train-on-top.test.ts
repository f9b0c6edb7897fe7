import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dataOf,
  factsOf,
  KINDS,
  type Made,
  makeRows,
  paidFor,
  probabilityOf,
  SEEN,
  TRAIN,
  train,
} from '../test/training.ts';
import { makeModel } from './model.ts';
import { rankMetrics } from './rank-metrics.ts';
import { trainOnTop } from './train-on-top.ts';
import { makeTrainingTable } from './training-table.ts';

/** A base model that knows one kind of fraud and looks at two features alone. */
const known = ([dollars = 0, payments = 0]: readonly number[]): number =>
  payments > 8 || (dollars > 4 && dollars < 5) ? 0.7 : 0.02;
/** The same, and one it does not know. */
const planted = (values: readonly number[], kind: string): number =>
  kind === 'gift' && (values[2] as number) > 7 ? 0.97 : known(values);
const mayLookAt = (name: string): boolean => ['user.transactions.1h', 'dollars'].includes(name);
const base = train(makeRows(6000, 1, known), { mayLookAt });
const baseModel = makeModel(base);

const onTop = (rows: readonly Made[], more = {}) => trainOnTop(dataOf(rows), base, { ...TRAIN, ...more });
const precisionOf = (model: ReturnType<typeof makeModel>, rows: readonly Made[]): number =>
  rankMetrics(
    rows.map((row) => probabilityOf(model, row)),
    rows.map(({ label }) => label),
  ).averagePrecision;
const unseen = makeRows(4000, 9, planted);

const anyValue = fc.oneof(fc.double({ min: -1, max: 11, noNaN: true }), fc.constant(Number.NaN));
const anyRow = fc.record({
  values: fc.array(anyValue, { minLength: SEEN.length, maxLength: SEEN.length }),
  kind: fc.constantFrom(...KINDS, 'never seen'),
});

test('only a model of boosted trees can be built upon, and that is said', () => {
  const anomaly = train(makeRows(500, 1, () => 0));
  expect(() => trainOnTop(dataOf(unseen), anomaly, TRAIN)).toThrow('kind anomaly cannot be built upon');
});

describe('a model on top of a base model', () => {
  const file = onTop(makeRows(4000, 2, planted));
  const model = makeModel(file);

  test('holds the trees of the base as they are, and looks at its features first', () => {
    const own = file.forest?.trees ?? [];
    expect(own.slice(0, base.forest?.trees.length)).toEqual(base.forest?.trees);
    expect(own.length).toBeGreaterThan(base.forest?.trees.length as number);
    expect(file.features.slice(0, base.features.length)).toEqual(base.features);
    expect(file.features).toEqual(expect.arrayContaining(['ip.distinct_user.24h', 'metadata.kind']));
  });

  test('finds fraud of a kind that the base does not know, and still what that knows', () => {
    expect(precisionOf(model, unseen)).toBeGreaterThan(precisionOf(baseModel, unseen) + 0.1);
    const old = unseen.filter(({ values, label }) => label === 0 || known(values) > 0.5);
    expect(precisionOf(model, old)).toBeGreaterThan(precisionOf(baseModel, old) - 0.03);
  });

  test('tells what it did better than the base on the same held-out rows', () => {
    expect(file.metrics.average_precision).toBeGreaterThan(file.metrics.base_average_precision as number);
  });

  test('is the same to the byte for the same rows and seed, and another for another seed', () => {
    const again = () => onTop(makeRows(1500, 2, planted));
    expect(JSON.stringify(again())).toBe(JSON.stringify(again()));
    expect(onTop(makeRows(1500, 2, planted), { seed: 2 }).model_version).not.toBe(again().model_version);
  });

  test('grows no tree where the base misses nothing, and then ranks any two rows exactly as the base', () => {
    const same = onTop(makeRows(4000, 3, known));
    expect(same.forest?.trees).toEqual(base.forest?.trees);
    const unchanged = makeModel(same);
    fc.assert(
      fc.property(anyRow, anyRow, (a, b) => {
        const [before, after] = [baseModel, unchanged].map((by) =>
          Math.sign(probabilityOf(by, a) - probabilityOf(by, b)),
        ) as [number, number];
        // The base's own calibration may have flat parts; nothing it tells apart is turned round.
        if (before !== 0) expect(after).toBe(before);
      }),
    );
  });

  test('learns less from few rows than from many', () => {
    const moves = [150, 600, 4000].map((count) => {
      const judged = makeModel(onTop(makeRows(count, 4, planted)));
      const gifts = unseen.filter(({ values, kind }) => planted(values, kind) === 0.97 && known(values) < 0.5);
      return gifts.reduce((sum, row) => sum + probabilityOf(judged, row), 0) / gifts.length;
    });
    expect(moves).toEqual(moves.toSorted((a, b) => a - b));
    expect((moves[2] as number) - (moves[0] as number)).toBeGreaterThan(0.15);
  });

  test('does not lower the score for more of what may only raise it', () => {
    const falling = makeRows(4000, 5, ([, , users = 0]) => (users < 2 ? 0.4 : 0.02));
    const { judge } = makeModel(onTop(falling, { rises: (name: string) => name === 'ip.distinct_user.24h' }));
    fc.assert(
      fc.property(anyRow, fc.double({ min: -1, max: 11, noNaN: true }), ({ values, kind }, more) => {
        const at = (users: number): number => judge(factsOf(values.with(2, users)), paidFor(kind)).points;
        const least = Number.isNaN(values[2]) ? 0 : (values[2] as number);
        expect(at(Math.max(least, more))).toBeGreaterThanOrEqual(at(Math.min(least, more)) - 1e-9);
      }),
    );
  });

  test('brings hardly more of what is no fraud to a review than the base does', () => {
    // Ten times the fraud the base expects: calibrated alone, it would hold a large part of everything.
    const flooded = makeRows(12_000, 6, (_, kind) => (kind === 'gift' ? 0.5 : 0.09));
    const judged = makeModel(onTop(flooded));
    const later = makeRows(4000, 7, (_, kind) => (kind === 'gift' ? 0.5 : 0.09)).filter(({ label }) => label === 0);
    const held = (by: typeof judged): number =>
      later.filter((row) => probabilityOf(by, row) >= 0.1).length / later.length;
    expect(held(judged)).toBeLessThan(held(baseModel) + 0.03);
  });

  test('tells how far it is, never going back', () => {
    const shares: number[] = [];
    onTop(makeRows(1500, 2, planted), { onProgress: (share: number) => shares.push(share) });
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBeCloseTo(1);
  });

  test('refuses rows without a feature that the base looks at', () => {
    const data = dataOf(unseen);
    expect(() => trainOnTop({ ...data, names: ['a', 'b', 'c', 'd'] }, base, TRAIN)).toThrow('the rows hold no');
  });
});

test('a base with categories keeps its numbers for their values, wherever its features stand', () => {
  const withKinds = train(makeRows(4000, 1, planted), {
    mayLookAt: (name) => mayLookAt(name) || name === 'metadata.kind',
  });
  expect(withKinds.categories).toHaveLength(1);
  const file = trainOnTop(dataOf(makeRows(4000, 3, planted)), withKinds, TRAIN);
  expect(file.categories[0]).toEqual(withKinds.categories[0]);
  expect(file.features.length).toBeGreaterThan(withKinds.features.length);
  expect(file.features.at(-1)).toBe('metadata.kind');
  expect(precisionOf(makeModel(file), unseen)).toBeGreaterThan(precisionOf(makeModel(withKinds), unseen));
});

describe('metadata that says nothing is not taken for the worst there is', () => {
  const ordinary = unseen.filter(({ values, kind }) => planted(values, kind) === 0.02);
  /** What is said of ordinary rows on average, had each been of that kind. */
  const meanOf = (model: ReturnType<typeof makeModel>, kindOf: (row: Made) => string | undefined): number =>
    ordinary.reduce((sum, row) => sum + model.judge(factsOf(row.values), paidFor(kindOf(row))).probability, 0) /
    ordinary.length;
  const expectNone = (model: ReturnType<typeof makeModel>): void => {
    const usual = meanOf(model, ({ kind }) => kind);
    for (const kind of [undefined, 'never seen']) expect(meanOf(model, () => kind)).toBeLessThan(2 * usual);
  };

  test('where nobody ever sent none, or such a value', () => {
    expectNone(makeModel(onTop(makeRows(4000, 2, planted))));
  });

  test('where labels outlived theirs: they are what people happened to look at, and fraud for nothing that is left of them', () => {
    const table = makeTrainingTable(100_000);
    for (const { values, label } of makeRows(200, 6, () => 0.6))
      table.add(factsOf(values), paidFor(undefined), label, 1, true);
    for (const { values, kind, label } of makeRows(4000, 2, planted)) table.add(factsOf(values), paidFor(kind), label);
    const data = table.between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, base.features);
    expectNone(makeModel(trainOnTop(data, base, TRAIN)));
  });
});
