import { MODEL_SCHEMA, MODEL_SCHEMA_VERSION, type ModelFile } from '@portcullis/contract';
import type { Rows } from './bins.ts';
import { BOOST_DEFAULTS, type BoostOptions, boost } from './boost.ts';
import { type Calibration, calibrate, logit } from './calibrate.ts';
import { hash53 } from './entity.ts';
import { calibrateByRank, fitIsolation, ISOLATION_DEFAULTS } from './isolation.ts';
import { fitLogistic, LOGISTIC_DEFAULTS, makeLogisticScorer } from './logistic.ts';
import { type RankMetrics, rankMetrics } from './rank-metrics.ts';
import { makeScorer, type Scorer } from './scorer.ts';
import type { Category, TrainingData } from './training-table.ts';
import { type Forest, LEAF } from './tree.ts';

export interface TrainOptions {
  readonly seed: number;
  /** What it learns from, and of what time: told in the file. */
  readonly source: string;
  readonly from: string;
  readonly until: string;
  /** Features it may look at; all where it is left out. */
  readonly mayLookAt?: (name: string) => boolean;
  /** 1 for features that may only raise the score as they grow, so that a worse attack than any it has seen is not taken for less. */
  readonly rises?: (name: string) => boolean;
  readonly learningRate?: number;
  /** How much is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** How many features a model looks at: more cost time and teach it noise. */
const MOST_FEATURES = 60;
/** The newest rows, on which it is measured, calibrated, and told when to stop. */
const HELD_OUT_SHARE = 0.2;
/** Below this there is nothing to learn from labels. */
export const FEWEST_FRAUDS = 20;
const FEWEST_OLDER_FRAUDS = 10;
const LOOK = { ...BOOST_DEFAULTS, trees: 40, learningRate: 0.1 };
const LOOK_LEGITIMATES = 60_000;
const MOST_TREES = 200;
const FEWEST_TREES = 30;
const PATIENCE = 30;
/** Of a category's value, as many rows as these count as usual; and fewer say nothing of it, and might name somebody in the file. */
const PRIOR_ROWS = 20;
const FEWEST_ROWS = 20;

/** Log-odds of fraud among the rows of each value. */
const valuesOf = ({ member, values, codes }: Category, { labels, weights, count }: TrainingData, end: number) => {
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
type Encoded = ReturnType<typeof valuesOf>;

/** Some rows, some columns; those beyond the features are categories as numbers. */
const pick = (
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
      const column = columns[c] as number;
      const category = encoded[column - data.features];
      values[i * width + c] =
        category === undefined
          ? (data.values[row * data.features + column] as number)
          : (category.numbers[category.codes[row] as number] ?? Number.NaN);
    }
    labels[i] = data.labels[row] as number;
    weights[i] = data.weights[row] as number;
  }
  return { count: rows.length, features: width, values, labels, weights };
};

