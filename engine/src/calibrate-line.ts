import { type Calibration, sigmoid } from './calibrate.ts';

/** What keeps the line where log-odds already mean what they say: as much as a number of rows in doubt. */
const PRIOR = 4;
const STEPS = 30;
const LONGEST_STEP = 1;
const LEAST_SLOPE = 0.1;

const bounded = (step: number): number => Math.min(Math.max(step, -LONGEST_STEP), LONGEST_STEP);

/**
 * Learns from held-out rows what a model's log-odds mean, as a straight line. Few frauds are enough for it, where steps of some dozen rows would give
 * the most suspicious of them and the least one meaning.
 */
export const calibrateLine = (said: Float64Array, labels: ArrayLike<number>, weights: Float64Array): Calibration => {
  let slope = 1;
  let offset = 0;
  for (let step = 0; step < STEPS; step++) {
    let [ofOffset, ofSlope] = [-PRIOR * offset, PRIOR * (1 - slope)];
    let [offsets, both, slopes] = [PRIOR, 0, PRIOR];
    for (let row = 0; row < said.length; row++) {
      const at = said[row] as number;
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
  const low = said.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const high = said.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY);
  const ends = high > low ? [low, high] : [low];
  return { said: ends, meant: ends.map((at) => offset + rise * at) };
};
