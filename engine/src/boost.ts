import { binRows, fitCuts, MAX_BINS, MISSING_BIN, type Rows } from './bins.ts';
import { sigmoid } from './calibrate.ts';
import { bestSplit, fillHistogram, makePacked, pack, type Split, type SplitRules, subtract } from './histogram.ts';
import { makeRandom } from './random.ts';
import { addLeaf, type Forest, leafOf, newTree, type Tree } from './tree.ts';

export interface BoostOptions {
  readonly trees: number;
  readonly learningRate: number;
  readonly leaves: number;
  readonly maxDepth: number;
  readonly lambda: number;
  readonly minHessian: number;
  /** Of rows and of features, how large a share each tree sees. */
  readonly rowShare: number;
  readonly featureShare: number;
  readonly seed: number;
  readonly monotone?: Int8Array;
  /** Whoever lacks what every row of a leaf has goes with most of them; else with the higher values. */
  readonly strangersWithMost?: boolean;
  /** Log-odds that another model says of each row: the trees then mend what that one gets wrong, and their own base is 0. */
  readonly start?: Float64Array;
  /** Newer rows that tell when more trees stop helping, and how many trees to wait for better. */
  readonly valid?: Rows;
  readonly validStart?: Float64Array;
  readonly patience?: number;
  readonly onTree?: (done: number) => void;
}

export const BOOST_DEFAULTS: Omit<BoostOptions, 'seed'> = {
  trees: 200,
  learningRate: 0.05,
  leaves: 16,
  maxDepth: 6,
  lambda: 5,
  minHessian: 1,
  rowShare: 0.8,
  featureShare: 0.8,
};

