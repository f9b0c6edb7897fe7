/**
 * From what a model says to what it means: the probability of fraud, and from that the score. The score is a fixed function of the
 * probability alone, so that 50 means the same under every model, past and future.
 */

/** Steps of log-odds and the log-odds they turned out to mean; in between, and beyond the ends, on straight lines of slope one or less. */
export interface Calibration {
  readonly said: number[];
  readonly meant: number[];
}
export const UNCALIBRATED: Calibration = { said: [0], meant: [0] };

export const logit = (probability: number): number => Math.log(probability / (1 - probability));
export const sigmoid = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

interface Block {
  readonly said: number;
  readonly fraud: number;
  readonly weight: number;
}

/** Pools neighbours until the share of fraud rises from block to block. */
const poolViolators = (blocks: readonly Block[]): Block[] => {
  const pooled: Block[] = [];
  for (const block of blocks) {
    let last = block;
    for (let before = pooled.at(-1); before !== undefined; before = pooled.at(-1)) {
      if (before.fraud / before.weight < last.fraud / last.weight) break;
      pooled.pop();
      const weight = before.weight + last.weight;
      last = {
        said: (before.said * before.weight + last.said * last.weight) / weight,
        fraud: before.fraud + last.fraud,
        weight,
      };
    }
    pooled.push(last);
  }
  return pooled;
};

const BLOCKS = 200;
/** A block of few rows promises too much: each begins with a few rows that are what was said. */
const PRIOR_WEIGHT = 5;
const FRAUDS_PER_BLOCK = 20;
const ROWS_PER_BLOCK = 50;
const LEAST_RISE = 1e-4;

/** Learns from held-out rows what a model's log-odds mean: isotonic, in pools large enough to say something. */
export const calibrate = (said: Float64Array, labels: ArrayLike<number>, weights?: ArrayLike<number>): Calibration => {
  const { length } = said;
  const order = Int32Array.from({ length }, (_, i) => i).sort((a, b) => (said[a] as number) - (said[b] as number));
  let frauds = 0;
  for (let i = 0; i < length; i++) frauds += labels[i] === 1 ? 1 : 0;
  if (frauds === 0 || frauds === length) return UNCALIBRATED;
  // Equal shares of the frauds to each block, so that the end where they are is drawn finely.
  const perBlock = Math.max(FRAUDS_PER_BLOCK, Math.floor(frauds / BLOCKS));
  const rowsPerBlock = Math.max(ROWS_PER_BLOCK, Math.floor(length / BLOCKS));
  const blocks: Block[] = [];
  let block = { sum: 0, fraud: 0, weight: 0, rows: 0, frauds: 0 };
  for (let i = 0; i < length; i++) {
    const row = order[i] as number;
    const counts = weights?.[row] ?? 1;
    const isFraud = labels[row] === 1 ? 1 : 0;
    block.sum += (said[row] as number) * counts;
    block.weight += counts;
    block.fraud += isFraud * counts;
    block.rows++;
    block.frauds += isFraud;
    if (block.frauds < perBlock && block.rows < rowsPerBlock && i < length - 1) continue;
    blocks.push({ said: block.sum / block.weight, fraud: block.fraud, weight: block.weight });
    block = { sum: 0, fraud: 0, weight: 0, rows: 0, frauds: 0 };
  }
  const smoothed = poolViolators(blocks).map(({ said: at, fraud: of, weight: rows }) => {
    const expected = sigmoid(at);
    return { said: at, meant: logit((of + expected * PRIOR_WEIGHT) / (rows + PRIOR_WEIGHT)) };
  });
  // Smoothing may bend the order again by a hair; and what was told apart must stay apart, or ranks would be lost.
  let highest = Number.NEGATIVE_INFINITY;
  const rising = smoothed.map(({ said: at, meant }) => {
    highest = Math.max(highest + LEAST_RISE, meant);
    return { said: at, meant: highest };
  });
  return { said: rising.map((step) => step.said), meant: rising.map((step) => step.meant) };
};

/** The log-odds that a model's log-odds mean. Never falls when they rise. */
export const meaningOf = ({ said, meant }: Calibration, logOdds: number): number => {
  const last = said.length - 1;
  if (logOdds <= (said[0] as number)) return (meant[0] as number) + (logOdds - (said[0] as number));
  if (logOdds >= (said[last] as number)) return (meant[last] as number) + (logOdds - (said[last] as number));
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((said[middle] as number) <= logOdds) low = middle;
    else high = middle;
  }
  const share = (logOdds - (said[low] as number)) / ((said[high] as number) - (said[low] as number));
  return (meant[low] as number) + share * ((meant[high] as number) - (meant[low] as number));
};

/** One in ten is worth a look: 50. As likely fraud as not: 80. Below 50 it falls faster, so that one in a hundred is 8 and most are near 0. */
const PROBABILITY_AT_50 = 0.1;
const PROBABILITY_AT_80 = 0.5;
/** Calibrated log-odds from which on the model alone comes to a review. */
export const MIDDLE = logit(PROBABILITY_AT_50);
const SLOPE_ABOVE = logit(0.8) / (logit(PROBABILITY_AT_80) - MIDDLE);
const SLOPE_BELOW = 1;

/** Score points, 0 to 100 and not rounded, for calibrated log-odds. */
export const pointsOf = (logOdds: number): number =>
  100 * sigmoid((logOdds < MIDDLE ? SLOPE_BELOW : SLOPE_ABOVE) * (logOdds - MIDDLE));
