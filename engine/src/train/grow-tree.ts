import { addLeaf, newTree, type Tree } from '../model/tree.ts';
import { MAX_BINS, MISSING_BIN } from './bins.ts';
import { bestSplit, fillHistogram, type PackedGradients, type Split, type SplitRules, subtract } from './histogram.ts';

export interface GrowOptions {
  readonly learningRate: number;
  readonly leaves: number;
  readonly maxDepth: number;
  /**
   * Where unknown values go at a split whose training rows all have a value: with the majority if true, else with the
   * higher values.
   */
  readonly unseenWithMajority?: boolean;
}

/** The rows that trees are grown on, and buffers that all trees share. */
export interface Growth {
  readonly count: number;
  readonly bins: Uint8Array;
  readonly cuts: readonly Float64Array[];
  readonly rules: SplitRules;
  readonly gradients: Float64Array;
  readonly hessians: Float64Array;
  readonly packed: PackedGradients;
  /** Log-odds of each row so far. */
  readonly scores: Float64Array;
  /** Rows of the current tree. The rows of a leaf stand next to each other. */
  readonly order: Int32Array;
  readonly spare: Int32Array;
  /** Packed gradients in the order of `order`. */
  readonly ordered: Float64Array;
  /** Histograms that no leaf uses. */
  readonly freeHistograms: Float64Array[];
  readonly newHistogram: () => Float64Array;
}

interface Leaf {
  readonly node: number;
  readonly from: number;
  readonly end: number;
  readonly depth: number;
  /** Bounds of the leaf's value. A value outside them would break the monotone constraint of another split. */
  readonly lowest: number;
  readonly highest: number;
  histogram: Float64Array | undefined;
  split: Split | undefined;
}

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** The value of a leaf whose rows have these sums of gradients and hessians. */
const leafValue = ({ rules }: Growth, gradient: number, hessian: number, lowest: number, highest: number): number =>
  clamp(-gradient / (hessian + rules.lambda), lowest, highest);

/** The sums of the gradients and hessians of the rows on each side of a split. */
interface Sides {
  /** Where the rows of the right side begin. */
  middle: number;
  leftGradient: number;
  leftHessian: number;
  rightGradient: number;
  rightHessian: number;
}

/** By bin: 1 if its rows go left. Reused between calls. */
const goesLeft = new Uint8Array(MAX_BINS);

/**
 * Puts the rows that go left first. Rows keep their order, and each side is summed in that order. A row is written to both
 * sides, and the next row overwrites it on one of them: a branch would be mispredicted half of the time.
 */
const partition = (growth: Growth, { from, end }: Leaf, { feature, bin, missingLeft }: Split): Sides => {
  const { count, bins, order, spare, gradients, hessians } = growth;
  const offset = feature * count;
  goesLeft.fill(0);
  goesLeft.fill(1, MISSING_BIN + 1, bin + 1);
  goesLeft[MISSING_BIN] = Number(missingLeft);
  let at = from;
  let leftGradient = 0;
  let leftHessian = 0;
  let rightGradient = 0;
  let rightHessian = 0;
  for (let i = from; i < end; i++) {
    const row = order[i] as number;
    const left = goesLeft[bins[offset + row] as number] as number;
    const right = 1 - left;
    const gradient = gradients[row] as number;
    const hessian = hessians[row] as number;
    leftGradient += left * gradient;
    leftHessian += left * hessian;
    rightGradient += right * gradient;
    rightHessian += right * hessian;
    spare[i - at] = row;
    order[at] = row;
    at += left;
  }
  order.set(spare.subarray(0, end - at), at);
  return { middle: at, leftGradient, leftHessian, rightGradient, rightHessian };
};

const takeHistogram = ({ freeHistograms, newHistogram }: Growth): Float64Array =>
  freeHistograms.pop() ?? newHistogram();

const fill = (growth: Growth, used: readonly number[], histogram: Float64Array, from: number, end: number): void => {
  const { bins, cuts, count, order, ordered, packed } = growth;
  for (let i = from; i < end; i++) ordered[i] = packed.sums[order[i] as number] as number;
  fillHistogram(histogram, bins, cuts, count, used, order, from, end, ordered);
};

/** Finds the best split of a leaf. Keeps the histogram of a leaf that has one, and frees that of any other. */
const findSplit = (growth: Growth, used: readonly number[], leaf: Leaf, histogram: Float64Array): void => {
  leaf.split = bestSplit(histogram, growth.cuts, used, growth.packed, growth.rules);
  if (leaf.split === undefined) growth.freeHistograms.push(histogram);
  else leaf.histogram = histogram;
};

