import { makeRandom } from '../src/random.ts';
import type { Rows } from '../src/train/bins.ts';
import { rankMetrics } from '../src/train/rank-metrics.ts';

/**
 * Ordinary rows around zero. Every fiftieth is an outlier in one of four features, or lacks one that all other rows
 * have.
 */
export const makeOutlierRows = (seed: number, count = 5000): Rows => {
  const random = makeRandom(seed);
  const values = new Float64Array(count * 4);
  const labels = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    for (let f = 0; f < 4; f++) values[i * 4 + f] = random() + random() + random() - 1.5;
    if (i % 50 !== 0) continue;
    labels[i] = 1;
    values[i * 4 + (i % 200) / 50] = i % 100 === 0 ? 6 : Number.NaN;
  }
  return { count, features: 4, values, labels };
};

export const aucOf = (rows: Rows, score: (at: number) => number): number =>
  rankMetrics(
    Array.from({ length: rows.count }, (_, i) => score(i * rows.features)),
    rows.labels,
  ).auc;
