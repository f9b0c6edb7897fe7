import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sigmoid } from '../model/calibration.ts';
import { makeScorer } from '../model/forest-scorer.ts';
import { shapley } from '../model/shap.ts';
import { type Forest, LEAF, leafOf, type Tree } from '../model/tree.ts';
import { makeRandom } from '../random.ts';
import { binRows, fitCuts, MISSING_BIN, type Rows } from './bins.ts';
import { BOOST_DEFAULTS, boost } from './boost.ts';
import { rankMetrics } from './rank-metrics.ts';

/** Rows of `features` numbers, some unknown, labelled by a rule with some noise. */
const makeRows = (
  count: number,
  features: number,
  seed: number,
  risk: (row: Float64Array) => number,
  unknown = 0,
): Rows => {
  const random = makeRandom(seed);
  const values = new Float64Array(count * features);
  const labels = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const row = values.subarray(i * features, (i + 1) * features);
    for (let f = 0; f < features; f++) row[f] = random() < unknown ? Number.NaN : random() * 10;
    labels[i] = random() < risk(row) ? 1 : 0;
  }
  return { count, features, values, labels };
};
const OPTIONS = { ...BOOST_DEFAULTS, trees: 40, learningRate: 0.2, minHessian: 0.5, lambda: 1, seed: 1 };
const scoresOf = (forest: Forest, { count, features, values }: Rows): number[] => {
  const { logOdds } = makeScorer(forest);
  return Array.from({ length: count }, (_, i) => logOdds(values as Float64Array, i * features));
};

