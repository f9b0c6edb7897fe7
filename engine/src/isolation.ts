import type { Rows } from './bins.ts';
import { type Calibration, logit } from './calibrate.ts';
import { makeRandom, type Random } from './random.ts';
import { addLeaf, type Forest, newTree, type Tree } from './tree.ts';

/**
 * An isolation forest: tells how unlike the others a row is, without any label. Random cuts set an odd row apart after few of them and
 * an ordinary one only after many. Its trees are like any others, with what they say so made that they add up to 1 less the
 * number of cuts over the usual one: near 0 for what is as usual as any, towards 1 for what is like nothing else.
 */
export interface IsolationOptions {
  readonly trees: number;
  readonly sample: number;
  readonly seed: number;
}
export const ISOLATION_DEFAULTS: Omit<IsolationOptions, 'seed'> = { trees: 100, sample: 256 };

const EULER = 0.577_215_664_9;
/** Cuts that setting one of `count` rows apart takes on average, as in a search tree. */
const usualDepth = (count: number): number =>
  count <= 1 ? 0 : count === 2 ? 1 : 2 * (Math.log(count - 1) + EULER) - (2 * (count - 1)) / count;

/** Most features are the same in all rows that are left, so a few are tried. */
const TRIES = 8;

const growTree = ({ values, features }: Rows, rows: Int32Array, trees: number, random: Random): Tree => {
  const tree = newTree();
  const usual = Math.max(usualDepth(rows.length), 1e-9);
  const deepest = Math.ceil(Math.log2(Math.max(2, rows.length)));
  const add = (own: Int32Array, depth: number): number => {
    const node = addLeaf(tree, (1 - (depth + usualDepth(own.length)) / usual) / trees, own.length);
    if (own.length <= 1 || depth >= deepest) return node;
    for (let tries = 0; tries < TRIES; tries++) {
      const feature = Math.floor(random() * features);
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      let unknown = 0;
      for (const row of own) {
        const value = values[row * features + feature] as number;
        if (Number.isNaN(value)) unknown++;
        else {
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
      // What is not known stands to the left of all that is.
      const apart = unknown > 0 && unknown < own.length;
      if (!(high > low) && !apart) continue;
      const threshold = high > low ? low + random() * (high - low) : low - 1;
      const goesLeft = (row: number): boolean => {
        const value = values[row * features + feature] as number;
        return Number.isNaN(value) || value <= threshold;
      };
      const left = own.filter(goesLeft);
      if (left.length === 0 || left.length === own.length) continue;
      const right = own.filter((row) => !goesLeft(row));
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

/** How likely fraud is taken to be, by the share of rows that are odder still. Without labels this is a choice: one row in 200 is worth a look. */
const MEANT: readonly (readonly [odder: number, probability: number])[] = [
  [0.5, 0.001],
  [0.1, 0.004],
  [0.02, 0.02],
  [0.005, 0.1],
  [0.001, 0.25],
  [0.0002, 0.4],
];

/** Gives oddity a meaning by how rare it is among the rows at hand. */
export const calibrateByRank = (said: Float64Array): Calibration => {
  const sorted = said.toSorted();
  const steps = MEANT.map(([odder, probability]) => ({
    said: sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * (1 - odder)))] as number,
    meant: logit(probability),
  })).filter((step, i, all) => i === 0 || step.said > (all[i - 1] as { said: number }).said);
  return { said: steps.map((step) => step.said), meant: steps.map((step) => step.meant) };
};