interface Leaf {
  readonly node: number;
  readonly from: number;
  readonly end: number;
  readonly depth: number;
  /** A value outside would break the order that a constraint asks of another branch. */
  readonly lowest: number;
  readonly highest: number;
  histogram: Float64Array | undefined;
  split: Split | undefined;
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

const logLoss = (scores: Float64Array, { labels, weights }: Rows): number => {
  let loss = 0;
  for (let i = 0; i < scores.length; i++) {
    const wrong = labels[i] === 1 ? -(scores[i] as number) : (scores[i] as number);
    loss += (weights?.[i] ?? 1) * (wrong > 0 ? wrong + Math.log1p(Math.exp(-wrong)) : Math.log1p(Math.exp(wrong)));
  }
  return loss;
};

const priorOf = ({ count, labels, weights }: Rows): number => {
  let fraud = 0;
  let all = 0;
  for (let i = 0; i < count; i++) {
    const weight = weights?.[i] ?? 1;
    all += weight;
    if (labels[i] === 1) fraud += weight;
  }
  // Rows of one kind alone must not make an infinite score.
  const share = clamp(fraud / all, 1e-6, 1 - 1e-6);
  return Math.log(share / (1 - share));
};

/** Grows trees that each mend what those before got wrong. The same rows, options and seed give the same forest, to the bit. */
export const boost = (rows: Rows, options: BoostOptions): Forest => {
  const { count, features, labels, weights, values } = rows;
  const { learningRate, leaves, maxDepth, lambda, rowShare, featureShare, valid } = options;
  const random = makeRandom(options.seed);
  const cuts = fitCuts(rows);
  const bins = binRows(rows, cuts);
  const usable = cuts.flatMap((_, feature) => (varies(bins, count, feature) ? [feature] : []));
  const rules: SplitRules = {
    lambda,
    minHessian: options.minHessian,
    monotone: options.monotone ?? new Int8Array(features),
  };
  const base = options.start === undefined ? priorOf(rows) : 0;
  const scores = options.start?.slice() ?? new Float64Array(count).fill(base);
  const gradients = new Float64Array(count);
  const hessians = new Float64Array(count);
  const packed = makePacked(count);
  const order = new Int32Array(count);
  const spare = new Int32Array(count);
  const ordered = new Float64Array(count);
  const inTree = new Uint8Array(count);
  const histograms: Float64Array[] = [];
  const takeHistogram = (): Float64Array => histograms.pop() ?? new Float64Array(features * MAX_BINS);

  const leafValue = (from: number, end: number, lowest: number, highest: number): number => {
    let gradient = 0;
    let hessian = 0;
    for (let i = from; i < end; i++) {
      gradient += gradients[order[i] as number] as number;
      hessian += hessians[order[i] as number] as number;
    }
    return clamp(-gradient / (hessian + lambda), lowest, highest);
  };

  /** Puts the rows that go left first. Answers with where the others begin. */
  const partition = ({ from, end }: Leaf, { feature, bin, missingLeft }: Split): number => {
    const offset = feature * count;
    let at = from;
    let others = 0;
    for (let i = from; i < end; i++) {
      const row = order[i] as number;
      const own = bins[offset + row] as number;
      if (own === MISSING_BIN ? missingLeft : own <= bin) order[at++] = row;
      else spare[others++] = row;
    }
    order.set(spare.subarray(0, others), at);
    return at;
  };

  const growTree = (used: readonly number[], size: number): Tree => {
    const tree = newTree();
    const fill = (histogram: Float64Array, from: number, end: number): void => {
      for (let i = from; i < end; i++) ordered[i] = packed.sums[order[i] as number] as number;
      fillHistogram(histogram, bins, count, used, order, from, end, ordered);
    };
    const look = (leaf: Leaf): void => {
      leaf.split =
        leaf.depth >= maxDepth || leaf.histogram === undefined
          ? undefined
          : bestSplit(leaf.histogram, cuts, used, packed, rules);
      if (leaf.split !== undefined || leaf.histogram === undefined) return;
      histograms.push(leaf.histogram);
      leaf.histogram = undefined;
    };
    const [lowest, highest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    const root = addLeaf(tree, leafValue(0, size, lowest, highest) * learningRate, size);
    const first: Leaf = {
      node: root,
      from: 0,
      end: size,
      depth: 0,
      lowest,
      highest,
      histogram: takeHistogram(),
      split: undefined,
    };
    fill(first.histogram as Float64Array, 0, size);
    look(first);
    const open: Leaf[] = [first];
    while (open.length < leaves) {
      let best = -1;
      open.forEach(({ split }, i) => {
        if (split !== undefined && (best < 0 || split.gain > ((open[best] as Leaf).split?.gain ?? 0))) best = i;
      });
      if (best < 0) break;
      const [parent] = open.splice(best, 1) as [Leaf];
      const split = parent.split as Split;
      const histogram = parent.histogram as Float64Array;
      const isUnseen = histogram[split.feature * MAX_BINS + MISSING_BIN] === 0;
      const middle = partition(parent, split);
      const isLeftMost = middle - parent.from > parent.end - middle;
      let left = leafValue(parent.from, middle, parent.lowest, parent.highest);
      let right = leafValue(middle, parent.end, parent.lowest, parent.highest);
      const constraint = rules.monotone[split.feature] as number;
      // Clamped to what other constraints leave, the two may have changed places.
      if (constraint !== 0 && (right - left) * constraint < 0) left = right = (left + right) / 2;
      const between = (left + right) / 2;
      const depth = parent.depth + 1;
      const sides = [
        { from: parent.from, end: middle, value: left, rises: constraint < 0 },
        { from: middle, end: parent.end, value: right, rises: constraint > 0 },
      ].map(({ from, end, value, rises }): Leaf => {
        const bounded = constraint !== 0;
        return {
          node: addLeaf(tree, value * learningRate, end - from),
          from,
          end,
          depth,
          lowest: bounded && rises ? between : parent.lowest,
          highest: bounded && !rises ? between : parent.highest,
          histogram: undefined,
          split: undefined,
        };
      }) as [Leaf, Leaf];
      tree.feature[parent.node] = split.feature;
      tree.threshold[parent.node] = (cuts[split.feature] as Float64Array)[split.bin - 1] ?? Number.MAX_VALUE;
      tree.missingLeft[parent.node] = Number(isUnseen && options.strangersWithMost ? isLeftMost : split.missingLeft);
      tree.left[parent.node] = sides[0].node;
      tree.right[parent.node] = sides[1].node;
      const smaller = middle - parent.from <= parent.end - middle ? 0 : 1;
      const [small, large] = [sides[smaller] as Leaf, sides[1 - smaller] as Leaf];
      small.histogram = takeHistogram();
      fill(small.histogram, small.from, small.end);
      subtract(histogram, small.histogram, used);
      large.histogram = histogram;
      for (const side of sides) look(side);
      open.push(...sides);
    }
    for (const { node, from, end, histogram } of open) {
      const value = tree.value[node] as number;
      for (let i = from; i < end; i++) scores[order[i] as number] = (scores[order[i] as number] as number) + value;
      if (histogram !== undefined) histograms.push(histogram);
    }
    return tree;
  };

  const trees: Tree[] = [];
  const validScores = options.validStart?.slice() ?? new Float64Array(valid?.count ?? 0).fill(base);
  // Where another model stands already, no tree at all may be best.
  let bestLoss =
    valid === undefined || options.start === undefined ? Number.POSITIVE_INFINITY : logLoss(validScores, valid);
  let bestCount = 0;
  for (let done = 0; done < options.trees; done++) {
    for (let i = 0; i < count; i++) {
      const weight = weights?.[i] ?? 1;
      const probability = sigmoid(scores[i] as number);
      gradients[i] = (probability - (labels[i] as number)) * weight;
      hessians[i] = probability * (1 - probability) * weight;
    }
    pack(packed, gradients, hessians);
    let size = 0;
    for (let i = 0; i < count; i++) {
      inTree[i] = rowShare >= 1 || random() < rowShare ? 1 : 0;
      if (inTree[i] === 1) order[size++] = i;
    }
    const used = featureShare >= 1 ? usable : usable.filter(() => random() < featureShare);
    const tree = growTree(used.length === 0 ? usable : used, size);
    for (let i = 0; i < count; i++) {
      if (inTree[i] === 0)
        scores[i] = (scores[i] as number) + (tree.value[leafOf(tree, values, i * features)] as number);
    }
    trees.push(tree);
    options.onTree?.(trees.length);
    if (valid === undefined) continue;
    for (let i = 0; i < valid.count; i++) {
      const leaf = leafOf(tree, valid.values, i * features);
      validScores[i] = (validScores[i] as number) + (tree.value[leaf] as number);
    }
    const loss = logLoss(validScores, valid);
    if (loss < bestLoss) {
      bestLoss = loss;
      bestCount = trees.length;
    } else if (trees.length - bestCount >= (options.patience ?? Number.POSITIVE_INFINITY)) break;
  }
  return { base, trees: valid === undefined ? trees : trees.slice(0, bestCount) };
};

/** Whether it tells any rows apart. Most features say nothing about some account's business, and would only cost time. */
const varies = (bins: Uint8Array, count: number, feature: number): boolean => {
  const from = feature * count;
  for (let i = from + 1; i < from + count; i++) if (bins[i] !== bins[from]) return true;
  return false;
};
