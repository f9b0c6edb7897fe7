import type { ModelFile } from '@portcullis/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { factsOf, KINDS, makeRows, paidFor, planted, SEEN, train } from '../../test/training.ts';
import { sigmoid } from './calibration.ts';
import { type Model, ModelError, makeModel } from './model.ts';
import type { Tree } from './tree.ts';

const away = (value: number | undefined): number => (value || 5) - 5;
const line = ([dollars, payments, users, failed]: readonly number[]): number =>
  sigmoid(-1.5 + 0.35 * (away(dollars) - away(payments) + away(users) + away(failed)));
const FILES = {
  trees: train(makeRows(2000, 1, planted)),
  logistic: train(makeRows(600, 3, line)),
  anomaly: train(makeRows(600, 4, () => 0)),
} as const;
const KIND_NAMES = ['trees', 'logistic', 'anomaly'] as const;

/** Exact contributions of an anomaly model take a hundred times as long as those of the others. */
const RUNS = { trees: 40, logistic: 40, anomaly: 10 };

const anyValue = fc.oneof(fc.double({ min: -5, max: 20, noNaN: true }), fc.constantFrom(Number.NaN, 0, 1e9, -1e9));
const anySeen = fc.array(anyValue, { minLength: SEEN.length, maxLength: SEEN.length });
const anyKind = fc.constantFrom(...KINDS, 'never seen', undefined);

describe.each(KIND_NAMES)('a model of kind %s', (kind) => {
  const file = FILES[kind];
  const model = makeModel(file);

  test('has the kind and version of its file', () => {
    expect([file.kind, model.kind, model.version]).toEqual([kind, kind, file.model_version]);
  });

  test('has contributions that add up to its points', () => {
    fc.assert(
      fc.property(anySeen, anyKind, (values, of) => {
        for (const explain of [model.explain, model.explainExactly]) {
          if (explain === undefined) continue;
          const { points, basePoints, probability, contributions } = explain(factsOf(values), paidFor(of));
          expect(points >= 0 && points <= 100 && probability >= 0 && probability <= 1).toBe(true);
          expect(contributions).toHaveLength(file.features.length);
          expect(contributions.reduce((sum, added) => sum + added, basePoints)).toBeCloseTo(points, 6);
        }
      }),
      { numRuns: RUNS[kind] },
    );
  });

  test('has the same points with and without exact contributions', () => {
    expect(model.explainExactly === undefined).toBe(kind === 'logistic');
    fc.assert(
      fc.property(anySeen, anyKind, (values, of) => {
        const { points, probability } = model.explain(factsOf(values), paidFor(of));
        const exact = model.explainExactly?.(factsOf(values), paidFor(of));
        if (exact !== undefined) expect([exact.points, exact.probability]).toEqual([points, probability]);
      }),
      { numRuns: RUNS[kind] / 2 },
    );
  });

  test('never gives fewer points for a higher probability', () => {
    fc.assert(
      fc.property(anySeen, anySeen, (a, b) => {
        const first = { ...model.explain(factsOf(a), paidFor('book')) };
        const second = model.explain(factsOf(b), paidFor('book'));
        const [low, high] = first.probability < second.probability ? [first, second] : [second, first];
        // Near certainty two probabilities can round to the same number, though their points differ.
        if (low.probability < high.probability) expect(high.points).toBeGreaterThanOrEqual(low.points);
      }),
    );
  });
});

/** A tree with one split: at most 3 payments in an hour. */
const stump = (more: Partial<Tree> = {}): Tree => ({
  feature: [0, -1, -1],
  threshold: [3, 0, 0],
  missingLeft: [1, 0, 0],
  left: [1, -1, -1],
  right: [2, -1, -1],
  value: [0, -1, 2],
  cover: [10, 6, 4],
  ...more,
});
const fileOf = (more: Partial<ModelFile> = {}): ModelFile => ({
  schema: 'portcullis.model',
  schema_version: 1,
  model_version: 'mdl_small',
  kind: 'trees',
  trained: { source: 'a test', from: '2026-01-01', until: '2026-01-01', rows: 10, frauds: 3, seed: 1 },
  features: ['user.transactions.1h', 'metadata.kind'],
  categories: [{ member: 'metadata.kind', values: { gift: 2, book: -2 } }],
  forest: { base: -1, trees: [stump()] },
  calibration: { said: [0], meant: [0] },
  metrics: {},
  ...more,
});
const pointsOf = ({ explain }: Model, payments: number, kind?: string): number =>
  explain(factsOf([0, payments, 0, 0]), paidFor(kind)).points;

