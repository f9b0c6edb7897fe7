/**
 * A decision tree as parallel lists, one entry per node, so that it is plain JSON. A node with feature -1 is a
 * leaf. At other nodes a row goes left if its value is at most the threshold; an unknown value goes left if
 * `missingLeft` is 1.
 */
export interface Tree {
  readonly feature: number[];
  readonly threshold: number[];
  readonly missingLeft: number[];
  readonly left: number[];
  readonly right: number[];
  /**
   * In log-odds. The value of an inner node is the one it would have as a leaf; contributions are computed from it.
   */
  readonly value: number[];
  /** Number of training rows that reached the node. */
  readonly cover: number[];
}

export interface Forest {
  /** Log-odds before any tree. */
  readonly base: number;
  readonly trees: Tree[];
}

export const LEAF = -1;

export const newTree = (): Tree => ({
  feature: [],
  threshold: [],
  missingLeft: [],
  left: [],
  right: [],
  value: [],
  cover: [],
});

/** Adds a leaf and returns its index. */
export const addLeaf = (tree: Tree, value: number, cover: number): number => {
  tree.feature.push(LEAF);
  tree.threshold.push(0);
  tree.missingLeft.push(0);
  tree.left.push(LEAF);
  tree.right.push(LEAF);
  tree.value.push(value);
  return tree.cover.push(cover) - 1;
};

/** The leaf that the row of `values` beginning at `at` reaches. */
export const leafOf = (tree: Tree, values: Float32Array | Float64Array, at: number): number => {
  let node = 0;
  for (;;) {
    const feature = tree.feature[node] as number;
    if (feature === LEAF) return node;
    const value = values[at + feature] as number;
    const goesLeft = Number.isNaN(value) ? tree.missingLeft[node] === 1 : value <= (tree.threshold[node] as number);
    node = (goesLeft ? tree.left[node] : tree.right[node]) as number;
  }
};

/** The reason why a tree read from a file cannot be used; undefined if it is valid. */
export const treeError = (tree: Tree, features: number): string | undefined => {
  const size = tree.feature.length;
  if (size === 0) return 'has no nodes';
  if (Object.values(tree).some((list) => list.length !== size)) return 'has lists of different lengths';
  const isReached = new Uint8Array(size);
  for (let node = 0; node < size; node++) {
    const feature = tree.feature[node] as number;
    // Contributions are computed from the shares of rows, so each node needs rows.
    if (!((tree.cover[node] as number) > 0)) return `has a node ${node} that no training row reached`;
    if (feature === LEAF) continue;
    if (feature >= features) return `uses feature ${feature} of ${features}`;
    // A child that stands after its parent cannot lead back, so every path ends.
    for (const child of [tree.left[node] as number, tree.right[node] as number]) {
      if (child <= node || child >= size) return `has a node ${node} whose child ${child} does not stand after it`;
      // Shared nodes would be copied once per path, so their number could double with every level.
      if (isReached[child] === 1) return `has two paths to its node ${child}`;
      isReached[child] = 1;
    }
  }
  return undefined;
};

/** Whether a tree of one split is that of a signal: its own value is that of an inactive signal. */
export const isOfSignal = ({ feature, left, value }: Tree): boolean =>
  feature.length === 3 && value[0] === value[left[0] as number];
