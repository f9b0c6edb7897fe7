import type { ModelFile } from '@portcullis/contract';
import type { Rows } from './bins.ts';
import { BOOST_DEFAULTS, type BoostOptions, boost } from './boost.ts';
import { meaningOf, sigmoid } from './calibrate.ts';
import { calibrateLine } from './calibrate-line.ts';
import { lowered, worthALook } from './calibrate-within.ts';
import { headOf, trim, trimCalibration, trimForest, withVersion } from './model-content.ts';
import { makeRandom } from './random.ts';
import { rankMetrics } from './rank-metrics.ts';
import { makeScorer } from './scorer.ts';
import type { TrainOptions } from './train.ts';
import {
  type Encoded,
  gainsOf,
  heldOutFrom,
  nameOf,
  namesOf,
  pick,
  range,
  scoresOf,
  valueAt,
  valuesOf,
} from './training-columns.ts';
import type { TrainingData } from './training-table.ts';
import { type Forest, LEAF, type Tree } from './tree.ts';

/** What it may look at beside what the base model does. */
const MOST_FURTHER_FEATURES = 40;
const MOST_FURTHER_TREES = 120;
const PATIENCE = 20;
/**
 * Smaller trees than a model of its own has, since they only mend. A leaf may hold few rows that the base model is sure of: that is what fraud of
 * a new kind looks like. How far few rows may move the score is then for `lambda` to bound. Of a category, high values are those with most fraud: who has
 * none, or one that is new, is not to be taken for that.
 */
const FURTHER = { ...BOOST_DEFAULTS, leaves: 8, maxDepth: 4, minHessian: 0.1, lambda: 10, strangersWithMost: true };
const LOOK = { ...FURTHER, trees: 40, learningRate: 0.1 };
const LOOK_ROWS = 20_000;
/** Columns of nobody's: values of other rows. What says hardly more than they do says nothing. */
const DECOYS = 40;
const TIMES_A_DECOY = 2;
/**
 * What more of the rows that are no fraud may come to a review. An account with more fraud than the base model expects would otherwise get a model
 * that holds far more of everything, and be right in that; but it shall find more at about the cost that people agreed to.
 */
const MARGIN = 0.0025;
const NEWTON_STEPS = 20;
const FURTHEST_STEP = 2;

/** Each row as the base model's trees look at it, whatever else the data hold. */
const columnsOf = (base: ModelFile, data: TrainingData, encoded: readonly Encoded[]): number[] =>
  base.features.map((name, i) => {
    const category = i - (base.features.length - base.categories.length);
    const at = category < 0 ? data.names.indexOf(name) : data.features + category;
    if (at < 0 || at >= data.features + encoded.length)
      throw new Error(`the rows hold no \`${name}\`, which the base model looks at`);
    return at;
  });

/** The base model's categories keep the numbers it knows them by. */
const knownTo = (base: ModelFile, data: TrainingData): Encoded[] =>
  base.categories.map(({ member, values }) => {
    const own = data.categories.find((category) => category.member === member);
    const numbers = (own?.values ?? []).map((value) => (Object.hasOwn(values, value) ? values[value] : undefined));
    return {
      member,
      values,
      numbers: numbers.map((number) => number ?? Number.NaN),
      codes: own?.codes ?? new Int16Array(data.count).fill(-1),
    };
  });

/** Log-odds that the base model says of every row. One at a time: all of them as doubles would take as much memory as the data. */
const saidBy = (
  forest: Forest,
  columns: readonly number[],
  data: TrainingData,
  encoded: readonly Encoded[],
): Float64Array => {
  const { logOdds } = makeScorer(forest);
  const row = new Float64Array(columns.length);
  return Float64Array.from({ length: data.count }, (_, at) => {
    for (let i = 0; i < columns.length; i++) row[i] = valueAt(data, encoded, columns[i] as number, at);
    return logOdds(row);
  });
};

