/**
 * A tree as parallel lists, so that it is plain JSON. A node without a feature (-1) is a leaf and its value counts; else a row goes left when
 * the feature's value is at most the threshold, and where the value is not known, where `missingLeft` says.
 */
export interface Tree {
  readonly feature: number[];
  readonly threshold: number[];
  readonly missingLeft: number[];
  readonly left: number[];
  readonly right: number[];
  /** In log-odds. Of an inner node: what it would say if it were a leaf, which is what tells how much each step of a path adds. */
  readonly value: number[];
  /** How many of the rows it was grown on came by. */
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

/** Adds a leaf and answers with its number. */
export const addLeaf = (tree: Tree, value: number, cover: number): number => {
  tree.feature.push(LEAF);
  tree.threshold.push(0);
  tree.missingLeft.push(0);
  tree.left.push(LEAF);
  tree.right.push(LEAF);
  tree.value.push(value);
  return tree.cover.push(cover) - 1;
};

/** The leaf that a row of `values`, beginning at `at`, ends in. */
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

/** What keeps a tree that was read from elsewhere from being walked; undefined when nothing does. */
export const treeFault = (tree: Tree, features: number): string | undefined => {
  const size = tree.feature.length;
  if (size === 0) return 'has no nodes';
  if (Object.values(tree).some((list) => list.length !== size)) return 'has lists of different lengths';
  const led = new Uint8Array(size);
  for (let node = 0; node < size; node++) {
    const feature = tree.feature[node] as number;
    // What a feature adds is told by the shares of rows that went either way.
    if (!((tree.cover[node] as number) > 0)) return `has a node ${node} that no row came by`;
    if (feature === LEAF) continue;
    if (feature >= features) return `looks at feature ${feature} of ${features}`;
    // Children that come later can never lead back, so that every walk ends.
    for (const child of [tree.left[node] as number, tree.right[node] as number]) {
      if (child <= node || child >= size) return `has a node ${node} whose child ${child} does not come after it`;
      // Ways that meet would be laid out once for each of them: twice as many with every question.
      if (led[child] === 1) return `has two ways to its node ${child}`;
      led[child] = 1;
    }
  }
  return undefined;
};
