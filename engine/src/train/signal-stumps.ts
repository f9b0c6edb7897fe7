import { logit, sigmoid } from '../model/calibration.ts';
import { addLeaf, type Forest, newTree, type Tree } from '../model/tree.ts';
import type { Rows } from './bins.ts';
import { clamp } from './grow-tree.ts';

/**
 * A logistic regression over only the signals, written as trees of one split. It comes before the boosted trees, which
 * correct it. Trees know only combinations that they were trained on; here the signals of a combination that was never
 * seen add up. No weight is negative: a signal never lowers a score.
 */

const PASSES = 40;
/** Rows that stand for the assumed weight of a signal, 0 for most. Few rows with the signal change it little. */
const RIDGE = 4;
/** The largest log-odds of one signal. One signal alone must not decide. */
const MOST = 3;
const LARGEST_STEP = 1;

/**
 * A graded signal has one weight, which its grade scales in these equal steps. With a weight for each step, nearly all of
 * it was on the last: most thieves hurry. A score would then drop as soon as the grade falls, and patience would pay.
 */
const STEPS = [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95];
const YES_OR_NO = [0.5];

interface SignalColumn {
  readonly feature: number;
  readonly thresholds: readonly number[];
  /** Rows for which the signal is above the first threshold, and the share of the thresholds that each is above. */
  readonly rows: Int32Array;
  readonly shares: Float64Array;
}

/** Whether a signal has values between no and yes. */
export const isGraded = ({ count, features, values }: Rows, feature: number): boolean => {
  for (let row = 0; row < count; row++) {
    const value = values[row * features + feature] as number;
    if (value > 0 && value < 1) return true;
  }
  return false;
};
const columnOf = (rows: Rows, feature: number): SignalColumn => {
  const thresholds = isGraded(rows, feature) ? STEPS : YES_OR_NO;
  const shareOf = (row: number): number => {
    const value = rows.values[row * rows.features + feature] as number;
    let above = 0;
    while (above < thresholds.length && value > (thresholds[above] as number)) above++;
    return above / thresholds.length;
  };
  const active = Int32Array.from({ length: rows.count }, (_, row) => row).filter((row) => shareOf(row) > 0);
  return { feature, thresholds, rows: active, shares: Float64Array.from(active, shareOf) };
};

const weightOf = ({ weights }: Rows, row: number): number => weights?.[row] ?? 1;

/**
 * One Newton step of a weight, given the rows that it applies to, its share in each, and how far it is above the assumed
 * weight.
 */
const stepOf = (
  rows: Rows,
  applies: Int32Array,
  shares: Float64Array,
  scores: Float64Array,
  excess: number,
  ridge: number,
): number => {
  let gradient = ridge * excess;
  let hessian = ridge;
  for (let i = 0; i < applies.length; i++) {
    const row = applies[i] as number;
    const share = shares[i] as number;
    const probability = sigmoid(scores[row] as number);
    gradient += share * (probability - (rows.labels[row] as number)) * weightOf(rows, row);
    hessian += share * share * probability * (1 - probability) * weightOf(rows, row);
  }
  return clamp(-gradient / hessian, -LARGEST_STEP, LARGEST_STEP);
};

const addTo = (scores: Float64Array, applies: Int32Array, shares: Float64Array, change: number): void => {
  for (let i = 0; i < applies.length; i++)
    scores[applies[i] as number] = (scores[applies[i] as number] as number) + change * (shares[i] as number);
};

/**
 * One split. Its own value is that of an inactive signal, so that explanations count from there: that a signal is not active is
 * no reason.
 */
const stumpOf = (feature: number, threshold: number, weight: number, active: number, count: number): Tree => {
  const tree = newTree();
  tree.feature.push(feature);
  tree.threshold.push(threshold);
  tree.missingLeft.push(1);
  tree.left.push(1);
  tree.right.push(2);
  tree.value.push(0);
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

/** The trees of a signal, each with an equal part of its weight. */
const stumpsOf = ({ feature, thresholds, shares }: SignalColumn, weight: number, count: number): Tree[] =>
  thresholds.map((threshold, i) => {
    const above = shares.reduce((sum, share) => sum + Number(share * thresholds.length > i + 0.5), 0);
    // A signal that no row has stands for one row: explanations divide by the number of rows.
    return stumpOf(feature, threshold, weight / thresholds.length, Math.max(1, above), count);
  });

/**
 * Fits the weights of the signals, given as columns of `rows`. `assumed` are the weights of signals that rows hardly ever
 * have, in the same order.
 */
export const fitSignalStumps = (rows: Rows, signals: readonly number[], assumed: readonly number[] = []): Forest => {
  const columns = signals.map((feature) => columnOf(rows, feature));
  const everyRow = Int32Array.from({ length: rows.count }, (_, row) => row);
  const whole = new Float64Array(rows.count).fill(1);
  let base = priorOf(rows);
  const scores = new Float64Array(rows.count).fill(base);
  const weights = Float64Array.from(columns, (_, i) => assumed[i] ?? 0);
  columns.forEach((column, i) => {
    addTo(scores, column.rows, column.shares, weights[i] as number);
  });
  for (let pass = 0; pass < PASSES; pass++) {
    columns.forEach((column, i) => {
      const before = weights[i] as number;
      const excess = before - (assumed[i] ?? 0);
      const after = clamp(before + stepOf(rows, column.rows, column.shares, scores, excess, RIDGE), 0, MOST);
      weights[i] = after;
      if (after !== before) addTo(scores, column.rows, column.shares, after - before);
    });
    const change = stepOf(rows, everyRow, whole, scores, 0, 0);
    base += change;
    addTo(scores, everyRow, whole, change);
  }
  const trees = columns.flatMap((column, i) =>
    (weights[i] as number) < 0.01 ? [] : stumpsOf(column, weights[i] as number, rows.count),
  );
  return { base, trees };
};
