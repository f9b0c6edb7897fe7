import type { ModelFile } from '@portcullis/contract';
import type { Rows } from './bins.ts';
import { BOOST_DEFAULTS, type BoostOptions, boost } from './boost.ts';
import { calibrate } from './calibrate.ts';
import { calibrateByRank, fitIsolation, ISOLATION_DEFAULTS } from './isolation.ts';
import { fitLogistic, LOGISTIC_DEFAULTS, makeLogisticScorer } from './logistic.ts';
import { headOf, type Origin, trim, trimCalibration, trimForest, withVersion } from './model-content.ts';
import { type RankMetrics, rankMetrics } from './rank-metrics.ts';
import { makeScorer } from './scorer.ts';
import { gainsByColumn, heldOutFrom, nameOf, namesOf, pick, range, scoresOf, valuesOf } from './training-columns.ts';
import type { TrainingData } from './training-table.ts';
import type { Forest } from './tree.ts';

/** `source`, `from` and `until` are told in the file. */
export interface TrainOptions extends Origin {
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
/** Below this there is nothing to learn from labels. */
export const FEWEST_FRAUDS = 20;
const MOST_TREES = 200;
const FEWEST_TREES = 30;
const PATIENCE = 30;

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
  const columns = gainsByColumn(data, early, cut, options)
    .slice(0, MOST_FEATURES)
    .map(({ column }) => column)
    .sort((a, b) => a - b);
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