/** By how much all log-odds move for as much fraud to be expected as there is: accounts differ in that more than in anything. */
const shiftOf = (said: Float64Array, { labels, weights }: TrainingData, end: number): number => {
  let shift = 0;
  for (let step = 0; step < NEWTON_STEPS; step++) {
    let gradient = 0;
    // A prior of one row that says nothing, so that rows of one kind alone do not move it without end.
    let hessian = 0.25;
    for (let row = 0; row < end; row++) {
      const probability = sigmoid((said[row] as number) + shift);
      gradient += ((labels[row] as number) - probability) * (weights[row] as number);
      hessian += probability * (1 - probability) * (weights[row] as number);
    }
    shift += Math.min(Math.max(gradient / hessian, -FURTHEST_STEP), FURTHEST_STEP);
  }
  return trim(shift);
};

/** Rows with columns behind theirs that are some of them moved by a number of rows, so that they say nothing of the row they stand in. */
const withDecoys = (rows: Rows, seed: number): Rows => {
  const random = makeRandom(seed);
  const { count, features } = rows;
  const width = features + DECOYS;
  const values = new Float32Array(count * width);
  const decoys = Array.from({ length: DECOYS }, () => ({
    of: Math.floor(random() * features),
    by: Math.floor((0.25 + random() / 2) * count),
  }));
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < features; i++) values[row * width + i] = rows.values[row * features + i] as number;
    decoys.forEach(({ of, by }, i) => {
      values[row * width + features + i] = rows.values[((row + by) % count) * features + of] as number;
    });
  }
  return { ...rows, features: width, values };
};

/** The columns that tell fraud from the rest where the base model does not, the best first: those that say more than any decoy. */
const columnsThatTell = (
  data: TrainingData,
  encoded: readonly Encoded[],
  end: number,
  start: Float64Array,
  { seed, mayLookAt }: TrainOptions,
): number[] => {
  const all = [...range(0, data.features + encoded.length)].filter(
    (column) => mayLookAt?.(nameOf(data, encoded, column)) ?? true,
  );
  const step = Math.max(1, Math.floor(end / LOOK_ROWS));
  const rows = [...range(0, end)].filter((row) => data.labels[row] === 1 || row % step === 0);
  const from = Float64Array.from(rows, (row) => start[row] as number);
  const looked = boost(withDecoys(pick(data, encoded, all, rows), seed), { ...LOOK, seed, start: from });
  const gains = gainsOf(looked, all.length + DECOYS);
  const least = gains.subarray(all.length).reduce((most, gain) => Math.max(most, gain), 0);
  return all
    .map((column, i) => ({ column, gain: gains[i] as number }))
    .filter(({ gain }) => gain > TIMES_A_DECOY * least)
    .sort((a, b) => b.gain - a.gain)
    .map(({ column }) => column);
};

/** The same tree over a list of features in which some stand elsewhere. */
const moved = (tree: Tree, to: (feature: number) => number): Tree => ({
  ...tree,
  feature: tree.feature.map((feature) => (feature === LEAF ? LEAF : to(feature))),
});

/**
 * The base model, and trees of an account's own that mend what it gets wrong there: boosting goes on from what the base model says. Few rows
 * move it little and many move it far, so there is nothing to weigh one against the other by hand. As in any training the newest rows tell how many
 * trees are enough, which may be none, and what the log-odds mean; then the trees are grown once more on all rows.
 */