/** By how much the splits on each feature part what the rows say. */
const gainsOf = ({ trees }: Forest, features: number): Float64Array => {
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

const range = (from: number, end: number): Int32Array => Int32Array.from({ length: end - from }, (_, i) => from + i);

const nameOf = (data: TrainingData, encoded: readonly Encoded[], column: number): string =>
  data.names[column] ?? (encoded[column - data.features] as Encoded).member;

const chooseColumns = (
  data: TrainingData,
  encoded: readonly Encoded[],
  end: number,
  { seed, mayLookAt }: TrainOptions,
): number[] => {
  const all = [...range(0, data.features + encoded.length)].filter(
    (column) => mayLookAt?.(nameOf(data, encoded, column)) ?? true,
  );
  const step = Math.max(1, Math.floor(end / LOOK_LEGITIMATES));
  const rows = [...range(0, end)].filter((row) => data.labels[row] === 1 || row % step === 0);
  const gains = gainsOf(boost(pick(data, encoded, all, rows), { ...LOOK, seed }), all.length);
  const gainOf = new Map(all.map((column, i) => [column, gains[i] as number]));
  return all
    .filter((column) => (gainOf.get(column) as number) > 0)
    .sort((a, b) => (gainOf.get(b) as number) - (gainOf.get(a) as number))
    .slice(0, MOST_FEATURES)
    .sort((a, b) => a - b);
};

const scoresOf = ({ logOdds }: Scorer, { values, count, features }: Rows): Float64Array => {
  const wide = Float64Array.from(values);
  return Float64Array.from({ length: count }, (_, row) => logOdds(wide, row * features));
};

/** Where the newest rows begin, with enough fraud on either side. */
const heldOutFrom = ({ count, labels }: TrainingData): number => {
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

const DIGITS = 9;
/** Nine digits tell any two of what was learned apart; more would only make files larger. */
const trim = (value: number): number => Number(value.toPrecision(DIGITS));
const trimForest = ({ base, trees }: Forest): Forest => ({
  base: trim(base),
  trees: trees.map((tree) => ({ ...tree, threshold: tree.threshold.map(trim), value: tree.value.map(trim) })),
});
const trimCalibration = ({ said, meant }: Calibration): Calibration => {
  const at = said.map(trim);
  // Two that are one to so many digits would leave no slope between them.
  const kept = at.flatMap((value, i) => (i === 0 || value > (at[i - 1] as number) ? [i] : []));
  return { said: kept.map((i) => at[i] as number), meant: kept.map((i) => trim(meant[i] as number)) };
};

const metricsOf = (
  { auc, averagePrecision, recallAt01, recallAt1, rows, frauds }: RankMetrics,
  logistic: RankMetrics,
) => ({
  held_out_rows: rows,
  held_out_frauds: frauds,
  auc_roc: trim(auc),
  average_precision: trim(averagePrecision),
  recall_at_0_1_percent_fp: trim(recallAt01),
  recall_at_1_percent_fp: trim(recallAt1),
  logistic_auc_roc: trim(logistic.auc),
  logistic_average_precision: trim(logistic.averagePrecision),
});

type Content = Omit<ModelFile, 'model_version'>;
/** A version is made from what the model says: the same rows give the same version, on any machine, and another model has another. */
export const modelVersionOf = (content: Content): string => {
  const text = JSON.stringify(content);
  return `mdl_${hash53(text).toString(36)}${hash53(`${text.length}${text}`).toString(36)}`;
};
const withVersion = (content: Content): ModelFile => {
  const { schema, schema_version, ...rest } = content;
  return { schema, schema_version, model_version: modelVersionOf(content), ...rest };
};

const namesOf = (data: TrainingData, encoded: readonly Encoded[], columns: readonly number[]) => ({
  features: columns.map((column) => nameOf(data, encoded, column)),
  categories: columns
    .filter((column) => column >= data.features)
    .map((column) => {
      const { member, values } = encoded[column - data.features] as Encoded;
      return { member, values };
    }),
});

const headOf = (data: TrainingData, { source, from, until, seed }: TrainOptions) => ({
  schema: MODEL_SCHEMA as ModelFile['schema'],
  schema_version: MODEL_SCHEMA_VERSION as ModelFile['schema_version'],
  trained: { source, from, until, rows: data.count, frauds: data.labels.reduce((sum, label) => sum + label, 0), seed },
});

/** Without labels: how unlike the others something is. */
const trainAnomaly = (data: TrainingData, options: TrainOptions): ModelFile => {
  const columns = [...range(0, data.features)].filter(
    (column) => options.mayLookAt?.(nameOf(data, [], column)) ?? true,
  );
  const rows = pick(data, [], columns, range(0, data.count));
  const forest = trimForest(fitIsolation(rows, { ...ISOLATION_DEFAULTS, seed: options.seed }));
  const calibration = trimCalibration(calibrateByRank(scoresOf(makeScorer(forest), rows)));
  return withVersion({
    ...headOf(data, options),
    kind: 'anomaly',
    ...namesOf(data, [], columns),
    forest,
    calibration,
    metrics: {},
  });
};

/**
 * A model from rows in the order of time. It is fitted to the older ones first: the newest tell how many trees are enough, what its log-odds
 * mean, and whether a logistic regression would do as well; then it is fitted to all.
 */
export const trainModel = (data: TrainingData, options: TrainOptions): ModelFile => {
  const head = headOf(data, options);
  if (data.count === 0) throw new Error('there is nothing to train on: no labelled item in the time asked for');
  if (head.trained.frauds < FEWEST_FRAUDS || head.trained.frauds === data.count) return trainAnomaly(data, options);
  const { seed, onProgress } = options;
  const cut = heldOutFrom(data);
  const early = data.categories.map((category) => valuesOf(category, data, cut));
  const columns = chooseColumns(data, early, cut, options);
  const monotone = Int8Array.from(columns, (column) => (options.rises?.(nameOf(data, early, column)) ? 1 : 0));
  onProgress?.(0.15);
  const older = pick(data, early, columns, range(0, cut));
  const newer = pick(data, early, columns, range(cut, data.count));
  const fit = (rows: Rows, from: number, trees: number, more: Partial<BoostOptions>): Forest =>
    boost(rows, {
      ...BOOST_DEFAULTS,
      learningRate: options.learningRate ?? BOOST_DEFAULTS.learningRate,
      trees,
      seed,
      monotone,
      onTree: (done) => onProgress?.(from + (0.4 * done) / trees),
      ...more,
    });
  const first = fit(older, 0.15, MOST_TREES, { valid: newer, patience: PATIENCE });
  const said = scoresOf(makeScorer(first), newer);
  const measured = rankMetrics(said, newer.labels);
  const logistic = fitLogistic(older, { ...LOGISTIC_DEFAULTS, seed });
  const plain = scoresOf(makeLogisticScorer(logistic), newer);
  const challenger = rankMetrics(plain, newer.labels);
  onProgress?.(0.6);
  const encoded = data.categories.map((category) => valuesOf(category, data, data.count));
  const all = pick(data, encoded, columns, range(0, data.count));
  const content = { ...head, ...namesOf(data, encoded, columns), metrics: metricsOf(measured, challenger) };
  if (challenger.averagePrecision > measured.averagePrecision) {
    const refitted = fitLogistic(all, { ...LOGISTIC_DEFAULTS, seed });
    // Nothing holds a line to what may only raise the score: one that goes against it is not taken.
    if (monotone.every((sign, i) => sign === 0 || (refitted.weights[2 * i] as number) >= 0)) {
      const calibration = trimCalibration(calibrate(plain, newer.labels, newer.weights));
      return withVersion({ ...content, kind: 'logistic', logistic: refitted, calibration });
    }
  }
  const enough = Math.max(FEWEST_TREES, first.trees.length);
  const forest = trimForest(fit(all, 0.6, enough, {}));
  const calibration = trimCalibration(calibrate(said, newer.labels, newer.weights));
  return withVersion({ ...content, kind: 'trees', forest, calibration });
};
