import type { ModelFile } from '@portcullis/contract';
import { applyCalibration, type Calibration } from '../model/calibration.ts';
import { makeScorer } from '../model/forest-scorer.ts';
import { type Forest, LEAF, type Tree } from '../model/tree.ts';
import type { Rows } from './bins.ts';
import { type BoostOptions, boost } from './boost.ts';
import { calibrateLine } from './calibrate-line.ts';
import {
  type EncodedCategory,
  encodeCategory,
  heldOutFrom,
  nameOf,
  namesOf,
  pick,
  range,
  scoresOf,
} from './columns.ts';
import { categoriesOf, columnsOf, scoreRows, selectColumns, shiftOf, TUNING } from './fine-tune-columns.ts';
import { limitReviewRate, reviewRate } from './limit-review-rate.ts';
import { headOf, trim, trimCalibration, trimForest, withVersion } from './model-file.ts';
import { rankMetrics } from './rank-metrics.ts';
import type { TrainingData } from './table.ts';
import type { TrainOptions } from './train.ts';

/** Features added to those of the base model. */
const MAX_ADDED_FEATURES = 40;
const MAX_ADDED_TREES = 120;
const PATIENCE = 20;
/**
 * The largest increase of the share of legitimate rows that are reviewed. An account with more fraud than the base
 * model expects would otherwise get a model that reviews far more of everything.
 */
const MARGIN = 0.0015;

type WeightedRows = Rows & { readonly weights: Float64Array };

/** The same tree with its features renumbered. */
const renumber = (tree: Tree, to: (feature: number) => number): Tree => ({
  ...tree,
  feature: tree.feature.map((feature) => (feature === LEAF ? LEAF : to(feature))),
});

/** The columns of the new model and of the trees added to it. */
interface Layout {
  /** Numbers first, then categories, as in any model file; within each, those of the base model first. */
  readonly columns: readonly number[];
  /** Columns that the added trees use. With other columns they would fit noise. */
  readonly selected: readonly number[];
  /** By selected column: its position in `columns`. */
  readonly positions: readonly number[];
  readonly baseTrees: Tree[];
}

const layOut = (
  data: TrainingData,
  { features, categories }: ModelFile,
  forest: Forest,
  baseColumns: readonly number[],
  useful: readonly number[],
): Layout => {
  const added = useful
    .filter((column) => !baseColumns.includes(column))
    .slice(0, MAX_ADDED_FEATURES)
    .sort((a, b) => a - b);
  const isCategory = (column: number): boolean => column >= data.features;
  const addedNumbers = added.filter((column) => !isCategory(column));
  const columns = [
    ...baseColumns.filter((column) => !isCategory(column)),
    ...addedNumbers,
    ...baseColumns.filter(isCategory),
    ...added.filter(isCategory),
  ];
  const baseNumbers = features.length - categories.length;
  const baseTrees = forest.trees.map((tree) =>
    renumber(tree, (feature) => (feature < baseNumbers ? feature : feature + addedNumbers.length)),
  );
  const selected = columns.filter((column) => useful.includes(column));
  return { columns, selected, positions: selected.map((column) => columns.indexOf(column)), baseTrees };
};

const metricsOf = (rows: WeightedRows, before: Float64Array, after: Float64Array): ModelFile['metrics'] => {
  const measured = rankMetrics(after, rows.labels, rows.weights);
  return {
    held_out_rows: measured.rows,
    held_out_frauds: rows.labels.reduce((sum, label) => sum + label, 0),
    auc_roc: trim(measured.auc),
    average_precision: trim(measured.averagePrecision),
    recall_at_0_1_percent_fp: trim(measured.recallAt01),
    recall_at_1_percent_fp: trim(measured.recallAt1),
    base_average_precision: trim(rankMetrics(before, rows.labels, rows.weights).averagePrecision),
  };
};

/** Rows with their log-odds by the base model and by trees added to it. */
interface ScoredRows {
  readonly rows: WeightedRows;
  readonly baseLogOdds: Float64Array;
  readonly logOdds: Float64Array;
}

/**
 * Fits the calibration to the held-out rows, then limits its review rate on each of `limited`. The final trees are among
 * them: grown on more rows, they review more than the trees that the calibration was fitted to.
 */
