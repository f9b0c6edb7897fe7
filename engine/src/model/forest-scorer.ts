import { scorePartly } from './forest-scorer-partial.ts';
import { type Forest, LEAF, type Tree } from './tree.ts';

/** Scores rows of feature values. */
export interface Scorer {
  /** Log-odds of fraud for the row of `values` that begins at `at`. */
  readonly logOdds: (values: Float64Array, at?: number) => number;
  /**
   * The same log-odds, and the contribution of each feature to them. `baseline` and all contributions add up to the
   * log-odds. A contribution is the change of the tree's value at each step of the path.
   */
  readonly explain: (values: Float64Array, contributions: Float64Array, at?: number) => number;
  /** The same for a row with hidden features, which contribute nothing. */
  readonly partly: (values: Float64Array, hidden: Uint8Array, contributions: Float64Array) => number;
  /** Log-odds of a row about which nothing is known. */
  readonly baseline: number;
}

/**
 * All nodes of all trees in a few typed arrays, the right child always next to the left. Scoring a row takes
 * microseconds; code generated from the trees was slower.
 */
interface FlatForest {
  readonly base: number;
  readonly baseline: number;
  /** Number of features. */
  readonly width: number;
  /**
   * The row, twice. An unknown value is above all thresholds in the first copy and below all in the second. A node
   * reads the copy that sends unknown values to the side of `missingLeft`. So a step is one comparison and one
   * addition, without a branch.
   */
  readonly row: Float64Array;
  /** By node: the position in `row` to compare. */
  readonly input: Int32Array;
  readonly threshold: Float64Array;
  readonly value: Float64Array;
  /**
   * By node: its left child. The child of a leaf is itself, so that trees walked side by side can differ in depth.
   */
  readonly child: Int32Array;
  readonly roots: Int32Array;
  /** Depth of the deepest tree in each group of trees walked side by side. */
  readonly groupDepths: Int32Array;
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

/** Trees walked side by side. While the processor waits for the next node of one tree, it works on the others. */
const GROUP = 4;
/** Fills up the last group and adds nothing. */
const NO_TREE: Tree = {
  feature: [LEAF],
  threshold: [0],
  missingLeft: [0],
  left: [LEAF],
  right: [LEAF],
  value: [0],
  cover: [1],
};

const layOut = ({ base, trees: grown }: Forest): FlatForest => {
  const trees = [...grown, ...Array<Tree>((GROUP - (grown.length % GROUP)) % GROUP).fill(NO_TREE)];
  const size = trees.reduce((sum, { feature }) => sum + feature.length, 0);
  const width = trees.reduce((most, { feature }) => feature.reduce((last, at) => Math.max(last, at), most), 0) + 1;
  const input = new Int32Array(size);
  const threshold = new Float64Array(size);
  const value = new Float64Array(size);
  const child = new Int32Array(size);
  const roots = new Int32Array(trees.length);
  const depths = Int32Array.from(trees, depthOf);
  let end = 0;
  let baseline = base;
  trees.forEach((tree, i) => {
    roots[i] = end;
    baseline += tree.value[0] as number;
    end = flatten(tree, end, (node, at, firstChild) => {
      const isLeaf = firstChild === 0;
      input[at] = isLeaf ? 0 : (tree.feature[node] as number) + (tree.missingLeft[node] === 1 ? width : 0);
      threshold[at] = isLeaf ? Number.POSITIVE_INFINITY : (tree.threshold[node] as number);
      value[at] = tree.value[node] as number;
      child[at] = isLeaf ? at : firstChild;
    });
  });
  const groupDepths = Int32Array.from({ length: trees.length / GROUP }, (_, i) =>
    Math.max(...depths.subarray(GROUP * i, GROUP * (i + 1))),
  );
  return {
    base,
    baseline,
    width,
    row: new Float64Array(2 * width),
    input,
    threshold,
    value,
    child,
    roots,
    groupDepths,
  };
};

const setRow = ({ row, width }: FlatForest, values: Float64Array, at: number): void => {
  for (let i = 0; i < width; i++) {
    const value = values[at + i] as number;
    const isKnown = !Number.isNaN(value);
    row[i] = isKnown ? value : Number.POSITIVE_INFINITY;
    row[width + i] = isKnown ? value : Number.NEGATIVE_INFINITY;
  }
};

const logOdds = (forest: FlatForest, values: Float64Array, at: number): number => {
  setRow(forest, values, at);
  const { base, row, input, threshold, value, child, roots, groupDepths } = forest;
  let sum = base;
  for (let i = 0; i < groupDepths.length; i++) {
    const first = GROUP * i;
    let a = roots[first] as number;
    let b = roots[first + 1] as number;
    let c = roots[first + 2] as number;
    let d = roots[first + 3] as number;
    // Written out four times: a helper function is slower here.
    for (let steps = groupDepths[i] as number; steps > 0; steps--) {
      a = (child[a] as number) + Number((row[input[a] as number] as number) > (threshold[a] as number));
      b = (child[b] as number) + Number((row[input[b] as number] as number) > (threshold[b] as number));
      c = (child[c] as number) + Number((row[input[c] as number] as number) > (threshold[c] as number));
      d = (child[d] as number) + Number((row[input[d] as number] as number) > (threshold[d] as number));
    }
    sum += value[a] as number;
    sum += value[b] as number;
    sum += value[c] as number;
    sum += value[d] as number;
  }
  return sum;
};

const explain = (forest: FlatForest, values: Float64Array, contributions: Float64Array, at: number): number => {
  setRow(forest, values, at);
  const { base, width, row, input, threshold, value, child, roots } = forest;
  contributions.fill(0);
  let sum = base;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree] as number;
    while (child[node] !== node) {
      const compared = input[node] as number;
      const feature = compared < width ? compared : compared - width;
      const before = value[node] as number;
      node = (child[node] as number) + Number((row[compared] as number) > (threshold[node] as number));
      contributions[feature] = (contributions[feature] as number) + (value[node] as number) - before;
    }
    sum += value[node] as number;
  }
  return sum;
};

export const makeScorer = (forest: Forest): Scorer => {
  const flat = layOut(forest);
  return {
    baseline: flat.baseline,
    logOdds: (values, at = 0) => logOdds(flat, values, at),
    explain: (values, contributions, at = 0) => explain(flat, values, contributions, at),
    partly: (values, hidden, contributions) => scorePartly(forest, values, hidden, contributions),
  };
};
