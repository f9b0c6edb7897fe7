import type { Rows } from './bins.ts';
import { type Calibration, MIDDLE, meaningOf } from './calibrate.ts';

const countOf = ({ weights }: Rows, row: number): number => weights?.[row] ?? 1;

/** The share of the rows that are no fraud whose log-odds are worth a look. */
export const worthALook = (means: Float64Array, rows: Rows): number => {
  let all = 0;
  let held = 0;
  for (let row = 0; row < rows.count; row++) {
    if (rows.labels[row] === 1) continue;
    all += countOf(rows, row);
    if ((means[row] as number) >= MIDDLE) held += countOf(rows, row);
  }
  return all === 0 ? 0 : held / all;
};

/** The calibration, lowered as far as needed for at most a share of the rows that are no fraud to be worth a look. */
export const lowered = (calibration: Calibration, said: Float64Array, share: number, rows: Rows): Calibration => {
  const others = Array.from({ length: rows.count }, (_, row) => row)
    .filter((row) => rows.labels[row] === 0)
    .sort((a, b) => (said[b] as number) - (said[a] as number));
  const all = others.reduce((sum, row) => sum + countOf(rows, row), 0);
  let taken = 0;
  for (const row of others) {
    taken += countOf(rows, row);
    if (taken <= share * all) continue;
    const over = meaningOf(calibration, said[row] as number) - MIDDLE;
    // A hair below, so that the row itself is not held.
    return over < 0 ? calibration : { ...calibration, meant: calibration.meant.map((at) => at - over - 1e-6) };
  }
  return calibration;
};
