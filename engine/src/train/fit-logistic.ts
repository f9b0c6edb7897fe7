import { sigmoid } from '../model/calibration.ts';
import { type Logistic, logisticScore, squeeze } from '../model/logistic.ts';
import { makeRandom } from '../random.ts';
import type { Rows } from './bins.ts';

export interface LogisticOptions {
  readonly epochs: number;
  readonly rate: number;
  readonly l2: number;
  readonly seed: number;
}
export const LOGISTIC_DEFAULTS: Omit<LogisticOptions, 'seed'> = { epochs: 4, rate: 0.1, l2: 1e-6 };

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

/** Fits by stochastic gradient descent with AdaGrad: the rate of each weight falls with its past gradients. */
export const fitLogistic = (rows: Rows, { epochs, rate, l2, seed }: LogisticOptions): Logistic => {
  const { count, features, values, labels } = rows;
  const { means, deviations } = measureColumns(rows);
  const weights = new Array<number>(2 * features).fill(0);
  const squaredGradients = new Float64Array(2 * features + 1).fill(1e-8);
  const frauds = labels.reduce((sum, label) => sum + label, 0);
  const share = Math.min(Math.max(frauds / count, 1e-6), 1 - 1e-6);
  const model = { intercept: Math.log(share / (1 - share)), means, deviations, weights };
  const random = makeRandom(seed);
  const order = Int32Array.from({ length: count }, (_, i) => i);
  const step = (at: number, gradient: number): number => {
    squaredGradients[at] = (squaredGradients[at] as number) + gradient * gradient;
    return (rate * gradient) / Math.sqrt(squaredGradients[at] as number);
  };
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let i = count - 1; i > 0; i--) {
      const other = Math.floor(random() * (i + 1));
      const swapped = order[i] as number;
      order[i] = order[other] as number;
      order[other] = swapped;
    }
    for (const row of order) {
      const at = row * features;
      const weight = rows.weights?.[row] ?? 1;
      const error = (sigmoid(logisticScore(model, values, at)) - (labels[row] as number)) * weight;
      model.intercept -= step(2 * features, error);
      for (let feature = 0; feature < features; feature++) {
        const value = values[at + feature] as number;
        const isUnknown = Number.isNaN(value);
        const place = 2 * feature + (isUnknown ? 1 : 0);
        const input = isUnknown ? 1 : squeeze((value - (means[feature] as number)) / (deviations[feature] as number));
        weights[place] = (weights[place] as number) - step(place, error * input + l2 * (weights[place] as number));
      }
    }
  }
  return model;
};
