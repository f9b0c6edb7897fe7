import { sortValues } from './sort-values.ts';

type Values = Float32Array | Float64Array;

/** Training rows, row after row. */
export interface Rows {
  readonly count: number;
  readonly features: number;
  /** NaN for unknown values. */
  readonly values: Values;
  /** 1 for fraud. */
  readonly labels: Uint8Array;
  readonly weights?: Float64Array;
}

/** Bin 0 holds unknown values, bin b the values above cut b - 2 and up to cut b - 1. */
export const MISSING_BIN = 0;
export const MAX_BINS = 256;
const MAX_CUTS = 254;
const TAIL_STEPS = 18;
const TAIL_RATIO = 0.6;
const TAIL_FROM = 0.01;
const SHARE_OF_ALL = 0.5;
const SHARE_OF_POSITIVES = 0.35;
const ENOUGH_POSITIVES = 20;

const quantilesOf = (sorted: Values, count: number): number[] =>
  Array.from(
    { length: count },
    (_, i) => sorted[Math.min(sorted.length - 1, Math.floor(((i + 1) * sorted.length) / (count + 1)))] as number,
  );

const tailsOf = (sorted: Values): number[] =>
  Array.from({ length: TAIL_STEPS }, (_, i) => Math.floor(sorted.length * TAIL_FROM * TAIL_RATIO ** (i + 1))).flatMap(
    (from) => [sorted[from] as number, sorted[sorted.length - 1 - from] as number],
  );

/**
 * The middle between a value and the next larger one, so that a value between two training values joins the nearer
 * one.
 */
const midpointAbove = (sorted: Values, value: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low < sorted.length ? (value + (sorted[low] as number)) / 2 : Number.NaN;
};

const distinctOf = (sorted: Values, atMost: number): number[] => {
  const distinct: number[] = [];
  for (let i = 0; i < sorted.length && distinct.length <= atMost; i++) {
    if (i === 0 || sorted[i] !== sorted[i - 1]) distinct.push(sorted[i] as number);
  }
  return distinct;
};

/**
 * Cuts a feature into bins. Plain quantiles would lose the rare tails, where most fraud is. So the cuts are
 * quantiles of all rows, quantiles of the frauds, and ever rarer values towards both ends.
 */
const cutsOf = (all: Values, positives: Values): Float64Array => {
  const distinct = distinctOf(all, MAX_CUTS);
  const hasEnough = positives.length > ENOUGH_POSITIVES;
  const wanted =
    distinct.length <= MAX_CUTS
      ? distinct
      : [
          ...quantilesOf(all, Math.floor(MAX_CUTS * (hasEnough ? SHARE_OF_ALL : SHARE_OF_ALL + SHARE_OF_POSITIVES))),
          ...(hasEnough ? quantilesOf(positives, Math.floor(MAX_CUTS * SHARE_OF_POSITIVES)) : []),
          ...tailsOf(all),
        ];
  const cuts = new Set(wanted.map((value) => midpointAbove(all, value)));
  return Float64Array.from(cuts)
    .filter((cut) => !Number.isNaN(cut))
    .sort()
    .slice(0, MAX_CUTS);
};

const sorted = (values: Values): Values => (values instanceof Float32Array ? sortValues(values) : values.sort());

/** The cuts of each feature. */
export const fitCuts = ({ count, features, values, labels }: Rows): Float64Array[] =>
  Array.from({ length: features }, (_, feature) => {
    const all = values instanceof Float32Array ? new Float32Array(count) : new Float64Array(count);
    const positives = values instanceof Float32Array ? new Float32Array(count) : new Float64Array(count);
    let known = 0;
    let positive = 0;
    for (let row = 0; row < count; row++) {
      const value = values[row * features + feature] as number;
      if (Number.isNaN(value)) continue;
      all[known++] = value;
      if (labels[row] === 1) positives[positive++] = value;
    }
    return cutsOf(sorted(all.subarray(0, known)), sorted(positives.subarray(0, positive)));
  });

/** The first step of the search for a bin: half of the cuts that a feature can have, and one more. */
const FIRST_STEP = MAX_BINS / 2;
const padded = new Float64Array(MAX_BINS);

/**
 * The bin of every value, feature after feature, because trees are grown one feature at a time. The search for a bin takes
 * the same steps for each value: a loop that ends early costs branch mispredictions.
 */
export const binRows = ({ count, features, values }: Rows, cuts: readonly Float64Array[]): Uint8Array => {
  const bins = new Uint8Array(count * features);
  for (let feature = 0; feature < features; feature++) {
    padded.fill(Number.POSITIVE_INFINITY);
    padded.set(cuts[feature] as Float64Array);
    for (let row = 0; row < count; row++) {
      const value = values[row * features + feature] as number;
      let below = 0;
      for (let step = FIRST_STEP; step > 0; step >>= 1)
        below += step * Number(value > (padded[below + step - 1] as number));
      bins[feature * count + row] = Number.isNaN(value) ? MISSING_BIN : below + 1;
    }
  }
  return bins;
};
