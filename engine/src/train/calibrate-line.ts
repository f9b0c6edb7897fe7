import { type Calibration, sigmoid } from '../model/calibration.ts';

/** Weight of the prior, in rows, that keeps the line near the identity. */
const PRIOR = 4;
const STEPS = 30;
const LONGEST_STEP = 1;
const LEAST_SLOPE = 0.1;

const bounded = (step: number): number => Math.min(Math.max(step, -LONGEST_STEP), LONGEST_STEP);

/**
 * Fits a calibration to held-out rows as a straight line, by Newton's method (Platt scaling). It needs fewer frauds
 * than isotonic calibration, whose few blocks would give the most and the least suspicious rows the same value.
 */
export const calibrateLine = (logOdds: Float64Array, labels: ArrayLike<number>, weights: Float64Array): Calibration => {
  let slope = 1;
  let offset = 0;
  for (let step = 0; step < STEPS; step++) {
    let [ofOffset, ofSlope] = [-PRIOR * offset, PRIOR * (1 - slope)];
    let [offsets, both, slopes] = [PRIOR, 0, PRIOR];
    for (let row = 0; row < logOdds.length; row++) {
      const at = logOdds[row] as number;
      const probability = sigmoid(offset + slope * at);
      const wrong = ((labels[row] as number) - probability) * (weights[row] as number);
      const doubt = probability * (1 - probability) * (weights[row] as number);
      ofOffset += wrong;
      ofSlope += wrong * at;
      offsets += doubt;
      both += doubt * at;
      slopes += doubt * at * at;
    }
    const determinant = offsets * slopes - both * both;
    offset += bounded((slopes * ofOffset - both * ofSlope) / determinant);
    slope += bounded((offsets * ofSlope - both * ofOffset) / determinant);
  }
  const rise = Math.max(slope, LEAST_SLOPE);
  const low = logOdds.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const high = logOdds.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY);
  const ends = high > low ? [low, high] : [low];
  return { said: ends, meant: ends.map((at) => offset + rise * at) };
};
