import { type Forest, isOfSignal, LEAF, leafOf, type Tree } from './tree.ts';

/**
 * Exact Shapley values of a forest, by Lundberg's algorithm for trees (Tree SHAP): the contribution of each feature
 * to the log-odds, averaged over all orders in which features become known. `Scorer.explain` is faster and nearly
 * as accurate. Signals count from being inactive, as they do there.
 *
 * A path holds the features tested so far. Each has the share of rows that come this way if the feature is unknown
 * (`zero`), whether this row does (`one`), and the weight of subsets of each size.
 */
interface Path {
  readonly feature: Int32Array;
  readonly zero: Float64Array;
  readonly one: Float64Array;
  readonly weight: Float64Array;
}

const newPath = (length: number): Path => ({
  feature: new Int32Array(length),
  zero: new Float64Array(length),
  one: new Float64Array(length),
  weight: new Float64Array(length),
});

const copyPath = (from: Path, length: number, size: number): Path => {
  const path = newPath(size);
  path.feature.set(from.feature.subarray(0, length));
  path.zero.set(from.zero.subarray(0, length));
  path.one.set(from.one.subarray(0, length));
  path.weight.set(from.weight.subarray(0, length));
  return path;
};

const get = (list: Float64Array, at: number): number => list[at] as number;

const extend = (path: Path, depth: number, zero: number, one: number, feature: number): void => {
  path.feature[depth] = feature;
  path.zero[depth] = zero;
  path.one[depth] = one;
  path.weight[depth] = depth === 0 ? 1 : 0;
  for (let i = depth - 1; i >= 0; i--) {
    path.weight[i + 1] = get(path.weight, i + 1) + (one * get(path.weight, i) * (i + 1)) / (depth + 1);
    path.weight[i] = (zero * get(path.weight, i) * (depth - i)) / (depth + 1);
  }
};

const unwind = (path: Path, depth: number, at: number): void => {
  const one = get(path.one, at);
  const zero = get(path.zero, at);
  let next = get(path.weight, depth);
  for (let i = depth - 1; i >= 0; i--) {
    if (one !== 0) {
      const before = get(path.weight, i);
      path.weight[i] = (next * (depth + 1)) / ((i + 1) * one);
      next = before - (get(path.weight, i) * zero * (depth - i)) / (depth + 1);
    } else path.weight[i] = (get(path.weight, i) * (depth + 1)) / (zero * (depth - i));
  }
  path.feature.copyWithin(at, at + 1, depth + 1);
  path.zero.copyWithin(at, at + 1, depth + 1);
  path.one.copyWithin(at, at + 1, depth + 1);
};

const unwoundSum = (path: Path, depth: number, at: number): number => {
  const one = get(path.one, at);
  const zero = get(path.zero, at);
  let next = get(path.weight, depth);
  let total = 0;
  for (let i = depth - 1; i >= 0; i--) {
    if (one !== 0) {
      const weight = (next * (depth + 1)) / ((i + 1) * one);
      total += weight;
      next = get(path.weight, i) - (weight * zero * (depth - i)) / (depth + 1);
    } else total += (get(path.weight, i) * (depth + 1)) / (zero * (depth - i));
  }
  return total;
};

const addTree = (tree: Tree, values: Float64Array, shap: Float64Array): void => {
  const size = tree.feature.length + 2;
  const visit = (node: number, before: Path, length: number, zero: number, one: number, tested: number): void => {
    let path = copyPath(before, length, Math.min(size, length + 2));
    extend(path, length, zero, one, tested);
    let depth = length;
    const feature = tree.feature[node] as number;
    if (feature === LEAF) {
      for (let i = 1; i <= depth; i++) {
        const share = unwoundSum(path, depth, i) * (get(path.one, i) - get(path.zero, i));
        const at = path.feature[i] as number;
        shap[at] = get(shap, at) + share * (tree.value[node] as number);
      }
      return;
    }
    const value = values[feature] as number;
    const goesLeft = Number.isNaN(value) ? tree.missingLeft[node] === 1 : value <= (tree.threshold[node] as number);
    const [left, right] = [tree.left[node] as number, tree.right[node] as number];
    const [hot, cold] = goesLeft ? [left, right] : [right, left];
    let incomingZero = 1;
    let incomingOne = 1;
    // The path tested this feature before: merge the two tests.
    const earlier = path.feature.indexOf(feature, 1);
    if (earlier > 0 && earlier <= depth) {
      incomingZero = get(path.zero, earlier);
      incomingOne = get(path.one, earlier);
      path = copyPath(path, depth + 1, depth + 2);
      unwind(path, depth, earlier);
      depth--;
    }
    const cover = tree.cover[node] as number;
    const shareOf = (child: number): number => (incomingZero * (tree.cover[child] as number)) / cover;
    visit(hot, path, depth + 1, shareOf(hot), incomingOne, feature);
    visit(cold, path, depth + 1, shareOf(cold), 0, feature);
  };
  visit(0, newPath(1), 0, 1, 1, -1);
};

/** The contribution of a tree of one split, counted from its own value. Returns that value. */
const addSignal = (tree: Tree, values: Float64Array, shap: Float64Array): number => {
  const from = tree.value[0] as number;
  const feature = tree.feature[0] as number;
  shap[feature] = get(shap, feature) + (tree.value[leafOf(tree, values, 0)] as number) - from;
  return from;
};

/** The mean value of a tree over its training rows. */
const expected = (tree: Tree, node = 0): number => {
  if (tree.feature[node] === LEAF) return tree.value[node] as number;
  const [left, right] = [tree.left[node] as number, tree.right[node] as number];
  const [l, r] = [tree.cover[left] as number, tree.cover[right] as number];
  return (expected(tree, left) * l + expected(tree, right) * r) / (l + r);
};

/**
 * Fills `shap` with the contribution of each feature. Returns the baseline; baseline and contributions add up to
 * the log-odds.
 */
export const shapley = ({ base, trees }: Forest, values: Float64Array, shap: Float64Array): number => {
  shap.fill(0);
  let baseline = base;
  for (const tree of trees) {
    if (isOfSignal(tree)) baseline += addSignal(tree, values, shap);
    else {
      baseline += expected(tree);
      if (tree.feature.length > 1) addTree(tree, values, shap);
    }
  }
  return baseline;
};
