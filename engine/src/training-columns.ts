import type { Rows } from './bins.ts';
import { BOOST_DEFAULTS, boost } from './boost.ts';
import { logit } from './calibrate.ts';
import type { Scorer } from './scorer.ts';
import type { Category, TrainingData } from './training-table.ts';
import { type Forest, LEAF } from './tree.ts';

/** What the trainers share: columns of training data, those beyond the features being categories as numbers. */

/** The newest rows, on which it is measured, calibrated, and told when to stop. */
const HELD_OUT_SHARE = 0.2;
const FEWEST_OLDER_FRAUDS = 10;
/** Of a category's value, as many rows as these count as usual; and fewer say nothing of it, and might name somebody in the file. */
const PRIOR_ROWS = 20;
const FEWEST_ROWS = 20;

/** Log-odds of fraud among the rows of each value. */
export const valuesOf = (
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
    (rows[code] as number) < FEWEST_ROWS
      ? Number.NaN
      : Math.fround(logit(((frauds[code] as number) + share * PRIOR_ROWS) / ((all[code] as number) + PRIOR_ROWS))),
  );
  const seen = values.flatMap((value, code) => (Number.isNaN(numbers[code]) ? [] : [[value, numbers[code] as number]]));
  return { member, numbers, codes, values: Object.fromEntries(seen) as Record<string, number> };
};
export type Encoded = ReturnType<typeof valuesOf>;

export const valueAt = (data: TrainingData, encoded: readonly Encoded[], column: number, row: number): number => {
  const category = encoded[column - data.features];
  return category === undefined
    ? (data.values[row * data.features + column] as number)
    : (category.numbers[category.codes[row] as number] ?? Number.NaN);
};

/** Some rows, some columns; those beyond the features are categories as numbers. */
export const pick = (
  data: TrainingData,
  encoded: readonly Encoded[],
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

/** By how much the splits on each feature part what the rows say. */
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

export const nameOf = (data: TrainingData, encoded: readonly Encoded[], column: number): string =>
  data.names[column] ?? (encoded[column - data.features] as Encoded).member;

const LOOK = { ...BOOST_DEFAULTS, trees: 40, learningRate: 0.1 };
const LOOK_LEGITIMATES = 60_000;

/** Which columns tell the rows before `end` apart, the best first: a small forest over all of them is asked. */
export const gainsByColumn = (
  data: TrainingData,
  encoded: readonly Encoded[],
  end: number,
  { seed, mayLookAt }: { readonly seed: number; readonly mayLookAt?: (name: string) => boolean },
): { readonly column: number; readonly gain: number }[] => {
  const all = [...range(0, data.features + encoded.length)].filter(
    (column) => mayLookAt?.(nameOf(data, encoded, column)) ?? true,
  );
  const step = Math.max(1, Math.floor(end / LOOK_LEGITIMATES));
  const rows = [...range(0, end)].filter((row) => data.labels[row] === 1 || row % step === 0);
  const gains = gainsOf(boost(pick(data, encoded, all, rows), { ...LOOK, seed }), all.length);
  return all
    .map((column, i) => ({ column, gain: gains[i] as number }))
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain);
};

export const scoresOf = ({ logOdds }: Scorer, { values, count, features }: Rows): Float64Array => {
  const wide = Float64Array.from(values);
  return Float64Array.from({ length: count }, (_, row) => logOdds(wide, row * features));
};

/** Where the newest rows begin, with enough fraud on either side. */
export const heldOutFrom = ({ count, labels }: TrainingData): number => {
  const frauds = labels.reduce((sum, label) => sum + label, 0);
  const wanted = Math.ceil(frauds * HELD_OUT_SHARE);
  let found = 0;
  let cut = Math.floor(count / 2);
  for (let row = count - 1; row > 0; row--) {
    if (labels[row] === 1) found++;
    // Where labelling began late, a share of the rows would take all the fraud along and leave nothing to learn from.
    if (found > wanted && frauds - found < FEWEST_OLDER_FRAUDS) break;
    if (found < wanted) continue;
    cut = row;
    if (count - row >= count * HELD_OUT_SHARE) break;
  }
  return cut;
};

export const namesOf = (data: TrainingData, encoded: readonly Encoded[], columns: readonly number[]) => ({
  features: columns.map((column) => nameOf(data, encoded, column)),
  categories: columns
    .filter((column) => column >= data.features)
    .map((column) => {
      const { member, values } = encoded[column - data.features] as Encoded;
      return { member, values };
    }),
});
