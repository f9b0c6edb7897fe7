import type { Scorer } from './forest-scorer.ts';

/**
 * A logistic regression, the baseline that a forest must beat. Each feature enters by its distance from the mean in
 * standard deviations, squeezed, and by whether it is unknown.
 */
export interface Logistic {
  readonly intercept: number;
  readonly means: number[];
  readonly deviations: number[];
  /** Two per feature: for its value, then for its being unknown. */
  readonly weights: number[];
}

/**
 * Compresses large values. Amounts and counts differ by orders of magnitude, and only the order of magnitude
 * matters there.
 */
export const squeeze = (value: number): number => Math.sign(value) * Math.log1p(Math.abs(value));

/** The contribution of a feature to the log-odds. A value at the mean contributes 0. */
const contribution = ({ means, deviations, weights }: Logistic, feature: number, value: number): number =>
  Number.isNaN(value)
    ? (weights[2 * feature + 1] as number)
    : (weights[2 * feature] as number) *
      squeeze((value - (means[feature] as number)) / (deviations[feature] as number));

/** Log-odds of the row of `values` that begins at `at`. */
export const logisticScore = (model: Logistic, values: Float32Array | Float64Array, at: number): number => {
  let sum = model.intercept;
  for (let feature = 0; feature < model.means.length; feature++)
    sum += contribution(model, feature, values[at + feature] as number);
  return sum;
};

export const makeLogisticScorer = (model: Logistic): Scorer => ({
  baseline: model.intercept,
  logOdds: (values, at = 0) => logisticScore(model, values, at),
  logOddsOfRows: (values, count, stride, sums) => {
    for (let row = 0; row < count; row++) sums[row] = logisticScore(model, values, row * stride);
  },
  explain: (values, contributions, at = 0) => {
    let sum = model.intercept;
    for (let feature = 0; feature < model.means.length; feature++) {
      const added = contribution(model, feature, values[at + feature] as number);
      contributions[feature] = added;
      sum += added;
    }
    return sum;
  },
  partly: (values, hidden, contributions) => {
    let sum = model.intercept;
    for (let feature = 0; feature < model.means.length; feature++) {
      const added = hidden[feature] === 1 ? 0 : contribution(model, feature, values[feature] as number);
      contributions[feature] = added;
      sum += added;
    }
    return sum;
  },
});
