import { type Calibration, logit } from '../model/calibration.ts';
import { addLeaf, type Forest, newTree, type Tree } from '../model/tree.ts';
import { makeRandom, type Random } from '../random.ts';
import type { Rows } from './bins.ts';

/**
 * Options of an isolation forest, which scores how unusual a row is, without labels. Random splits isolate an
 * unusual row after few of them, and an ordinary row after many. The values of its trees add up to 1 minus the
 * number of splits divided by the usual number: about 0 for ordinary rows, towards 1 for unusual ones.
 */
export interface IsolationOptions {
  readonly trees: number;
  readonly sample: number;
  readonly seed: number;
}
export const ISOLATION_DEFAULTS: Omit<IsolationOptions, 'seed'> = { trees: 100, sample: 256 };

const EULER = 0.577_215_664_9;
/** The average number of splits that isolate one of `count` rows, as in a binary search tree. */
const usualDepth = (count: number): number =>
  count <= 1 ? 0 : count === 2 ? 1 : 2 * (Math.log(count - 1) + EULER) - (2 * (count - 1)) / count;

/** Features tried per node: most features are constant among the remaining rows. */
const TRIES = 8;

const growTree = ({ values, features }: Rows, rows: Int32Array, trees: number, random: Random): Tree => {
  const tree = newTree();
  const usual = Math.max(usualDepth(rows.length), 1e-9);
  const deepest = Math.ceil(Math.log2(Math.max(2, rows.length)));
  const add = (subset: Int32Array, depth: number): number => {
    const node = addLeaf(tree, (1 - (depth + usualDepth(subset.length)) / usual) / trees, subset.length);
    if (subset.length <= 1 || depth >= deepest) return node;
    for (let tries = 0; tries < TRIES; tries++) {
      const feature = Math.floor(random() * features);
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      let unknown = 0;
      for (const row of subset) {
        const value = values[row * features + feature] as number;
        if (Number.isNaN(value)) unknown++;
        else {
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
      // Unknown values are left of all known ones.
      const isSplitByUnknown = unknown > 0 && unknown < subset.length;
      if (!(high > low) && !isSplitByUnknown) continue;
      const threshold = high > low ? low + random() * (high - low) : low - 1;
      const goesLeft = (row: number): boolean => {
        const value = values[row * features + feature] as number;
        return Number.isNaN(value) || value <= threshold;
      };
      const left = subset.filter(goesLeft);
      if (left.length === 0 || left.length === subset.length) continue;
      const right = subset.filter((row) => !goesLeft(row));
      tree.feature[node] = feature;
      tree.threshold[node] = threshold;
      tree.missingLeft[node] = 1;
      tree.left[node] = add(left, depth + 1);
      tree.right[node] = add(right, depth + 1);
      return node;
    }
    return node;
  };
  add(rows, 0);
  return tree;
};

export const fitIsolation = (rows: Rows, { trees, sample, seed }: IsolationOptions): Forest => {
  const random = makeRandom(seed);
  const size = Math.min(sample, rows.count);
  const grown = Array.from({ length: trees }, () => {
    const picked = Int32Array.from({ length: size }, () => Math.floor(random() * rows.count));
    return growTree(rows, picked, trees, random);
  });
  return { base: 0, trees: grown };
};

/**
 * The assumed probability of fraud by the share of rows with a higher score. Without labels this is a choice: one
 * row in 200 is reviewed.
 */
const PROBABILITIES: readonly (readonly [shareAbove: number, probability: number])[] = [
  [0.5, 0.001],
  [0.1, 0.004],
  [0.02, 0.02],
  [0.005, 0.1],
  [0.001, 0.25],
  [0.0002, 0.4],
];

/** Calibrates the scores of an isolation forest by their rank among the training rows. */
export const calibrateByRank = (scores: Float64Array): Calibration => {
  const sorted = scores.toSorted();
  const steps = PROBABILITIES.map(([shareAbove, probability]) => ({
    said: sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * (1 - shareAbove)))] as number,
    meant: logit(probability),
  })).filter((step, i, all) => i === 0 || step.said > (all[i - 1] as { said: number }).said);
  return { said: steps.map((step) => step.said), meant: steps.map((step) => step.meant) };
};