describe('boosting', () => {
  test('learns an interaction of two features', () => {
    const xor = (row: Float64Array): number => ((row[0] as number) > 5 !== (row[1] as number) > 5 ? 0.9 : 0.05);
    const forest = boost(makeRows(4000, 4, 1, xor), OPTIONS);
    const unseen = makeRows(2000, 4, 2, xor);
    expect(rankMetrics(scoresOf(forest, unseen), unseen.labels).auc).toBeGreaterThan(0.9);
  });

  test('learns a rare tail among thousands of rows', () => {
    const tail = (row: Float64Array): number => ((row[0] as number) > 9.98 ? 0.9 : 0.001);
    const forest = boost(makeRows(20_000, 2, 3, tail), { ...OPTIONS, minHessian: 0.1 });
    const unseen = makeRows(20_000, 2, 4, tail);
    const { recallAt1 } = rankMetrics(scoresOf(forest, unseen), unseen.labels);
    expect(recallAt1).toBeGreaterThan(0.5);
  });

  test('learns the risk of unknown values', () => {
    const unknown = (row: Float64Array): number => (Number.isNaN(row[0]) ? 0.8 : 0.05);
    const forest = boost(makeRows(3000, 2, 5, unknown, 0.3), OPTIONS);
    const { logOdds } = makeScorer(forest);
    // The share of fraud is 80 % and 5 %.
    expect(sigmoid(logOdds(Float64Array.of(Number.NaN, 5)))).toBeGreaterThan(0.7);
    expect(sigmoid(logOdds(Float64Array.of(5, 5)))).toBeLessThan(0.1);
  });

  test('never splits on a feature that is constant, or unknown in all rows', () => {
    const rows = makeRows(1000, 3, 15, (row) => (row[1] as number) / 12);
    const values = rows.values.map((value, i) => (i % 3 === 0 ? Number.NaN : i % 3 === 2 ? 7 : value));
    const { trees } = boost({ ...rows, values }, OPTIONS);
    const used = new Set(trees.flatMap(({ feature }) => feature));
    expect([...used].sort()).toEqual([LEAF, 1]);
  });

  test('never splits on a feature that it must not use, even if that feature alone decides', () => {
    const rows = makeRows(2000, 3, 12, (row) => ((row[0] as number) > 5 ? 0.9 : 0.05));
    const usedBy = (forest: Forest): Set<number> => new Set(forest.trees.flatMap(({ feature }) => [...feature]));
    expect(usedBy(boost(rows, OPTIONS))).toContain(0);
    expect(usedBy(boost(rows, { ...OPTIONS, unused: new Set([0]) }))).not.toContain(0);
  });

  test('predicts the prior if the features carry no information, and never infinity', () => {
    const flat = makeRows(1000, 2, 6, () => 0.2);
    const same = { ...flat, values: new Float64Array(2000).fill(1) };
    const forest = boost(same, { ...OPTIONS, rowShare: 1 });
    const share = same.labels.reduce((sum, label) => sum + label, 0) / 1000;
    expect(scoresOf(forest, same)[0]).toBeCloseTo(Math.log(share / (1 - share)), 6);
    for (const label of [0, 1]) {
      const uniform = { ...flat, labels: new Uint8Array(1000).fill(label) };
      expect(scoresOf(boost(uniform, OPTIONS), uniform).every(Number.isFinite)).toBe(true);
    }
  });

  test('gives the same forest for the same rows and seed, and another for another seed', () => {
    const rows = makeRows(2000, 5, 7, (row) => (row[2] as number) / 12, 0.1);
    const text = (seed: number): string => JSON.stringify(boost(rows, { ...OPTIONS, seed }));
    expect(text(1)).toBe(text(1));
    expect(text(1)).not.toBe(text(2));
  });

  test('counts a row of weight three like the same row three times', () => {
    const rows = makeRows(600, 3, 8, (row) => (row[0] as number) / 12);
    const options = { ...OPTIONS, rowShare: 1, featureShare: 1, trees: 10 };
    const weights = Float64Array.from({ length: 600 }, (_, i) => (i % 2 === 0 ? 3 : 1));
    const picked = Array.from({ length: 600 }, (_, i) => (i % 2 === 0 ? [i, i, i] : [i])).flat();
    const repeated: Rows = {
      count: picked.length,
      features: 3,
      values: Float64Array.from(picked.flatMap((i) => [...rows.values.subarray(i * 3, i * 3 + 3)])),
      labels: Uint8Array.from(picked, (i) => rows.labels[i] as number),
    };
    const one = scoresOf(boost({ ...rows, weights }, options), rows);
    const other = scoresOf(boost(repeated, options), rows);
    expect(rankMetrics(one, rows.labels).auc).toBeCloseTo(rankMetrics(other, rows.labels).auc, 2);
  });

  test('keeps to monotone constraints', () => {
    const noisy = (row: Float64Array): number =>
      0.1 + 0.06 * (row[0] as number) + 0.2 * Math.sin((row[0] as number) * 3);
    const rows = makeRows(3000, 3, 9, noisy, 0.05);
    const forest = boost(rows, { ...OPTIONS, monotone: Int8Array.of(1, -1, 0) });
    const { logOdds } = makeScorer(forest);
    const anyValue = fc.double({ min: -1, max: 11, noNaN: true });
    fc.assert(
      fc.property(anyValue, anyValue, anyValue, anyValue, (a, b, c, d) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(logOdds(Float64Array.of(high, c, d))).toBeGreaterThanOrEqual(
          logOdds(Float64Array.of(low, c, d)) - 1e-12,
        );
        expect(logOdds(Float64Array.of(c, high, d))).toBeLessThanOrEqual(logOdds(Float64Array.of(c, low, d)) + 1e-12);
      }),
      { numRuns: 500 },
    );
  });

  test('stops when more trees do not help on newer rows', () => {
    const rule = (row: Float64Array): number => ((row[0] as number) > 8 ? 0.6 : 0.1);
    const options = { ...OPTIONS, trees: 300, valid: makeRows(1000, 3, 11, rule), patience: 10 };
    const { trees } = boost(makeRows(1000, 3, 10, rule), options);
    expect(trees.length).toBeGreaterThan(0);
    expect(trees.length).toBeLessThan(150);
  });

  test('keeps to the limits of leaves and depth', () => {
    const rows = makeRows(3000, 4, 12, (row) => ((row[0] as number) * (row[1] as number)) / 100);
    const depthOf = (tree: Tree, node = 0): number =>
      tree.feature[node] === LEAF
        ? 0
        : 1 + Math.max(depthOf(tree, tree.left[node] as number), depthOf(tree, tree.right[node] as number));
    for (const tree of boost(rows, { ...OPTIONS, leaves: 6, maxDepth: 3 }).trees) {
      expect(tree.feature.filter((feature) => feature === LEAF).length).toBeLessThanOrEqual(6);
      expect(depthOf(tree)).toBeLessThanOrEqual(3);
    }
  });
});

describe('bins', () => {
  const anyColumn = fc.array(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: false })), {
    maxLength: 400,
  });

  test('keep the order of values, and separate unknown values', () => {
    fc.assert(
      fc.property(anyColumn, (column) => {
        const values = Float64Array.from(column);
        const rows = { count: column.length, features: 1, values, labels: new Uint8Array(column.length) };
        const [cuts] = fitCuts(rows) as [Float64Array];
        expect(cuts.length).toBeLessThanOrEqual(254);
        const bins = binRows(rows, [cuts]);
        column.forEach((value, i) => {
          const below = cuts.filter((cut) => cut < value).length;
          expect(bins[i]).toBe(Number.isNaN(value) ? MISSING_BIN : 1 + below);
        });
      }),
    );
  });

  test('are the same for the values of a Float32Array', () => {
    fc.assert(
      fc.property(anyColumn, (column) => {
        const single = Float32Array.from(column);
        const rows = { count: column.length, features: 1, labels: new Uint8Array(column.length).fill(1) };
        expect(fitCuts({ ...rows, values: single })).toEqual(fitCuts({ ...rows, values: Float64Array.from(single) }));
      }),
    );
  });

  test('separate all values if there are few', () => {
    const values = Float64Array.of(3, 1, 2, 2, 1, 3, 7);
    const [cuts] = fitCuts({ count: 7, features: 1, values, labels: new Uint8Array(7) }) as [Float64Array];
    expect([...cuts]).toEqual([1.5, 2.5, 5]);
  });
});

