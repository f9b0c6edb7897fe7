import { logit, sigmoid } from '../model/calibration.ts';
import { addLeaf, type Forest, newTree, type Tree } from '../model/tree.ts';
import type { Rows } from './bins.ts';
import { clamp } from './grow-tree.ts';

/**
 * A logistic regression over the signals alone, written as trees of one split. It comes before the boosted trees, which
 * correct it. Trees know only combinations that they were trained on; here the signals of a combination that was never
 * seen add up. No weight is negative: a signal never lowers a score.
 */

const PASSES = 40;
/** Rows without the signal that stand against its weight. Few rows change it little. */
const RIDGE = 4;
/** The largest log-odds of one signal. One signal alone must not decide. */
const MOST = 3;
const LARGEST_STEP = 1;

/** A graded signal gets a weight for each of these steps, so that its whole weight follows the grade. */
const STEPS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.98];
const YES_OR_NO = [0.5];

interface SignalColumn {
  readonly feature: number;
  readonly threshold: number;
  /** Rows for which the signal is above the threshold. */
  readonly rows: Int32Array;
}

const isGraded = ({ count, features, values }: Rows, feature: number): boolean => {
  for (let row = 0; row < count; row++) {
    const value = values[row * features + feature] as number;
    if (value > 0 && value < 1) return true;
  }
  return false;
};
const columnsOf = (rows: Rows, signals: readonly number[]): SignalColumn[] =>
  signals.flatMap((feature) =>
    (isGraded(rows, feature) ? STEPS : YES_OR_NO).map((threshold) => ({
      feature,
      threshold,
      rows: Int32Array.from({ length: rows.count }, (_, row) => row).filter(
        (row) => (rows.values[row * rows.features + feature] as number) > threshold,
      ),
    })),
  );

const weightOf = ({ weights }: Rows, row: number): number => weights?.[row] ?? 1;

/** One Newton step of a weight, given the rows that it applies to. */
const stepOf = (rows: Rows, applies: Int32Array, scores: Float64Array, weight: number, ridge: number): number => {
  let gradient = ridge * weight;
  let hessian = ridge;
  for (let i = 0; i < applies.length; i++) {
    const row = applies[i] as number;
    const probability = sigmoid(scores[row] as number);
    gradient += (probability - (rows.labels[row] as number)) * weightOf(rows, row);
    hessian += probability * (1 - probability) * weightOf(rows, row);
  }
  return clamp(-gradient / hessian, -LARGEST_STEP, LARGEST_STEP);
};

const addTo = (scores: Float64Array, applies: Int32Array, change: number): void => {
  for (let i = 0; i < applies.length; i++)
    scores[applies[i] as number] = (scores[applies[i] as number] as number) + change;
};

const stumpOf = (feature: number, threshold: number, weight: number, active: number, count: number): Tree => {
  const tree = newTree();
  tree.feature.push(feature);
  tree.threshold.push(threshold);
  tree.missingLeft.push(1);
  tree.left.push(1);
  tree.right.push(2);
  tree.value.push((weight * active) / count);
  tree.cover.push(count);
  addLeaf(tree, 0, count - active);
  addLeaf(tree, weight, active);
  return tree;
};

const priorOf = (rows: Rows): number => {
  let fraud = 0;
  let all = 0;
  for (let row = 0; row < rows.count; row++) {
    all += weightOf(rows, row);
    if (rows.labels[row] === 1) fraud += weightOf(rows, row);
  }
  return logit(clamp(fraud / all, 1e-6, 1 - 1e-6));
};

/** Fits the weights of the signals, given as columns of `rows`. */
export const fitSignalStumps = (rows: Rows, signals: readonly number[]): Forest => {
  const columns = columnsOf(rows, signals).filter((column) => column.rows.length > 0);
  const everyRow = Int32Array.from({ length: rows.count }, (_, row) => row);
  let base = priorOf(rows);
  const scores = new Float64Array(rows.count).fill(base);
  const weights = new Float64Array(columns.length);
  /** The weights of all steps of a signal together. */
  const totals = new Float64Array(rows.features);
  for (let pass = 0; pass < PASSES; pass++) {
    columns.forEach((column, i) => {
      const before = weights[i] as number;
      const others = (totals[column.feature] as number) - before;
      const after = clamp(before + stepOf(rows, column.rows, scores, before, RIDGE), 0, Math.max(0, MOST - others));
      weights[i] = after;
      totals[column.feature] = others + after;
      if (after !== before) addTo(scores, column.rows, after - before);
    });
    const change = stepOf(rows, everyRow, scores, 0, 0);
    base += change;
    addTo(scores, everyRow, change);
  }
  const trees = columns.flatMap((column, i) =>
    (weights[i] as number) < 0.01
      ? []
      : [stumpOf(column.feature, column.threshold, weights[i] as number, column.rows.length, rows.count)],
  );
  return { base, trees };
};
