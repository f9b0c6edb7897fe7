import type { ModelFile } from '@portcullis/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dataOf, factsOf, makeRows, paidFor, SEEN, type TestRow, TRAIN, train } from '../../test/training.ts';
import { fineTune } from '../train/fine-tune.ts';
import { joinForests } from '../train/join-forests.ts';
import { makeScorer } from './forest-scorer.ts';
import { ModelError, makeModel } from './model.ts';
import { makePanelScorer, type Others, panelError } from './panel.ts';
import type { Forest } from './tree.ts';

/** High risk with many payments in an hour, and from a crowded address. Each forest sees other rows. */
const risk = ([, payments = 0, users = 0]: readonly number[]): number => (payments > 8 || users > 8.5 ? 0.7 : 0.02);
const withoutKinds = (rows: readonly TestRow[]) => ({ ...dataOf(rows), categories: [] });
const FILES = [1, 2, 3].map((seed) =>
  train(makeRows(1500, seed, risk), { mayUseFeature: (name) => name !== 'metadata.kind' }),
);
const UNSEEN = withoutKinds(makeRows(3000, 9, risk));
const OPTIONS = { share: 0.2, legitimateWeight: 1 };
const joined = joinForests(FILES, UNSEEN, OPTIONS);
const first = joined.forest as Forest;
const others = joined.others as Others;
const scorer = makePanelScorer(first, others);
const each = [first, ...others.forests].map(makeScorer);
const width = joined.features.length;

const anyValue = fc.oneof(fc.double({ min: -1, max: 11, noNaN: true }), fc.constant(Number.NaN));
const anyRow = fc.array(anyValue, { minLength: width, maxLength: width }).map((row) => Float64Array.from(row));
const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

describe('a panel', () => {
  test('leaves rows below `from` to its first forest, and gives others the mean of all, at least `from`', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        const [alone, ...more] = each.map(({ logOdds }) => logOdds(row)) as [number, ...number[]];
        const mean = more.reduce((sum, logOdds) => sum + logOdds, alone) / each.length;
        const expected = alone < others.from ? alone : Math.max(others.from, mean);
        expect(scorer.logOdds(row)).toBeCloseTo(expected, 9);
      }),
      { numRuns: 400 },
    );
  });

  test('has the same log-odds to the bit alone, in a batch and explained', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1, maxLength: 40 }), (rows) => {
        const values = Float64Array.from(rows.flatMap((row) => [...row]));
        const sums = new Float64Array(rows.length);
        scorer.logOddsOfRows(values, rows.length, width, sums);
        const contributions = new Float64Array(width);
        rows.forEach((row, i) => {
          expect(sums[i]).toBe(scorer.logOdds(row));
          expect(sums[i]).toBe(scorer.explain(row, contributions));
        });
      }),
    );
  });

  test('is explained by contributions that add up, also exactly and with hidden features', () => {
    const hidden = new Uint8Array(width);
    fc.assert(
      fc.property(anyRow, (row) => {
        const contributions = new Float64Array(width);
        const logOdds = scorer.explain(row, contributions);
        expect(scorer.baseline + sumOf(contributions)).toBeCloseTo(logOdds, 6);
        expect(scorer.partly(row, hidden, contributions)).toBeCloseTo(logOdds, 9);
        expect(scorer.baseline + sumOf(contributions)).toBeCloseTo(logOdds, 6);
        const baseline = scorer.shapley(row, contributions);
        expect(baseline + sumOf(contributions)).toBeCloseTo(logOdds, 6);
      }),
      { numRuns: 200 },
    );
  });

  test('lets its first forest explain where the others disagree', () => {
    const calm: Forest = { base: others.forests[0]?.base as number, trees: [] };
    const baseline = makeScorer(first).baseline;
    const panel: Others = {
      ...others,
      forests: [
        { ...calm, base: baseline },
        { ...calm, base: baseline },
      ],
    };
    const against = makePanelScorer(first, { ...panel, from: baseline + 1.5 });
    const contributions = new Float64Array(width);
    let found = 0;
    for (let row = 0; row < UNSEEN.count; row++) {
      const values = Float64Array.from(
        joined.features,
        (name) => UNSEEN.values[row * SEEN.length + SEEN.indexOf(name)] as number,
      );
      const logOdds = against.explain(values, contributions);
      expect(against.baseline + sumOf(contributions)).toBeCloseTo(logOdds, 6);
      if (logOdds !== baseline + 1.5) continue;
      const alone = new Float64Array(width);
      makeScorer(first).explain(values, alone);
      // The same reasons, only smaller.
      for (let i = 0; i < width; i++) expect(Math.sign(contributions[i] as number)).toBe(Math.sign(alone[i] as number));
      found++;
    }
    expect(found).toBeGreaterThan(0);
  });
});

