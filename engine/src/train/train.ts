import type { ModelFile } from '@portcullis/contract';
import type { Calibration } from '../model/calibration.ts';
import { assumedWeightOf, SIGNAL_FEATURE } from '../model/features.ts';
import { makeScorer } from '../model/forest-scorer.ts';
import { makeLogisticScorer } from '../model/logistic.ts';
import type { Forest } from '../model/tree.ts';
import type { Rows } from './bins.ts';
import { BOOST_DEFAULTS, type BoostOptions, boost } from './boost.ts';
import { calibrate } from './calibrate-isotonic.ts';
import {
  type EncodedCategory,
  encodeCategory,
  gainsByColumn,
  heldOutFrom,
  nameOf,
  namesOf,
  pick,
  range,
  scoresOf,
} from './columns.ts';
import { fitLogistic, LOGISTIC_DEFAULTS } from './fit-logistic.ts';
import { calibrateByRank, fitIsolation, ISOLATION_DEFAULTS } from './isolation-forest.ts';
import { headOf, type Origin, trim, trimCalibration, trimForest, withVersion } from './model-file.ts';
import { type RankMetrics, rankMetrics } from './rank-metrics.ts';
import { fitSignalStumps, isGraded } from './signal-stumps.ts';
import type { TrainingData } from './table.ts';