describe('an unknown value', () => {
  test.each([
    ['left', 1, 1],
    ['right', 0, 9],
  ])('goes %s according to `missingLeft`', (_, missingLeft, payments) => {
    const model = makeModel(fileOf({ forest: { base: -1, trees: [stump({ missingLeft: [missingLeft, 0, 0] })] } }));
    expect(pointsOf(model, 9)).toBeGreaterThan(pointsOf(model, 1));
    expect(pointsOf(model, Number.NaN)).toBe(pointsOf(model, payments));
  });

  test('stands for a category value that is absent or not in the model', () => {
    const tree = stump({ feature: [1, -1, -1], threshold: [0, 0, 0] });
    const model = makeModel(fileOf({ forest: { base: -1, trees: [tree] } }));
    for (const kind of ['never seen', 'constructor', undefined]) {
      expect(pointsOf(model, 4, kind)).toBe(pointsOf(model, 4, 'book'));
    }
    expect(pointsOf(model, 4, 'gift')).toBeGreaterThan(pointsOf(model, 4, 'book'));
  });
});

describe('a broken file', () => {
  const withTree = (more: Partial<Tree>) => fileOf({ forest: { base: 0, trees: [stump(), stump(more)] } });
  const logistic = { intercept: 0, means: [1, 1], deviations: [1, 1], weights: [1, 0, 1, 0] };
  const asLine = (more: Partial<typeof logistic>) => fileOf({ kind: 'logistic', logistic: { ...logistic, ...more } });
  const without = (field: 'forest'): ModelFile => {
    const { [field]: _, ...rest } = fileOf();
    return rest;
  };

  test('differs from a valid one, which is accepted', () => {
    expect(() => makeModel(withTree({}))).not.toThrow();
    expect(() => makeModel(asLine({}))).not.toThrow();
  });

  test.each<[string, ModelFile, RegExp]>([
    ['an unknown feature', fileOf({ features: ['user.shoe_size', 'metadata.kind'] }), /`user\.shoe_size`/],
    ['a category in place of a number', fileOf({ features: ['metadata.kind', 'metadata.kind'] }), /`metadata\.kind`/],
    ['categories in another order', fileOf({ features: ['user.transactions.1h', 'dollars'] }), /last features/],
    ['more categories than features', fileOf({ features: [] }), /last features/],
    ['no trees though its kind is trees', without('forest'), /kind is trees, but it has no `forest`/],
    [
      'no trees though its kind is anomaly',
      { ...without('forest'), kind: 'anomaly' },
      /kind is anomaly, but it has no `forest`/,
    ],
    [
      'no weights though its kind is logistic',
      fileOf({ kind: 'logistic' }),
      /kind is logistic, but it has no `logistic`/,
    ],
    ['a tree with a cycle', withTree({ left: [0, -1, -1] }), /^tree 2 .*child 0/],
    ['a tree with a child beyond its end', withTree({ right: [3, -1, -1] }), /^tree 2 .*child 3/],
    ['a tree with a split without a child', withTree({ left: [-1, -1, -1] }), /^tree 2 .*child -1/],
    ['a tree with two paths to a node', withTree({ right: [1, -1, -1] }), /^tree 2 .*node 1/],
    ['a tree of lists with different lengths', withTree({ value: [0, 1] }), /^tree 2 .*different lengths/],
    ['a tree with a feature beyond the last', withTree({ feature: [2, -1, -1] }), /^tree 2 .*feature 2 of 2/],
    ['a tree with a cover of 0', withTree({ cover: [0, 0, 0] }), /^tree 2 .*node 0/],
    [
      'a tree without nodes',
      withTree({ feature: [], threshold: [], missingLeft: [], left: [], right: [], value: [], cover: [] }),
      /^tree 2 has no nodes/,
    ],
    ['a calibration that falls', fileOf({ calibration: { said: [0, 1], meant: [1, 0] } }), /calibration/],
    ['a calibration that is not sorted', fileOf({ calibration: { said: [1, 0], meant: [0, 1] } }), /calibration/],
    [
      'a calibration with the same point twice',
      fileOf({ calibration: { said: [1, 1], meant: [0, 1] } }),
      /calibration/,
    ],
    ['an empty calibration', fileOf({ calibration: { said: [], meant: [] } }), /calibration/],
    ['half a calibration', fileOf({ calibration: { said: [0, 1], meant: [0] } }), /calibration/],
    ['too few weights', asLine({ weights: [1, 0, 1] }), /weights do not match its 2 features/],
    ['too many means', asLine({ means: [1, 1, 1] }), /weights do not match its 2 features/],
    ['too few deviations', asLine({ deviations: [1] }), /weights do not match its 2 features/],
    ['a deviation of 0', asLine({ deviations: [1, 0] }), /deviation/],
  ])('with %s is rejected with the reason', (_, broken, reason) => {
    expect(() => makeModel(broken)).toThrow(ModelError);
    expect(() => makeModel(broken)).toThrow(reason);
  });
});
