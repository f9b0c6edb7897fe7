import { applyCalibration, type Calibration, REVIEW_LOG_ODDS } from '../model/calibration.ts';
import type { Rows } from './bins.ts';

const weightOf = ({ weights }: Rows, row: number): number => weights?.[row] ?? 1;

/** The share of legitimate rows whose calibrated log-odds lead to a review. */
export const reviewRate = (calibrated: Float64Array, rows: Rows): number => {
  let all = 0;
  let held = 0;
  for (let row = 0; row < rows.count; row++) {
    if (rows.labels[row] === 1) continue;
    all += weightOf(rows, row);
    if ((calibrated[row] as number) >= REVIEW_LOG_ODDS) held += weightOf(rows, row);
  }
  return all === 0 ? 0 : held / all;
};

/** Lowers a calibration until at most `share` of the legitimate rows lead to a review. */
export const limitReviewRate = (
  calibration: Calibration,
  logOdds: Float64Array,
  share: number,
  rows: Rows,
): Calibration => {
  const legitimate = Array.from({ length: rows.count }, (_, row) => row)
    .filter((row) => rows.labels[row] === 0)
    .sort((a, b) => (logOdds[b] as number) - (logOdds[a] as number));
  const all = legitimate.reduce((sum, row) => sum + weightOf(rows, row), 0);
  let held = 0;
  for (const row of legitimate) {
    held += weightOf(rows, row);
    if (held <= share * all) continue;
    const over = applyCalibration(calibration, logOdds[row] as number) - REVIEW_LOG_ODDS;
    // Slightly below the threshold, so that this row itself is not reviewed.
    return over < 0 ? calibration : { ...calibration, meant: calibration.meant.map((at) => at - over - 1e-6) };
  }
  return calibration;
};
