import type { Rows } from './bins.ts';
import { sigmoid } from './calibrate.ts';
import { makeRandom } from './random.ts';
import type { Scorer } from './scorer.ts';

/**
 * A straight line through log-odds: what a model of trees must beat to be worth its size. Each feature enters by how far it is from
 * its mean, squeezed where it is far out, and by whether it is known at all.
 */
export interface Logistic {
  readonly intercept: number;
  readonly means: number[];
  readonly deviations: number[];
  /** For each feature: by its value, then by its being unknown. */
  readonly weights: number[];
}

export interface LogisticOptions {
  readonly epochs: number;
  readonly rate: number;
  readonly l2: number;
  readonly seed: number;
}
export const LOGISTIC_DEFAULTS: Omit<LogisticOptions, 'seed'> = { epochs: 4, rate: 0.1, l2: 1e-6 };

/** Amounts and counts run over many orders; beyond a few deviations only their order of magnitude matters. */
const squeeze = (value: number): number => Math.sign(value) * Math.log1p(Math.abs(value));

const measureColumns = ({ count, features, values }: Rows): { means: number[]; deviations: number[] } => {
  const means: number[] = [];
  const deviations: number[] = [];
  for (let feature = 0; feature < features; feature++) {
    let known = 0;
    let mean = 0;
    let m2 = 0;
    for (let row = 0; row < count; row++) {
      const value = values[row * features + feature] as number;
      if (Number.isNaN(value)) continue;
      const delta = value - mean;
      mean += delta / ++known;
      m2 += delta * (value - mean);
    }
    means.push(mean);
    deviations.push(known > 1 && m2 > 0 ? Math.sqrt(m2 / (known - 1)) : 1);
  }
  return { means, deviations };
};

/** What a feature adds: its weight times how far it is out, so that one at its mean adds nothing. */
const adds = ({ means, deviations, weights }: Logistic, feature: number, value: number): number =>
  Number.isNaN(value)
    ? (weights[2 * feature + 1] as number)
    : (weights[2 * feature] as number) *
      squeeze((value - (means[feature] as number)) / (deviations[feature] as number));

/** Log-odds of the row of `values` that begins at `at`. */
export const logisticScore = (model: Logistic, values: Float32Array | Float64Array, at: number): number => {
  let sum = model.intercept;
  for (let feature = 0; feature < model.means.length; feature++)
    sum += adds(model, feature, values[at + feature] as number);
  return sum;
};

export const makeLogisticScorer = (model: Logistic): Scorer => ({
  baseline: model.intercept,
  logOdds: (values, at = 0) => logisticScore(model, values, at),
  explain: (values, contributions, at = 0) => {
    let sum = model.intercept;
    for (let feature = 0; feature < model.means.length; feature++) {
      const added = adds(model, feature, values[at + feature] as number);
      contributions[feature] = added;
      sum += added;
    }
    return sum;
  },
  partly: (values, hidden, contributions) => {
    let sum = model.intercept;
    for (let feature = 0; feature < model.means.length; feature++) {
      const added = hidden[feature] === 1 ? 0 : adds(model, feature, values[feature] as number);
      contributions[feature] = added;
      sum += added;
    }
    return sum;
  },
});

/** One row at a time, each weight at a rate of its own that falls with what it has seen (AdaGrad). */
export const fitLogistic = (rows: Rows, { epochs, rate, l2, seed }: LogisticOptions): Logistic => {
  const { count, features, values, labels } = rows;
  const { means, deviations } = measureColumns(rows);
  const weights = new Array<number>(2 * features).fill(0);
  const seen = new Float64Array(2 * features + 1).fill(1e-8);
  const frauds = labels.reduce((sum, label) => sum + label, 0);
  const share = Math.min(Math.max(frauds / count, 1e-6), 1 - 1e-6);
  const model = { intercept: Math.log(share / (1 - share)), means, deviations, weights };
  const random = makeRandom(seed);
  const order = Int32Array.from({ length: count }, (_, i) => i);
  const step = (at: number, gradient: number): number => {
    seen[at] = (seen[at] as number) + gradient * gradient;
    return (rate * gradient) / Math.sqrt(seen[at] as number);
  };
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let i = count - 1; i > 0; i--) {
      const other = Math.floor(random() * (i + 1));
      const kept = order[i] as number;
      order[i] = order[other] as number;
      order[other] = kept;
    }
    for (const row of order) {
      const at = row * features;
      const weight = rows.weights?.[row] ?? 1;
      const error = (sigmoid(logisticScore(model, values, at)) - (labels[row] as number)) * weight;
      model.intercept -= step(2 * features, error);
      for (let feature = 0; feature < features; feature++) {
        const value = values[at + feature] as number;
        const unknown = Number.isNaN(value);
        const place = 2 * feature + (unknown ? 1 : 0);
        const input = unknown ? 1 : squeeze((value - (means[feature] as number)) / (deviations[feature] as number));
        weights[place] = (weights[place] as number) - step(place, error * input + l2 * (weights[place] as number));
      }
    }
  }
  return model;
};