describe('a scorer', () => {
  const forest = boost(
    makeRows(2000, 5, 13, (row) => ((row[0] as number) + (row[3] as number)) / 22 || 0.3, 0.2),
    OPTIONS,
  );
  const anyRow = fc
    .array(fc.oneof(fc.double({ min: -2, max: 12, noNaN: true }), fc.constant(Number.NaN)), {
      minLength: 5,
      maxLength: 5,
    })
    .map((row) => Float64Array.from(row));
  const scorer = makeScorer(forest);

  test('gives the sum of the trees', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        const walked = forest.trees.reduce(
          (sum, tree) => sum + (tree.value[leafOf(tree, row, 0)] as number),
          forest.base,
        );
        expect(scorer.logOdds(row)).toBe(walked);
        expect(scorer.explain(row, new Float64Array(5))).toBe(scorer.logOdds(row));
      }),
    );
  });

  test('gives rows of a batch the sums that they have alone, to the bit', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1, maxLength: 40 }), fc.nat(3), (rows, gap) => {
        const stride = 5 + gap;
        const values = new Float64Array(rows.length * stride).fill(77);
        for (const [i, row] of rows.entries()) values.set(row, i * stride);
        const sums = new Float64Array(rows.length);
        scorer.logOddsOfRows(values, rows.length, stride, sums);
        expect([...sums]).toEqual(rows.map((row) => scorer.logOdds(row)));
      }),
    );
  });

  test('has contributions that add up, and 0 for a feature without a split', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        const contributions = new Float64Array(5).fill(99);
        const score = scorer.explain(row, contributions);
        expect(contributions.reduce((sum, of) => sum + of, scorer.baseline)).toBeCloseTo(score, 9);
      }),
    );
    const lonely = makeScorer(
      boost(
        makeRows(1000, 3, 14, (row) => ((row[1] as number) > 5 ? 0.9 : 0.1)),
        { ...OPTIONS, trees: 1, maxDepth: 1 },
      ),
    );
    const contributions = new Float64Array(3);
    lonely.explain(Float64Array.of(1, 9, 1), contributions);
    expect([contributions[0], contributions[2]]).toEqual([0, 0]);
    expect(contributions[1]).toBeGreaterThan(0);
  });

  test('reads a row in the middle of others', () => {
    const many = Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    expect(scorer.logOdds(many, 5)).toBe(scorer.logOdds(many.slice(5)));
  });

  /** The expected value of a tree if only the features in `known` are known; other splits are averaged by cover. */
  const expectedOf = (tree: Tree, row: Float64Array, known: ReadonlySet<number>, node = 0): number => {
    const feature = tree.feature[node] as number;
    if (feature === LEAF) return tree.value[node] as number;
    const [left, right] = [tree.left[node] as number, tree.right[node] as number];
    if (known.has(feature)) {
      const value = row[feature] as number;
      const goesLeft = Number.isNaN(value) ? tree.missingLeft[node] === 1 : value <= (tree.threshold[node] as number);
      return expectedOf(tree, row, known, goesLeft ? left : right);
    }
    const [l, r] = [tree.cover[left] as number, tree.cover[right] as number];
    return (expectedOf(tree, row, known, left) * l + expectedOf(tree, row, known, right) * r) / (l + r);
  };
  const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));

  test('has Shapley values equal to the definition, over every subset of features', () => {
    const few: Forest = { base: forest.base, trees: forest.trees.slice(0, 6) };
    fc.assert(
      fc.property(anyRow, (row) => {
        const shap = new Float64Array(5);
        const baseline = shapley(few, row, shap);
        const worth = (known: ReadonlySet<number>): number =>
          few.trees.reduce((sum, tree) => sum + expectedOf(tree, row, known), few.base);
        expect(baseline).toBeCloseTo(worth(new Set()), 9);
        for (let feature = 0; feature < 5; feature++) {
          const others = [0, 1, 2, 3, 4].filter((of) => of !== feature);
          let value = 0;
          for (let subset = 0; subset < 16; subset++) {
            const known = new Set(others.filter((_, i) => (subset >> i) & 1));
            const weight = (factorial(known.size) * factorial(4 - known.size)) / factorial(5);
            value += weight * (worth(new Set([...known, feature])) - worth(known));
          }
          expect(shap[feature]).toBeCloseTo(value, 9);
        }
      }),
      { numRuns: 30 },
    );
  });
});
