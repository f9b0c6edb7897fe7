import { type Forest, LEAF, type Tree } from './tree.ts';

/**
 * Log-odds of a row of which some features are `hidden`: not unknown, which says something of an entity, but not to be had. A tree that asks
 * for one goes both ways, each by the share of the rows it was grown on that went there, as if all kinds of entity were meant at once. Slow, for it
 * is only wanted while histories cannot be read. What the features that are there add is put into `contributions`.
 */
export const scorePartly = (
  { base, trees }: Forest,
  values: Float64Array,
  hidden: Uint8Array,
  contributions: Float64Array,
): number => {
  const visit = (tree: Tree, node: number, share: number): number => {
    const feature = tree.feature[node] as number;
    if (feature === LEAF) return share * (tree.value[node] as number);
    const left = tree.left[node] as number;
    const right = tree.right[node] as number;
    if (hidden[feature] === 1) {
      const l = tree.cover[left] as number;
      const r = tree.cover[right] as number;
      return visit(tree, left, (share * l) / (l + r)) + visit(tree, right, (share * r) / (l + r));
    }
    const value = values[feature] as number;
    const goesLeft = Number.isNaN(value) ? tree.missingLeft[node] === 1 : value <= (tree.threshold[node] as number);
    const next = goesLeft ? left : right;
    const added = share * ((tree.value[next] as number) - (tree.value[node] as number));
    contributions[feature] = (contributions[feature] as number) + added;
    return visit(tree, next, share);
  };
  contributions.fill(0);
  let sum = base;
  for (const tree of trees) sum += visit(tree, 0, 1);
  return sum;
};
