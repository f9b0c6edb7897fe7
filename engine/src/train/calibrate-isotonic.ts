import { type Calibration, logit, sigmoid, UNCALIBRATED } from '../model/calibration.ts';

interface Block {
  readonly logOdds: number;
  readonly fraud: number;
  readonly weight: number;
}

/** Merges neighbours until the share of fraud rises from block to block. */
const poolViolators = (blocks: readonly Block[]): Block[] => {
  const pooled: Block[] = [];
  for (const block of blocks) {
    let last = block;
    for (let before = pooled.at(-1); before !== undefined; before = pooled.at(-1)) {
      if (before.fraud / before.weight < last.fraud / last.weight) break;
      pooled.pop();
      const weight = before.weight + last.weight;
      last = {
        logOdds: (before.logOdds * before.weight + last.logOdds * last.weight) / weight,
        fraud: before.fraud + last.fraud,
        weight,
      };
    }
    pooled.push(last);
  }
  return pooled;
};

const BLOCKS = 200;
/** Rows of the predicted probability added to each block, because the fraud share of a small block is unreliable. */
const PRIOR_WEIGHT = 5;
const FRAUDS_PER_BLOCK = 20;
const ROWS_PER_BLOCK = 50;
const LEAST_RISE = 1e-4;

/**
 * Cuts the rows, sorted by log-odds, into blocks with equal shares of the frauds: the range with most frauds gets
 * most blocks.
 */
const blocksOf = (
  logOdds: Float64Array,
  labels: ArrayLike<number>,
  weights: ArrayLike<number> | undefined,
  frauds: number,
): Block[] => {
  const { length } = logOdds;
  const order = Int32Array.from({ length }, (_, i) => i).sort(
    (a, b) => (logOdds[a] as number) - (logOdds[b] as number),
  );
  const perBlock = Math.max(FRAUDS_PER_BLOCK, Math.floor(frauds / BLOCKS));
  const rowsPerBlock = Math.max(ROWS_PER_BLOCK, Math.floor(length / BLOCKS));
  const blocks: Block[] = [];
  let block = { sum: 0, fraud: 0, weight: 0, rows: 0, frauds: 0 };
  for (let i = 0; i < length; i++) {
    const row = order[i] as number;
    const weight = weights?.[row] ?? 1;
    const isFraud = labels[row] === 1 ? 1 : 0;
    block.sum += (logOdds[row] as number) * weight;
    block.weight += weight;
    block.fraud += isFraud * weight;
    block.rows++;
    block.frauds += isFraud;
    if (block.frauds < perBlock && block.rows < rowsPerBlock && i < length - 1) continue;
    blocks.push({ logOdds: block.sum / block.weight, fraud: block.fraud, weight: block.weight });
    block = { sum: 0, fraud: 0, weight: 0, rows: 0, frauds: 0 };
  }
  return blocks;
};

/** Fits a calibration to held-out rows by isotonic regression over blocks of rows. */
export const calibrate = (
  logOdds: Float64Array,
  labels: ArrayLike<number>,
  weights?: ArrayLike<number>,
): Calibration => {
  let frauds = 0;
  for (let i = 0; i < logOdds.length; i++) frauds += labels[i] === 1 ? 1 : 0;
  if (frauds === 0 || frauds === logOdds.length) return UNCALIBRATED;
  const smoothed = poolViolators(blocksOf(logOdds, labels, weights, frauds)).map(({ logOdds: at, fraud, weight }) => {
    const expected = sigmoid(at);
    return { logOdds: at, meant: logit((fraud + expected * PRIOR_WEIGHT) / (weight + PRIOR_WEIGHT)) };
  });
  // Smoothing can change the order slightly. A strict rise keeps different log-odds different, so no rank is lost.
  let highest = Number.NEGATIVE_INFINITY;
  const rising = smoothed.map(({ logOdds: at, meant }) => {
    highest = Math.max(highest + LEAST_RISE, meant);
    return { logOdds: at, meant: highest };
  });
  return { said: rising.map((step) => step.logOdds), meant: rising.map((step) => step.meant) };
};
