/** How well scores rank fraud above legitimate rows. */
export interface RankMetrics {
  readonly rows: number;
  readonly frauds: number;
  readonly auc: number;
  readonly averagePrecision: number;
  /** Recall at a false positive rate of 0.1 %. */
  readonly recallAt01: number;
  /** Recall at a false positive rate of 1 %. */
  readonly recallAt1: number;
}

/** A point of the ROC and precision-recall curves: rows with at least this score count as fraud. */
export interface CurvePoint {
  readonly score: number;
  /** True positives, by weight. */
  readonly found: number;
  /** False positives, by weight. */
  readonly wrong: number;
}

const curveOfWeighted = (
  scores: ArrayLike<number>,
  labels: ArrayLike<number>,
  weights: ArrayLike<number>,
): CurvePoint[] => {
  const order = Int32Array.from({ length: scores.length }, (_, i) => i).sort(
    (a, b) => (scores[b] as number) - (scores[a] as number),
  );
  const points: CurvePoint[] = [];
  let found = 0;
  let wrong = 0;
  for (let i = 0; i < order.length; i++) {
    const row = order[i] as number;
    const weight = weights[row] as number;
    if (labels[row] === 1) found += weight;
    else wrong += weight;
    const next = order[i + 1];
    if (next === undefined || scores[next] !== scores[row]) points.push({ score: scores[row] as number, found, wrong });
  }
  return points;
};

/** The scores of the rows with a label, highest first. */
const scoresWith = (scores: ArrayLike<number>, labels: ArrayLike<number>, isFraud: boolean): Float64Array => {
  const chosen = new Float64Array(scores.length);
  let count = 0;
  for (let row = 0; row < scores.length; row++)
    if ((labels[row] === 1) === isFraud) chosen[count++] = scores[row] as number;
  return chosen.subarray(0, count).sort().reverse();
};

/**
 * One point per distinct score, highest first. Rows with equal scores form one point. Without weights, the scores are sorted
 * themselves instead of the numbers of their rows: that takes a tenth of the time.
 */
export const curveOf = (
  scores: ArrayLike<number>,
  labels: ArrayLike<number>,
  weights?: ArrayLike<number>,
): CurvePoint[] => {
  if (weights !== undefined) return curveOfWeighted(scores, labels, weights);
  const frauds = scoresWith(scores, labels, true);
  const others = scoresWith(scores, labels, false);
  const points: CurvePoint[] = [];
  let found = 0;
  let wrong = 0;
  while (found < frauds.length || wrong < others.length) {
    const score = Math.max(frauds[found] ?? Number.NEGATIVE_INFINITY, others[wrong] ?? Number.NEGATIVE_INFINITY);
    while (found < frauds.length && !((frauds[found] as number) < score)) found++;
    while (wrong < others.length && !((others[wrong] as number) < score)) wrong++;
    points.push({ score, found, wrong });
  }
  return points;
};

/** Recall at a false positive rate of `share`. */
export const recallAt = (points: readonly CurvePoint[], frauds: number, others: number, share: number): number => {
  let best = 0;
  for (const { found, wrong } of points) {
    if (wrong > share * others) break;
    best = found / frauds;
  }
  return best;
};

/** With weights, all metrics count rows by weight; `rows` is still the plain number of rows. */
export const rankMetrics = (
  scores: ArrayLike<number>,
  labels: ArrayLike<number>,
  weights?: ArrayLike<number>,
): RankMetrics => {
  const points = curveOf(scores, labels, weights);
  const { found: frauds = 0, wrong: others = 0 } = points.at(-1) ?? {};
  let area = 0;
  let precisionSum = 0;
  let before = { found: 0, wrong: 0 };
  for (const point of points) {
    area += ((point.wrong - before.wrong) * (point.found + before.found)) / 2;
    precisionSum += ((point.found - before.found) * point.found) / (point.found + point.wrong);
    before = point;
  }
  return {
    rows: scores.length,
    frauds,
    auc: area / (frauds * others),
    averagePrecision: precisionSum / frauds,
    recallAt01: recallAt(points, frauds, others, 0.001),
    recallAt1: recallAt(points, frauds, others, 0.01),
  };
};
