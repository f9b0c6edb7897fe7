import { type Forest, LEAF, type Tree } from './tree.ts';

/** Paths walked side by side: while the processor waits for the next node of one, it works on the others. */
export const SIDE_BY_SIDE = 4;

/** Fills up the last trees to a multiple of SIDE_BY_SIDE, and adds nothing. */
const NO_TREE: Tree = {
  feature: [LEAF],
  threshold: [0],
  missingLeft: [0],
  left: [LEAF],
  right: [LEAF],
  value: [0],
  cover: [1],
};

/**
 * All nodes of all trees in one buffer, the right child always next to the left. A node takes 16 bytes, so that a step reads one
 * line of the cache instead of three. Code generated from the trees was slower.
 */
export interface FlatForest {
  readonly base: number;
  readonly baseline: number;
  /** Number of features. */
  readonly width: number;
  /** By node `n`: its threshold at `2 * n`. */
  readonly thresholds: Float64Array;
  /**
   * The same buffer. By node `n`: its left child at `4 * n + 2`, and at `4 * n + 3` the position in the spread row to compare. The
   * child of a leaf is itself, so that trees walked side by side can differ in depth.
   */
  readonly links: Int32Array;
  /** By node: its value. */
  readonly value: Float64Array;
  /** By tree: its first node, and its number of steps. */
  readonly roots: Int32Array;
  readonly depths: Int32Array;
}

/**
 * Places the nodes of a tree breadth first, which keeps the nodes that are read most close together. Returns the
 * next free position.
 */
const flatten = (tree: Tree, from: number, place: (node: number, at: number, firstChild: number) => void): number => {
  let end = from + 1;
  const queue = [0];
  for (let i = 0; i < queue.length; i++) {
    const node = queue[i] as number;
    const isLeaf = tree.feature[node] === LEAF;
    place(node, from + i, isLeaf ? 0 : end);
    if (isLeaf) continue;
    queue.push(tree.left[node] as number, tree.right[node] as number);
    end += 2;
  }
  return end;
};

/** Number of steps of the longest path. Relies on children standing after their parents. */
const depthOf = ({ feature, left, right }: Tree): number => {
  const depths = new Uint32Array(feature.length);
  for (let node = 0; node < feature.length; node++) {
    if (feature[node] === LEAF) continue;
    for (const child of [left[node] as number, right[node] as number]) depths[child] = (depths[node] as number) + 1;
  }
  return depths.reduce((deepest, depth) => Math.max(deepest, depth), 0);
};

export const layOut = ({ base, trees: grown }: Forest): FlatForest => {
  const missing = (SIDE_BY_SIDE - (grown.length % SIDE_BY_SIDE)) % SIDE_BY_SIDE;
  const trees = [...grown, ...Array<Tree>(missing).fill(NO_TREE)];
  const size = trees.reduce((sum, { feature }) => sum + feature.length, 0);
  const width = trees.reduce((most, { feature }) => feature.reduce((last, at) => Math.max(last, at), most), 0) + 1;
  const nodes = new ArrayBuffer(16 * size);
  const thresholds = new Float64Array(nodes);
  const links = new Int32Array(nodes);
  const value = new Float64Array(size);
  const roots = new Int32Array(trees.length);
  let end = 0;
  let baseline = base;
  trees.forEach((tree, i) => {
    roots[i] = end;
    baseline += tree.value[0] as number;
    end = flatten(tree, end, (node, at, firstChild) => {
      const isLeaf = firstChild === 0;
      thresholds[2 * at] = isLeaf ? Number.POSITIVE_INFINITY : (tree.threshold[node] as number);
      links[4 * at + 2] = isLeaf ? at : firstChild;
      links[4 * at + 3] = isLeaf ? 0 : (tree.feature[node] as number) + (tree.missingLeft[node] === 1 ? width : 0);
      value[at] = tree.value[node] as number;
    });
  });
  const depths = Int32Array.from(trees, depthOf);
  return { base, baseline, width, thresholds, links, value, roots, depths };
};

/**
 * Writes a row twice. An unknown value is above all thresholds in the first copy and below all in the second. A node reads
 * the copy that sends unknown values to the side of `missingLeft`. So a step is one comparison and one addition, without
 * a branch.
 */
export const spread = (width: number, values: Float64Array, at: number, row: Float64Array, to: number): void => {
  for (let i = 0; i < width; i++) {
    const value = values[at + i] as number;
    const isKnown = !Number.isNaN(value);
    row[to + i] = isKnown ? value : Number.POSITIVE_INFINITY;
    row[to + width + i] = isKnown ? value : Number.NEGATIVE_INFINITY;
  }
};