/** Removes the leaf whose split gains most from `open`. Undefined if no leaf has a split. */
const takeBest = (open: Leaf[]): Leaf | undefined => {
  let best = -1;
  open.forEach(({ split }, i) => {
    if (split !== undefined && (best < 0 || split.gain > ((open[best] as Leaf).split?.gain ?? 0))) best = i;
  });
  return best < 0 ? undefined : open.splice(best, 1)[0];
};

/** Adds the two children of a leaf to the tree. */
const addChildren = (
  growth: Growth,
  tree: Tree,
  parent: Leaf,
  { middle, leftGradient, leftHessian, rightGradient, rightHessian }: Sides,
  learningRate: number,
): readonly [Leaf, Leaf] => {
  let left = leafValue(growth, leftGradient, leftHessian, parent.lowest, parent.highest);
  let right = leafValue(growth, rightGradient, rightHessian, parent.lowest, parent.highest);
  const constraint = growth.rules.monotone[(parent.split as Split).feature] as number;
  // The bounds of other constraints can have swapped the order of the two values.
  if (constraint !== 0 && (right - left) * constraint < 0) left = right = (left + right) / 2;
  const between = (left + right) / 2;
  const child = (from: number, end: number, value: number, isHigherSide: boolean): Leaf => ({
    node: addLeaf(tree, value * learningRate, end - from),
    from,
    end,
    depth: parent.depth + 1,
    lowest: constraint !== 0 && isHigherSide ? between : parent.lowest,
    highest: constraint !== 0 && !isHigherSide ? between : parent.highest,
    histogram: undefined,
    split: undefined,
  });
  return [child(parent.from, middle, left, constraint < 0), child(middle, parent.end, right, constraint > 0)];
};

/** Splits a leaf and returns its two children. Those of the last split are not split again. */
const splitLeaf = (
  growth: Growth,
  tree: Tree,
  used: readonly number[],
  parent: Leaf,
  isLast: boolean,
  { learningRate, maxDepth, unseenWithMajority }: GrowOptions,
): readonly [Leaf, Leaf] => {
  const split = parent.split as Split;
  const histogram = parent.histogram as Float64Array;
  const isUnseen = histogram[split.feature * MAX_BINS + MISSING_BIN] === 0;
  const sides = partition(growth, parent, split);
  const { middle } = sides;
  const isLeftMajority = middle - parent.from > parent.end - middle;
  const children = addChildren(growth, tree, parent, sides, learningRate);
  tree.feature[parent.node] = split.feature;
  tree.threshold[parent.node] = (growth.cuts[split.feature] as Float64Array)[split.bin - 1] ?? Number.MAX_VALUE;
  tree.missingLeft[parent.node] = Number(isUnseen && unseenWithMajority ? isLeftMajority : split.missingLeft);
  tree.left[parent.node] = children[0].node;
  tree.right[parent.node] = children[1].node;
  if (isLast || parent.depth + 1 >= maxDepth) {
    growth.freeHistograms.push(histogram);
    return children;
  }
  const [small, large] = isLeftMajority ? [children[1], children[0]] : children;
  const ofSmall = takeHistogram(growth);
  fill(growth, used, ofSmall, small.from, small.end);
  subtract(histogram, ofSmall, growth.cuts, used);
  findSplit(growth, used, small, ofSmall);
  findSplit(growth, used, large, histogram);
  return children;
};

/** Grows a tree on the first `size` rows of `order`, best split first, and adds its values to their scores. */
export const growTree = (growth: Growth, used: readonly number[], size: number, options: GrowOptions): Tree => {
  const { order, scores, gradients, hessians, freeHistograms } = growth;
  const tree = newTree();
  let gradient = 0;
  let hessian = 0;
  for (let i = 0; i < size; i++) {
    gradient += gradients[order[i] as number] as number;
    hessian += hessians[order[i] as number] as number;
  }
  const [lowest, highest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const value = leafValue(growth, gradient, hessian, lowest, highest) * options.learningRate;
  const histogram = takeHistogram(growth);
  const root: Leaf = {
    node: addLeaf(tree, value, size),
    from: 0,
    end: size,
    depth: 0,
    lowest,
    highest,
    histogram: undefined,
    split: undefined,
  };
  fill(growth, used, histogram, 0, size);
  findSplit(growth, used, root, histogram);
  const open: Leaf[] = [root];
  while (open.length < options.leaves) {
    const parent = takeBest(open);
    if (parent === undefined) break;
    // Once the parent is taken out, its two children fill the tree.
    const isLast = open.length + 2 === options.leaves;
    open.push(...splitLeaf(growth, tree, used, parent, isLast, options));
  }
  for (const leaf of open) {
    const added = tree.value[leaf.node] as number;
    for (let i = leaf.from; i < leaf.end; i++)
      scores[order[i] as number] = (scores[order[i] as number] as number) + added;
    if (leaf.histogram !== undefined) freeHistograms.push(leaf.histogram);
  }
  return tree;
};
