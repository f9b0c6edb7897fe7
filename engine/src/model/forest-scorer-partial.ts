import { type Forest, LEAF, type Tree } from './tree.ts';

/**
 * Log-odds of a row with `hidden` features. A hidden feature is not unknown: unknown means a new entity, hidden
 * means that its history could not be read. A node that tests a hidden feature follows both branches, weighted by
 * the share of training rows in each. Slow, but only needed while histories cannot be read. Fills `contributions`
 * for the other features.
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