describe('joined forests', () => {
  const rowsOf = (data: typeof UNSEEN) =>
    Array.from({ length: data.count }, (_, row) =>
      Float64Array.from(joined.features, (name) => data.values[row * SEEN.length + SEEN.indexOf(name)] as number),
    );

  test('all score at most the given share of legitimate rows', () => {
    const legitimate = rowsOf(UNSEEN).filter((_, row) => UNSEEN.labels[row] === 0);
    const reached = legitimate.filter((row) => (each[0] as (typeof each)[0]).logOdds(row) >= others.from - 1e-6);
    expect(reached.length / legitimate.length).toBeLessThanOrEqual(OPTIONS.share + 1e-9);
    expect(reached.length).toBeGreaterThan(0);
  });

  test('are the same to the byte for the same files and rows', () => {
    expect(JSON.stringify(joinForests(FILES, UNSEEN, OPTIONS))).toBe(JSON.stringify(joined));
    expect(joinForests(FILES.slice(0, 2), UNSEEN, OPTIONS).model_version).not.toBe(joined.model_version);
  });

  test('keep the meaning of their features, whatever features the others have', () => {
    const ends = ([, , users = 0]: readonly number[]): number => (users > 8.5 || users < 0.5 ? 0.7 : 0.02);
    const narrow = train(makeRows(1500, 4, ends), { mayUseFeature: (name) => name === 'ip.distinct_user.24h' });
    const pair = joinForests([narrow, FILES[0] as ModelFile], UNSEEN, { ...OPTIONS, share: 1 });
    const model = makeModel(pair);
    const probability = (values: number[]): number =>
      ({ ...model.explain(factsOf(values), paidFor('book')) }).probability;
    expect(probability([5, 1, 10, 1])).toBeGreaterThan(probability([5, 1, 1, 1]));
    expect(probability([5, 10, 1, 1])).toBeGreaterThanOrEqual(probability([5, 1, 1, 1]));
  });

  test('must be trees without categories', () => {
    expect(() => joinForests([train(makeRows(500, 1, () => 0))], UNSEEN, OPTIONS)).toThrow('boosted trees');
    const withKinds = train(makeRows(2000, 1, (_, kind) => (kind === 'gift' ? 0.8 : 0.02)));
    expect(withKinds.categories).toHaveLength(1);
    expect(() => joinForests([withKinds], UNSEEN, OPTIONS)).toThrow('categories');
  });
});

describe('a fine-tuned panel', () => {
  const planted = (values: readonly number[], kind: string): number =>
    kind === 'gift' && (values[0] as number) > 7 ? 0.95 : risk(values);
  const tuned = fineTune(dataOf(makeRows(4000, 12, planted)), joined, TRAIN);
  const tunedForest = tuned.forest as Forest;
  const tunedOthers = tuned.others as Others;

  test('adds its trees to the log-odds of the panel, and changes nothing else of them', () => {
    const { after, from } = tunedOthers;
    expect(after).toBe(others.after);
    expect(tunedForest.trees.length).toBeGreaterThan(after);
    const shift = tunedForest.base - first.base;
    expect(from - others.from).toBeCloseTo(shift, 6);
    const added = makeScorer({ base: shift, trees: tunedForest.trees.slice(after) });
    const scoreTuned = makePanelScorer(tunedForest, tunedOthers);
    // The trees of the panel keep their features, which come first here because the new one is a category.
    fc.assert(
      fc.property(
        fc.array(anyValue, { minLength: tuned.features.length, maxLength: tuned.features.length }),
        (list) => {
          const row = Float64Array.from(list);
          const inPanel = Float64Array.from(joined.features, (name) => row[tuned.features.indexOf(name)] as number);
          expect(scoreTuned.logOdds(row)).toBeCloseTo(scorer.logOdds(inPanel) + added.logOdds(row), 6);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('is a valid model that explains its points', () => {
    const model = makeModel(tuned);
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: SEEN.length, maxLength: SEEN.length }), (values) => {
        for (const explain of [model.explain, model.explainExactly]) {
          const { points, basePoints, contributions } = (explain as typeof model.explain)(
            factsOf(values),
            paidFor('gift'),
          );
          expect(sumOf(contributions) + basePoints).toBeCloseTo(points, 6);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a panel in a file is rejected', () => {
  const forestAt = (base: number): Forest => ({ base, trees: [] });
  test.each<[string, Others, RegExp]>([
    [
      'if it begins after more trees than there are',
      { after: 1, from: 1, forests: [forestAt(0)] },
      /after 1 of 0 trees/,
    ],
    ['if its baselines differ', { after: 0, from: 1, forests: [forestAt(0), forestAt(0.1)] }, /forest 3/],
    ['if a baseline is no number', { after: 0, from: 1, forests: [forestAt(Number.NaN)] }, /forest 2/],
  ])('%s', (_, panel, reason) => {
    expect(panelError(forestAt(0), panel)).toMatch(reason);
    expect(panelError(forestAt(0), { after: 0, from: 1, forests: [forestAt(0)] })).toBeUndefined();
  });

  test('with the reason, and a broken tree by its forest', () => {
    expect(() => makeModel({ ...joined, others: { ...others, after: 1e6 } })).toThrow(ModelError);
    expect(() => makeModel({ ...joined, others: { ...others, after: 1e6 } })).toThrow(/other forests begin after/);
    const [second, ...rest] = others.forests as [Forest, ...Forest[]];
    const broken = { ...second, trees: [{ ...second.trees[0], feature: [] }, ...second.trees.slice(1)] } as Forest;
    expect(() => makeModel({ ...joined, others: { ...others, forests: [broken, ...rest] } })).toThrow(
      /forest 2 tree 1 has no nodes/,
    );
  });
});