export interface TrainOptions extends Origin {
  /** Whether the model may use a feature; by default all are allowed. */
  readonly mayUseFeature?: (name: string) => boolean;
  /**
   * 1 for a feature of which more can only raise the score, so that an attack stronger than any in training never scores
   * lower; -1 for one of which more can only lower it; else 0.
   */
  readonly riskSign?: (name: string) => -1 | 0 | 1;
  /** Growth of the trees that differs from the defaults. */
  readonly growth?: Partial<Pick<BoostOptions, 'learningRate' | 'leaves' | 'maxDepth' | 'lambda'>>;
  /** How many legitimate rows each legitimate row stands for where probabilities are calibrated; 1 by default. */
  readonly legitimateWeight?: number;
  /** Called with the share done, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** More features cost time and add noise. */
const MAX_FEATURES = 90;
/** With fewer frauds, training ignores labels and makes an anomaly model. */
export const MIN_FRAUDS = 20;
const MAX_TREES = 240;
const MIN_TREES = 30;
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

const isSignal = (name: string): boolean => name.startsWith(SIGNAL_FEATURE);

/** The columns of a model: every signal, and the features that separate fraud best. */
const columnsFor = (
  data: TrainingData,
  encoded: readonly EncodedCategory[],
  cut: number,
  options: TrainOptions,
): number[] => {
  const best = gainsByColumn(data, encoded, cut, options)
    .slice(0, MAX_FEATURES)
    .map(({ column }) => column);
  const signals = [...range(0, data.features)].filter((column) => {
    const name = nameOf(data, encoded, column);
    return isSignal(name) && (options.mayUseFeature?.(name) ?? true);
  });
  return [...new Set([...best, ...signals])].sort((a, b) => a - b);
};

/**
 * The weights of rows in real traffic, if it has less fraud than the training data. Frauds that weigh more in training count
 * like any other: otherwise the model would overstate how likely they are.
 */
const realWeights = (
  { labels, weights }: Rows & { weights: Float64Array },
  { legitimateWeight }: TrainOptions,
): Float64Array => {
  if (legitimateWeight === undefined) return weights;
  let [sum, frauds] = [0, 0];
  for (let row = 0; row < weights.length; row++)
    if (labels[row] === 1) {
      sum += weights[row] as number;
      frauds++;
    }
  return weights.map((weight, row) => (labels[row] === 1 ? sum / frauds : weight * legitimateWeight));
};

/** Trains without labels: the model scores how unusual an item is. */
const trainAnomaly = (data: TrainingData, options: TrainOptions): ModelFile => {
  const columns = [...range(0, data.features)].filter(
    (column) => options.mayUseFeature?.(nameOf(data, [], column)) ?? true,
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
 * Trains a model on rows in the order of time. It is first fitted to the older rows. The held-out newest rows
 * determine the number of trees, the calibration, and whether a logistic regression is better. Then it is fitted to
 * all rows.
 */
export const trainModel = (data: TrainingData, options: TrainOptions): ModelFile => {
  const head = headOf(data, options);
  if (data.count === 0) throw new Error('there are no labelled items to train on in this period');
  if (head.trained.frauds < MIN_FRAUDS || head.trained.frauds === data.count) return trainAnomaly(data, options);
  const { seed, onProgress } = options;
  const cut = heldOutFrom(data);
  const early = data.categories.map((category) => encodeCategory(category, data, cut));
  const columns = columnsFor(data, early, cut, options);
  const signals = [...columns.keys()].filter((i) => isSignal(nameOf(data, early, columns[i] as number)));
  const assumed = signals.map((i) => assumedWeightOf(nameOf(data, early, columns[i] as number)));
  const monotone = Int8Array.from(columns, (column) => options.riskSign?.(nameOf(data, early, column)) ?? 0);
  onProgress?.(0.15);
  const older = pick(data, early, columns, range(0, cut));
  const newer = pick(data, early, columns, range(cut, data.count));
  /** Boosted trees that correct the weights from a regression over only the signals. */
  const fit = (rows: Rows, from: number, trees: number, valid?: Rows): Forest => {
    const stumps = fitSignalStumps(rows, signals, assumed);
    const start = (of: Rows): Float64Array => scoresOf(makeScorer(stumps), of);
    const boosted = boost(rows, {
      ...BOOST_DEFAULTS,
      ...options.growth,
      trees,
      seed,
      monotone,
      // Trees would cut a grade where most thieves stop waiting.
      unused: new Set(signals.filter((signal) => isGraded(rows, signal))),
      onTree: (done) => onProgress?.(from + (0.4 * done) / trees),
      start: start(rows),
      ...(valid === undefined ? {} : { valid, validStart: start(valid), patience: PATIENCE }),
    });
    return { base: stumps.base, trees: [...stumps.trees, ...boosted.trees] };
  };
  const first = fit(older, 0.15, MAX_TREES, newer);
  const scores = scoresOf(makeScorer(first), newer);
  const measured = rankMetrics(scores, newer.labels);
  const logistic = fitLogistic(older, { ...LOGISTIC_DEFAULTS, seed });
  const logisticScores = scoresOf(makeLogisticScorer(logistic), newer);
  const logisticMeasured = rankMetrics(logisticScores, newer.labels);
  onProgress?.(0.6);
  const calibrateOn = (of: Float64Array): Calibration =>
    trimCalibration(calibrate(of, newer.labels, realWeights(newer, options)));
  const encoded = data.categories.map((category) => encodeCategory(category, data, data.count));
  const all = pick(data, encoded, columns, range(0, data.count));
  const content = { ...head, ...namesOf(data, encoded, columns), metrics: metricsOf(measured, logisticMeasured) };
  if (logisticMeasured.averagePrecision > measured.averagePrecision) {
    const refitted = fitLogistic(all, { ...LOGISTIC_DEFAULTS, seed });
    // A logistic regression has no monotone constraints. One that violates them is rejected.
    if (monotone.every((sign, i) => sign * (refitted.weights[2 * i] as number) >= 0)) {
      return withVersion({
        ...content,
        kind: 'logistic',
        logistic: refitted,
        calibration: calibrateOn(logisticScores),
      });
    }
  }
  const enough = Math.max(MIN_TREES, first.trees.length - fitSignalStumps(older, signals, assumed).trees.length);
  const forest = trimForest(fit(all, 0.6, enough));
  return withVersion({ ...content, kind: 'trees', forest, calibration: calibrateOn(scores) });
};