export const trainOnTop = (data: TrainingData, base: ModelFile, options: TrainOptions): ModelFile => {
  const { forest, features, categories } = base;
  if (base.kind !== 'trees' || forest === undefined)
    throw new Error(`a model of kind ${base.kind} cannot be built upon: only one of boosted trees can`);
  const { seed, onProgress } = options;
  const cut = heldOutFrom(data);
  const known = knownTo(base, data);
  const encode = (end: number): Encoded[] => [
    ...known,
    ...data.categories
      .filter(({ member }) => !features.includes(member))
      .map((category) => valuesOf(category, data, end)),
  ];
  const early = encode(cut);
  const ofBase = columnsOf(base, data, early);
  const said = saidBy(forest, ofBase, data, early);
  const earlyShift = shiftOf(said, data, cut);
  const starting = (shift: number, from: number, end: number): Float64Array =>
    said.slice(from, end).map((at) => at + shift);

  const telling = columnsThatTell(data, early, cut, starting(earlyShift, 0, cut), options);
  const further = telling
    .filter((column) => !ofBase.includes(column))
    .slice(0, MOST_FURTHER_FEATURES)
    .sort((a, b) => a - b);
  const isCategory = (column: number): boolean => column >= data.features;
  const furtherNumbers = further.filter((column) => !isCategory(column));
  // Numbers first, then categories, as in any model file; of each, the base model's first.
  const columns = [
    ...ofBase.filter((column) => !isCategory(column)),
    ...furtherNumbers,
    ...ofBase.filter(isCategory),
    ...further.filter(isCategory),
  ];
  const numbersOfBase = features.length - categories.length;
  const baseTrees = forest.trees.map((tree) =>
    moved(tree, (feature) => (feature < numbersOfBase ? feature : feature + furtherNumbers.length)),
  );
  // Trees of their own look at nothing else, or they would learn chance by heart.
  const looked = columns.filter((column) => telling.includes(column));
  const place = looked.map((column) => columns.indexOf(column));
  const monotone = Int8Array.from(looked, (column) => (options.rises?.(nameOf(data, early, column)) ? 1 : 0));
  onProgress?.(0.2);

  const fit = (encoded: readonly Encoded[], shift: number, end: number, more: Partial<BoostOptions>): Forest => {
    if (looked.length === 0) return { base: 0, trees: [] };
    return trimForest(
      boost(pick(data, encoded, looked, range(0, end)), {
        ...FURTHER,
        trees: MOST_FURTHER_TREES,
        seed,
        monotone,
        start: starting(shift, 0, end),
        ...more,
      }),
    );
  };
  const newer = pick(data, early, looked, range(cut, data.count));
  const first = fit(early, earlyShift, cut, {
    valid: newer,
    validStart: starting(earlyShift, cut, data.count),
    patience: PATIENCE,
    onTree: (done) => onProgress?.(0.2 + (0.4 * done) / MOST_FURTHER_TREES),
  });
  const before = starting(earlyShift, cut, data.count);
  const added = scoresOf(makeScorer(first), newer);
  const after = before.map((at, row) => at + (added[row] as number));
  const measured = rankMetrics(after, newer.labels, newer.weights);

  const encoded = encode(data.count);
  const shift = shiftOf(said, data, data.count);
  const trees = first.trees.length;
  const grown =
    trees === 0
      ? []
      : fit(encoded, shift, data.count, { trees, onTree: (done) => onProgress?.(0.6 + (0.4 * done) / trees) }).trees;
  onProgress?.(1);
  const fitted = calibrateLine(after, newer.labels, newer.weights);
  const baseMeans = said.subarray(cut).map((at) => meaningOf(base.calibration, at));
  const calibration = lowered(fitted, after, worthALook(baseMeans, newer) + MARGIN, newer);
  return withVersion({
    ...headOf(data, options),
    kind: 'trees',
    ...namesOf(data, encoded, columns),
    forest: {
      base: trim(forest.base + shift),
      trees: [...baseTrees, ...grown.map((tree) => moved(tree, (i) => place[i] as number))],
    },
    calibration: trimCalibration(calibration),
    metrics: {
      held_out_rows: measured.rows,
      held_out_frauds: newer.labels.reduce((sum, label) => sum + label, 0),
      auc_roc: trim(measured.auc),
      average_precision: trim(measured.averagePrecision),
      recall_at_0_1_percent_fp: trim(measured.recallAt01),
      recall_at_1_percent_fp: trim(measured.recallAt1),
      base_average_precision: trim(rankMetrics(before, newer.labels, newer.weights).averagePrecision),
    },
  });
};
