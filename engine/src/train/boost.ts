import { sigmoid } from '../model/calibration.ts';
import { type Forest, leafOf, type Tree } from '../model/tree.ts';
import { makeRandom, type Random } from '../random.ts';
import { binRows, fitCuts, MAX_BINS, type Rows } from './bins.ts';
import { clamp, type GrowOptions, type Growth, growTree } from './grow-tree.ts';
import { makePackedGradients, pack } from './histogram.ts';

export interface BoostOptions extends GrowOptions {
  readonly trees: number;
  readonly lambda: number;
  readonly minHessian: number;
  /** The share of rows, drawn at random, that each tree is grown on. */
  readonly rowShare: number;
  /** The share of features, drawn at random, that each tree can use. */
  readonly featureShare: number;
  readonly seed: number;
  /** By feature: 1 if more of it can only raise the risk, -1 if it can only lower it, else 0. */
  readonly monotone?: Int8Array;
  /** Features that the trees must not use, because the other model uses them. */
  readonly unused?: ReadonlySet<number>;
  /** Log-odds of each row by another model. The trees then correct that model, and the base of the forest is 0. */
  readonly start?: Float64Array;
  /** Newer rows. Training stops when more trees no longer help on them. */
  readonly valid?: Rows;
  readonly validStart?: Float64Array;
  /** Number of trees to wait for an improvement on `valid`. */
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
  // Rows with only one label must not result in infinite log-odds.
  const share = clamp(fraud / all, 1e-6, 1 - 1e-6);
  return Math.log(share / (1 - share));
};

const startGrowth = (rows: Rows, options: BoostOptions, base: number): Growth => {
  const { count, features } = rows;
  const cuts = fitCuts(rows);
  return {
    count,
    bins: binRows(rows, cuts),
    cuts,
    rules: {
      lambda: options.lambda,
      minHessian: options.minHessian,
      monotone: options.monotone ?? new Int8Array(features),
    },
    gradients: new Float64Array(count),
    hessians: new Float64Array(count),
    packed: makePackedGradients(count),
    scores: options.start?.slice() ?? new Float64Array(count).fill(base),
    order: new Int32Array(count),
    spare: new Int32Array(count),
    ordered: new Float64Array(count),
    freeHistograms: [],
    newHistogram: () => new Float64Array(features * MAX_BINS),
  };
};

/** Whether a feature differs between rows. Many features are constant for an account and would only cost time. */
const varies = (bins: Uint8Array, count: number, feature: number): boolean => {
  const from = feature * count;
  for (let i = from + 1; i < from + count; i++) if (bins[i] !== bins[from]) return true;
  return false;
};

const setGradients = ({ scores, gradients, hessians, packed, count }: Growth, { labels, weights }: Rows): void => {
  for (let i = 0; i < count; i++) {
    const weight = weights?.[i] ?? 1;
    const probability = sigmoid(scores[i] as number);
    gradients[i] = (probability - (labels[i] as number)) * weight;
    hessians[i] = probability * (1 - probability) * weight;
  }
  pack(packed, gradients, hessians);
};

/** Draws the rows of the next tree into `order`, and marks them in `inTree`. Returns their number. */
const drawRows = ({ order, count }: Growth, inTree: Uint8Array, share: number, random: Random): number => {
  let size = 0;
  for (let i = 0; i < count; i++) {
    inTree[i] = share >= 1 || random() < share ? 1 : 0;
    if (inTree[i] === 1) order[size++] = i;
  }
  return size;
};

const addTree = (scores: Float64Array, tree: Tree, { values, features, count }: Rows, skipped?: Uint8Array): void => {
  for (let i = 0; i < count; i++) {
    if (skipped?.[i] === 1) continue;
    scores[i] = (scores[i] as number) + (tree.value[leafOf(tree, values, i * features)] as number);
  }
};

/**
 * Grows trees, each of which corrects the ones before (gradient boosting). The same rows, options and seed give the
 * same forest to the bit.
 */
export const boost = (rows: Rows, options: BoostOptions): Forest => {
  const { rowShare, featureShare, valid } = options;
  const random = makeRandom(options.seed);
  const base = options.start === undefined ? priorOf(rows) : 0;
  const growth = startGrowth(rows, options, base);
  const usable = growth.cuts.flatMap((_, feature) =>
    !options.unused?.has(feature) && varies(growth.bins, rows.count, feature) ? [feature] : [],
  );
  const inTree = new Uint8Array(rows.count);
  const trees: Tree[] = [];
  const validScores = options.validStart?.slice() ?? new Float64Array(valid?.count ?? 0).fill(base);
  // On top of another model, no tree at all can be best.
  let bestLoss =
    valid === undefined || options.start === undefined ? Number.POSITIVE_INFINITY : logLoss(validScores, valid);
  let bestCount = 0;
  for (let done = 0; done < options.trees; done++) {
    setGradients(growth, rows);
    const size = drawRows(growth, inTree, rowShare, random);
    const used = featureShare >= 1 ? usable : usable.filter(() => random() < featureShare);
    const tree = growTree(growth, used.length === 0 ? usable : used, size, options);
    addTree(growth.scores, tree, rows, inTree);
    trees.push(tree);
    options.onTree?.(trees.length);
    if (valid === undefined) continue;
    addTree(validScores, tree, valid);
    const loss = logLoss(validScores, valid);
    if (loss < bestLoss) {
      bestLoss = loss;
      bestCount = trees.length;
    } else if (trees.length - bestCount >= (options.patience ?? Number.POSITIVE_INFINITY)) break;
  }
  return { base, trees: valid === undefined ? trees : trees.slice(0, bestCount) };
};
