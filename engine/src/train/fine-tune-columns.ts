import type { ModelFile } from '@portcullis/contract';
import { sigmoid } from '../model/calibration.ts';
import { makeScorer } from '../model/forest-scorer.ts';
import type { Forest } from '../model/tree.ts';
import { makeRandom } from '../random.ts';
import type { Rows } from './bins.ts';
import { BOOST_DEFAULTS, boost } from './boost.ts';
import { type EncodedCategory, gainsOf, nameOf, pick, range, valueAt } from './columns.ts';
import { trim } from './model-file.ts';
import type { TrainingData } from './table.ts';
import type { TrainOptions } from './train.ts';

/**
 * Options of trees that correct a base model. They are smaller than those of a new model. A leaf may hold few rows
 * that the base model is sure of, because new kinds of fraud look like that; `lambda` limits the effect of few
 * rows. High values of a category are those with most fraud, so rows without a value, or with a new one, go with
 * the majority.
 */
export const TUNING = {
  ...BOOST_DEFAULTS,
  leaves: 8,
  maxDepth: 4,
  minHessian: 0.1,
  lambda: 10,
  unseenWithMajority: true,
};
const SELECTION = { ...TUNING, trees: 40, learningRate: 0.1 };
const SELECTION_ROWS = 20_000;
/** Number of decoys: columns with the values of other rows, which carry no information. */
const DECOYS = 40;
/** A column is selected if its gain is at least this many times that of the best decoy. */
const TIMES_A_DECOY = 2;
const NEWTON_STEPS = 20;
const FURTHEST_STEP = 2;

/** The columns of the base model's features. */
export const columnsOf = (base: ModelFile, data: TrainingData, encoded: readonly EncodedCategory[]): number[] =>
  base.features.map((name, i) => {
    const category = i - (base.features.length - base.categories.length);
    const at = category < 0 ? data.names.indexOf(name) : data.features + category;
    if (at < 0 || at >= data.features + encoded.length)
      throw new Error(`the training rows have no column \`${name}\`, which the base model uses`);
    return at;
  });

/** The categories of the base model, encoded with its own numbers. */
export const categoriesOf = (base: ModelFile, data: TrainingData): EncodedCategory[] =>
  base.categories.map(({ member, values }) => {
    const category = data.categories.find((candidate) => candidate.member === member);
    const numbers = (category?.values ?? []).map((value) => (Object.hasOwn(values, value) ? values[value] : undefined));
    return {
      member,
      values,
      numbers: numbers.map((number) => number ?? Number.NaN),
      codes: category?.codes ?? new Int16Array(data.count).fill(-1),
    };
  });

/**
 * Log-odds of every row by the base model. Rows are read one at a time: all rows as doubles would double the
 * memory.
 */
export const scoreRows = (
  forest: Forest,
  columns: readonly number[],
  data: TrainingData,
  encoded: readonly EncodedCategory[],
): Float64Array => {
  const { logOdds } = makeScorer(forest);
  const row = new Float64Array(columns.length);
  return Float64Array.from({ length: data.count }, (_, at) => {
    for (let i = 0; i < columns.length; i++) row[i] = valueAt(data, encoded, columns[i] as number, at);
    return logOdds(row);
  });
};

/**
 * The shift of all log-odds that makes the expected share of fraud equal the observed one. That share differs most
 * between accounts.
 */
export const shiftOf = (logOdds: Float64Array, { labels, weights }: TrainingData, end: number): number => {
  let shift = 0;
  for (let step = 0; step < NEWTON_STEPS; step++) {
    let gradient = 0;
    // A prior of one row, so that rows with only one label do not shift without limit.
    let hessian = 0.25;
    for (let row = 0; row < end; row++) {
      const probability = sigmoid((logOdds[row] as number) + shift);
      gradient += ((labels[row] as number) - probability) * (weights[row] as number);
      hessian += probability * (1 - probability) * (weights[row] as number);
    }
    shift += Math.min(Math.max(gradient / hessian, -FURTHEST_STEP), FURTHEST_STEP);
  }
  return trim(shift);
};

/** Appends decoys to the columns of the rows. */
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

/**
 * The columns that separate fraud where the base model does not, best first: those with a clearly larger gain than
 * any decoy.
 */
export const selectColumns = (
  data: TrainingData,
  encoded: readonly EncodedCategory[],
  end: number,
  start: Float64Array,
  { seed, mayUseFeature }: TrainOptions,
): number[] => {
  const all = [...range(0, data.features + encoded.length)].filter(
    (column) => mayUseFeature?.(nameOf(data, encoded, column)) ?? true,
  );
  const step = Math.max(1, Math.floor(end / SELECTION_ROWS));
  const rows = [...range(0, end)].filter((row) => data.labels[row] === 1 || row % step === 0);
  const rowStart = Float64Array.from(rows, (row) => start[row] as number);
  const forest = boost(withDecoys(pick(data, encoded, all, rows), seed), { ...SELECTION, seed, start: rowStart });
  const gains = gainsOf(forest, all.length + DECOYS);
  const bestDecoy = gains.subarray(all.length).reduce((most, gain) => Math.max(most, gain), 0);
  return all
    .map((column, i) => ({ column, gain: gains[i] as number }))
    .filter(({ gain }) => gain > TIMES_A_DECOY * bestDecoy)
    .sort((a, b) => b.gain - a.gain)
    .map(({ column }) => column);
};