const calibrationOf = (base: ModelFile, { rows, logOdds }: ScoredRows, limited: readonly ScoredRows[]): Calibration => {
  let calibration = calibrateLine(logOdds, rows.labels, rows.weights);
  for (const scored of limited) {
    const before = scored.baseLogOdds.map((at) => applyCalibration(base.calibration, at));
    calibration = limitReviewRate(calibration, scored.logOdds, reviewRate(before, scored.rows) + MARGIN, scored.rows);
  }
  return trimCalibration(calibration);
};

const addTrees = (logOdds: Float64Array, trees: Forest, rows: Rows): Float64Array => {
  const added = scoresOf(makeScorer(trees), rows);
  return logOdds.map((at, row) => at + (added[row] as number));
};

/**
 * Adds trees to a base model that correct its errors on the data of an account: boosting continues from the
 * log-odds of the base model. Few rows change it little and many rows change it much, without a weight to choose.
 * The held-out newest rows determine the number of added trees, which can be 0, and the calibration. Then the trees
 * are grown again on all rows.
 */
export const fineTune = (data: TrainingData, base: ModelFile, options: TrainOptions): ModelFile => {
  const { forest, features } = base;
  if (base.kind !== 'trees' || forest === undefined)
    throw new Error(`cannot fine-tune a model of kind ${base.kind}: it must be of kind trees`);
  const { seed, onProgress } = options;
  const cut = heldOutFrom(data);
  const baseCategories = categoriesOf(base, data);
  const encode = (end: number): EncodedCategory[] => [
    ...baseCategories,
    ...data.categories
      .filter(({ member }) => !features.includes(member))
      .map((category) => encodeCategory(category, data, end)),
  ];
  const early = encode(cut);
  const baseColumns = columnsOf(base, data, early);
  const baseLogOdds = scoreRows(forest, baseColumns, data, early);
  const startAt = (shift: number, from: number, end: number): Float64Array =>
    baseLogOdds.slice(from, end).map((at) => at + shift);
  const earlyShift = shiftOf(baseLogOdds, data, cut);
  const useful = selectColumns(data, early, cut, startAt(earlyShift, 0, cut), options);
  const { columns, selected, positions, baseTrees } = layOut(data, base, forest, baseColumns, useful);
  const monotone = Int8Array.from(selected, (column) => options.riskSign?.(nameOf(data, early, column)) ?? 0);
  onProgress?.(0.2);

  const fit = (
    encoded: readonly EncodedCategory[],
    shift: number,
    end: number,
    more: Partial<BoostOptions>,
  ): Forest => {
    if (selected.length === 0) return { base: 0, trees: [] };
    const rows = pick(data, encoded, selected, range(0, end));
    const start = startAt(shift, 0, end);
    return trimForest(boost(rows, { ...TUNING, trees: MAX_ADDED_TREES, seed, monotone, start, ...more }));
  };
  const newer = pick(data, early, selected, range(cut, data.count));
  const before = startAt(earlyShift, cut, data.count);
  const first = fit(early, earlyShift, cut, {
    valid: newer,
    validStart: before,
    patience: PATIENCE,
    onTree: (done) => onProgress?.(0.2 + (0.4 * done) / MAX_ADDED_TREES),
  });
  const after = addTrees(before, first, newer);

  const encoded = encode(data.count);
  const shift = shiftOf(baseLogOdds, data, data.count);
  const trees = first.trees.length;
  const onTree = (done: number): void => onProgress?.(0.6 + (0.4 * done) / trees);
  const grown = trees === 0 ? first : fit(encoded, shift, data.count, { trees, onTree });
  const all = pick(data, encoded, selected, range(0, data.count));
  const final = addTrees(startAt(shift, 0, data.count), grown, all);
  const heldOut = { rows: newer, baseLogOdds: baseLogOdds.subarray(cut), logOdds: after };
  const limited = [heldOut, { ...heldOut, logOdds: final.subarray(cut) }, { rows: all, baseLogOdds, logOdds: final }];
  onProgress?.(1);
  return withVersion({
    ...headOf(data, options),
    kind: 'trees',
    ...namesOf(data, encoded, columns),
    forest: {
      base: trim(forest.base + shift),
      trees: [...baseTrees, ...grown.trees.map((tree) => renumber(tree, (i) => positions[i] as number))],
    },
    calibration: calibrationOf(base, heldOut, limited),
    metrics: metricsOf(newer, before, after),
  });
};
