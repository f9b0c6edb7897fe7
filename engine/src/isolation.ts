import type { Rows } from './bins.ts';
import { makeRandom, type Random } from './random.ts';

/**
 * An isolation forest: tells how unlike the others a row is, without any label. Random cuts set an odd row apart after few of them and
 * an ordinary one only after many.
 */
export interface IsolationTree {
  /** -1 for a leaf. */
  readonly feature: number[];
  readonly threshold: number[];
  readonly left: number[];
  readonly right: number[];
  /** Cuts to a leaf, with what its rows would still take. */
  readonly depth: number[];
}
export interface IsolationForest {
  readonly trees: readonly IsolationTree[];
  /** Cuts that rows take on average. */
  readonly usual: number;
}
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

const goesLeft = (value: number, threshold: number): boolean => Number.isNaN(value) || value < threshold;

const growTree = ({ values, features }: Rows, rows: Int32Array, random: Random): IsolationTree => {
  const tree: IsolationTree = { feature: [], threshold: [], left: [], right: [], depth: [] };
  const deepest = Math.ceil(Math.log2(Math.max(2, rows.length)));
  const add = (own: Int32Array, depth: number): number => {
    const node = tree.feature.push(-1) - 1;
    tree.threshold.push(0);
    tree.left.push(-1);
    tree.right.push(-1);
    tree.depth.push(depth + usualDepth(own.length));
    if (own.length <= 1 || depth >= deepest) return node;
    // A few features are tried: most are the same in all rows that are left.
    for (let tries = 0; tries < 8; tries++) {
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
      const apart = unknown > 0 && unknown < own.length;
      if (!(high > low) && !apart) continue;
      const threshold = high > low ? low + random() * (high - low) : low;
      const left = own.filter((row) => goesLeft(values[row * features + feature] as number, threshold));
      if (left.length === 0 || left.length === own.length) continue;
      const right = own.filter((row) => !goesLeft(values[row * features + feature] as number, threshold));
      tree.feature[node] = feature;
      tree.threshold[node] = threshold;
      tree.left[node] = add(left, depth + 1);
      tree.right[node] = add(right, depth + 1);
      return node;
    }
    return node;
  };
  add(rows, 0);
  return tree;
};

export const fitIsolation = (rows: Rows, { trees, sample, seed }: IsolationOptions): IsolationForest => {
  const random = makeRandom(seed);
  const size = Math.min(sample, rows.count);
  const grown = Array.from({ length: trees }, () => {
    const picked = Int32Array.from({ length: size }, () => Math.floor(random() * rows.count));
    return growTree(rows, picked, random);
  });
  return { trees: grown, usual: usualDepth(size) };
};

/** From 0 to 1: about a half for what is as usual as any, towards 1 for what is like nothing else. */
export const isolationScore = (
  { trees, usual }: IsolationForest,
  values: Float32Array | Float64Array,
  at: number,
): number => {
  let sum = 0;
  for (const tree of trees) {
    let node = 0;
    for (let feature = tree.feature[0] as number; feature >= 0; feature = tree.feature[node] as number) {
      const left = goesLeft(values[at + feature] as number, tree.threshold[node] as number);
      node = (left ? tree.left[node] : tree.right[node]) as number;
    }
    sum += tree.depth[node] as number;
  }
  return 2 ** (-sum / trees.length / Math.max(usual, 1e-9));
};
