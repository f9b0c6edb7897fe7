import { scorePartly } from './scorer-partly.ts';
import { type Forest, LEAF, type Tree } from './tree.ts';

/**
 * A forest laid out flat for scoring: all nodes of all trees in a few typed arrays, the right child always next to the left. Walking it is a
 * matter of microseconds; code generated from the trees was slower.
 */
export interface Scorer {
  /** Log-odds of fraud for the row of `values` that begins at `at`. */
  readonly logOdds: (values: Float64Array, at?: number) => number;
  /**
   * The same, and how much each feature adds to it: at each step of a path, the difference between what the tree would say before the
   * step and after it. With `baseline` the contributions add up to the log-odds.
   */
  readonly explain: (values: Float64Array, contributions: Float64Array, at?: number) => number;
  /** The same of a row some of whose features are hidden: they neither add nor take off. */
  readonly partly: (values: Float64Array, hidden: Uint8Array, contributions: Float64Array) => number;
  /** Log-odds of a row of which nothing is known but that it was scored. */
  readonly baseline: number;
}

/** Breadth first, which keeps what is walked most close together. */
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

/** How many steps the longest path through a tree takes. Children come after their parents. */
const depthOf = ({ feature, left, right }: Tree): number => {
  const depths = new Uint32Array(feature.length);
  for (let node = 0; node < feature.length; node++) {
    if (feature[node] === LEAF) continue;
    for (const child of [left[node] as number, right[node] as number]) depths[child] = (depths[node] as number) + 1;
  }
  return depths.reduce((deepest, depth) => Math.max(deepest, depth), 0);
};

/** Trees that are walked side by side: while the processor waits for the next node of one, it goes on with the others. */
const ABREAST = 4;
/** Makes the last ones full, and adds nothing. */
const NO_TREE: Tree = {
  feature: [LEAF],
  threshold: [0],
  missingLeft: [0],
  left: [LEAF],
  right: [LEAF],
  value: [0],
  cover: [1],
};

export const makeScorer = (forest: Forest): Scorer => {
  const { base, trees: grown } = forest;
  const trees = [...grown, ...Array<Tree>((ABREAST - (grown.length % ABREAST)) % ABREAST).fill(NO_TREE)];
  const size = trees.reduce((sum, { feature }) => sum + feature.length, 0);
  const width = trees.reduce((most, { feature }) => feature.reduce((last, at) => Math.max(last, at), most), 0) + 1;
  /**
   * The row, twice: what is not known is above all thresholds in the first, and below all in the second, and a node looks at the one that
   * sends it where it belongs. So a step is a comparison and an addition, and there is nothing to guess wrong.
   */
  const known = new Float64Array(2 * width);
  const look = new Int32Array(size);
  const threshold = new Float64Array(size);
  const value = new Float64Array(size);
  /** The left one, the right one being next to it. A leaf leads to itself, so that trees side by side may differ in depth. */
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
      look[at] = isLeaf ? 0 : (tree.feature[node] as number) + (tree.missingLeft[node] === 1 ? width : 0);
      threshold[at] = isLeaf ? Number.POSITIVE_INFINITY : (tree.threshold[node] as number);
      value[at] = tree.value[node] as number;
      child[at] = isLeaf ? at : firstChild;
    });
  });
  const deepest = Int32Array.from({ length: trees.length / ABREAST }, (_, i) =>
    Math.max(...depths.subarray(ABREAST * i, ABREAST * (i + 1))),
  );
  const take = (values: Float64Array, at: number): void => {
    for (let i = 0; i < width; i++) {
      const given = values[at + i] as number;
      const isKnown = !Number.isNaN(given);
      known[i] = isKnown ? given : Number.POSITIVE_INFINITY;
      known[width + i] = isKnown ? given : Number.NEGATIVE_INFINITY;
    }
  };
  const next = (node: number): number =>
    (child[node] as number) + Number((known[look[node] as number] as number) > (threshold[node] as number));

  return {
    baseline,
    partly: (values, hidden, contributions) => scorePartly(forest, values, hidden, contributions),
    logOdds: (values, at = 0) => {
      take(values, at);
      let sum = base;
      for (let i = 0; i < deepest.length; i++) {
        const first = ABREAST * i;
        let a = roots[first] as number;
        let b = roots[first + 1] as number;
        let c = roots[first + 2] as number;
        let d = roots[first + 3] as number;
        for (let steps = deepest[i] as number; steps > 0; steps--) {
          a = next(a);
          b = next(b);
          c = next(c);
          d = next(d);
        }
        sum += value[a] as number;
        sum += value[b] as number;
        sum += value[c] as number;
        sum += value[d] as number;
      }
      return sum;
    },
    explain: (values, contributions, at = 0) => {
      take(values, at);
      contributions.fill(0);
      let sum = base;
      for (let tree = 0; tree < roots.length; tree++) {
        let node = roots[tree] as number;
        while (child[node] !== node) {
          const looked = look[node] as number;
          const feature = looked < width ? looked : looked - width;
          const before = value[node] as number;
          node = next(node);
          contributions[feature] = (contributions[feature] as number) + (value[node] as number) - before;
        }
        sum += value[node] as number;
      }
      return sum;
    },
  };
};
