import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRandom } from '../random.ts';
import { calibrate } from '../train/calibrate-isotonic.ts';
import { applyCalibration, logit, pointsFor, sigmoid, UNCALIBRATED } from './calibration.ts';

const random = makeRandom(1);
/** Rows whose predicted log-odds are twice the true ones plus one. */
const rows = Array.from({ length: 20_000 }, () => {
  const truth = random() * 8 - 6;
  return { said: 2 * truth + 1, label: random() < sigmoid(truth) ? 1 : 0 };
});
const said = Float64Array.from(rows, (row) => row.said);
const labels = Uint8Array.from(rows, (row) => row.label);

describe('a calibration', () => {
  const calibration = calibrate(said, labels);

  test('turns predicted log-odds into observed ones', () => {
    for (const truth of [-4, -2, 0, 1]) {
      expect(sigmoid(applyCalibration(calibration, 2 * truth + 1))).toBeCloseTo(sigmoid(truth), 1);
    }
  });

  test('never falls, neither between its points nor beyond them', () => {
    const anyLogOdds = fc.double({ min: -40, max: 40, noNaN: true });
    fc.assert(
      fc.property(anyLogOdds, anyLogOdds, (a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(applyCalibration(calibration, high)).toBeGreaterThanOrEqual(applyCalibration(calibration, low));
        expect(applyCalibration(UNCALIBRATED, a)).toBeCloseTo(a, 9);
      }),
    );
  });

  test('of rows with only one label changes nothing', () => {
    for (const label of [0, 1]) expect(calibrate(said, new Uint8Array(said.length).fill(label))).toEqual(UNCALIBRATED);
    expect(calibrate(new Float64Array(0), [])).toEqual(UNCALIBRATED);
  });

  test('is the same after a round trip through JSON', () => {
    const stored = JSON.parse(JSON.stringify(calibration));
    expect(applyCalibration(stored, 0.3)).toBe(applyCalibration(calibration, 0.3));
  });
});

describe('the score of a probability', () => {
  test.each([
    [0.0001, 0.1],
    [0.001, 0.7],
    [0.01, 6.6],
    [0.125, 50.0],
    [0.5, 69.2],
    [0.8, 80.0],
    [0.9, 84.9],
    [0.99, 93.8],
  ])('of %d is about %d points', (probability, points) => {
    expect(pointsFor(logit(probability))).toBeCloseTo(points, 0);
  });
});
