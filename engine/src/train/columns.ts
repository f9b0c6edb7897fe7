import { logit } from '../model/calibration.ts';
import type { Scorer } from '../model/forest-scorer.ts';
import { type Forest, LEAF } from '../model/tree.ts';
import type { Rows } from './bins.ts';
import { BOOST_DEFAULTS, boost } from './boost.ts';
import type { Category, TrainingData } from './table.ts';

/**
 * Columns of training data, shared by both trainers. The columns after the features are categories, encoded as
 * numbers.
 */

/** The share of newest rows that are held out, to measure and calibrate the model and to stop its training. */
const HELD_OUT_SHARE = 0.2;
const MIN_OLDER_FRAUDS = 10;
/** Rows with the average share of fraud that are added to each value of a category. */
const PRIOR_ROWS = 20;
/**
 * Rarer values of a category are not encoded: they carry little information and could identify a person in the
 * file.
 */
const MIN_ROWS = 20;

/** Encodes each value of a category as the log-odds of fraud among its rows before `end`. */
export const encodeCategory = (
  { member, values, codes }: Category,
  { labels, weights, count }: TrainingData,
  end: number,
) => {
  const frauds = new Float64Array(values.length);
  const all = new Float64Array(values.length);
  const rows = new Float64Array(values.length);
  let fraud = 0;
  let total = 0;
  for (let row = 0; row < Math.min(end, count); row++) {
    const weight = weights[row] as number;
    const isFraud = labels[row] === 1 ? weight : 0;
    fraud += isFraud;
    total += weight;
    const code = codes[row] as number;
    if (code < 0) continue;
    frauds[code] = (frauds[code] as number) + isFraud;
    all[code] = (all[code] as number) + weight;
    rows[code] = (rows[code] as number) + 1;
  }
  const share = Math.min(Math.max(fraud / total, 1e-6), 1 - 1e-6);
  const numbers = Array.from(values, (_, code) =>
    (rows[code] as number) < MIN_ROWS
      ? Number.NaN
      : Math.fround(logit(((frauds[code] as number) + share * PRIOR_ROWS) / ((all[code] as number) + PRIOR_ROWS))),
  );
  const entries = values.flatMap((value, code) =>
    Number.isNaN(numbers[code]) ? [] : [[value, numbers[code] as number]],
  );
  return { member, numbers, codes, values: Object.fromEntries(entries) as Record<string, number> };
};
export type EncodedCategory = ReturnType<typeof encodeCategory>;

export const valueAt = (
  data: TrainingData,
  encoded: readonly EncodedCategory[],
  column: number,
  row: number,
): number => {
  const category = encoded[column - data.features];
  return category === undefined
    ? (data.values[row * data.features + column] as number)
    : (category.numbers[category.codes[row] as number] ?? Number.NaN);
};

/** Copies some columns of some rows. */
export const pick = (
  data: TrainingData,
  encoded: readonly EncodedCategory[],
  columns: readonly number[],
  rows: readonly number[] | Int32Array,
): Rows & { weights: Float64Array } => {
  const width = columns.length;
  const values = new Float32Array(rows.length * width);
  const labels = new Uint8Array(rows.length);
  const weights = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    for (let c = 0; c < width; c++) {
      values[i * width + c] = valueAt(data, encoded, columns[c] as number, row);
    }
    labels[i] = data.labels[row] as number;
    weights[i] = data.weights[row] as number;
  }
  return { count: rows.length, features: width, values, labels, weights };
};

/** The gain of the splits on each feature, summed over all trees. */
export const gainsOf = ({ trees }: Forest, features: number): Float64Array => {
  const gains = new Float64Array(features);
  for (const { feature, left, right, value, cover } of trees) {
    for (let node = 0; node < feature.length; node++) {
      const of = feature[node] as number;
      if (of === LEAF) continue;
      for (const child of [left[node] as number, right[node] as number])
        gains[of] =
          (gains[of] as number) + (cover[child] as number) * ((value[child] as number) - (value[node] as number)) ** 2;
    }
  }
  return gains;
};

export const range = (from: number, end: number): Int32Array =>
  Int32Array.from({ length: end - from }, (_, i) => from + i);

export const nameOf = (data: TrainingData, encoded: readonly EncodedCategory[], column: number): string =>
  data.names[column] ?? (encoded[column - data.features] as EncodedCategory).member;

const SELECTION = { ...BOOST_DEFAULTS, trees: 40, learningRate: 0.1 };
const SELECTION_ROWS = 60_000;

/**
 * The columns that separate fraud in the rows before `end`, best first, by the gains of a small forest over all
 * columns.
 */
export const gainsByColumn = (
  data: TrainingData,
  encoded: readonly EncodedCategory[],
  end: number,
  { seed, mayUseFeature }: { readonly seed: number; readonly mayUseFeature?: (name: string) => boolean },
): { readonly column: number; readonly gain: number }[] => {
  const all = [...range(0, data.features + encoded.length)].filter(
    (column) => mayUseFeature?.(nameOf(data, encoded, column)) ?? true,
  );
  const step = Math.max(1, Math.floor(end / SELECTION_ROWS));
  const rows = [...range(0, end)].filter((row) => data.labels[row] === 1 || row % step === 0);
  const gains = gainsOf(boost(pick(data, encoded, all, rows), { ...SELECTION, seed }), all.length);
  return all
    .map((column, i) => ({ column, gain: gains[i] as number }))
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain);
};

export const scoresOf = ({ logOddsOfRows }: Scorer, { values, count, features }: Rows): Float64Array => {
  const scores = new Float64Array(count);
  logOddsOfRows(Float64Array.from(values), count, features, scores);
  return scores;
};

/** The first held-out row. There is enough fraud before and after it. */
export const heldOutFrom = ({ count, labels }: TrainingData): number => {
  const frauds = labels.reduce((sum, label) => sum + label, 0);
  const wanted = Math.ceil(frauds * HELD_OUT_SHARE);
  let found = 0;
  let cut = Math.floor(count / 2);
  for (let row = count - 1; row > 0; row--) {
    if (labels[row] === 1) found++;
    // If labelling began late, a fixed share of rows would hold all the fraud, and none would be left to train on.
    if (found > wanted && frauds - found < MIN_OLDER_FRAUDS) break;
    if (found < wanted) continue;
    cut = row;
    if (count - row >= count * HELD_OUT_SHARE) break;
  }
  return cut;
};

export const namesOf = (data: TrainingData, encoded: readonly EncodedCategory[], columns: readonly number[]) => ({
  features: columns.map((column) => nameOf(data, encoded, column)),
  categories: columns
    .filter((column) => column >= data.features)
    .map((column) => {
      const { member, values } = encoded[column - data.features] as EncodedCategory;
      return { member, values };
    }),
});
