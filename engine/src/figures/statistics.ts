/** A figure with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const NORMAL_95 = 1.96;
/** Two-sided 95 % quantiles of Student's t for 1 to 10 degrees of freedom. */
const T_95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
const quantileFor = (freedom: number): number => T_95[freedom - 1] ?? NORMAL_95 + 2.6 / freedom;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** The mean of independent values, such as one figure per world. */
export const estimateMean = (values: readonly number[]): Estimate => {
  const n = values.length;
  const value = sumOf(values) / n;
  if (n < 2) return { value, low: value, high: value };
  const variance = sumOf(values.map((at) => (at - value) ** 2)) / (n - 1);
  const reach = quantileFor(n - 1) * Math.sqrt(variance / n);
  return { value, low: value - reach, high: value + reach };
};

/** Hits among the items of one group, such as a world or a day. Items of one group resemble each other. */
export interface Group {
  readonly hits: number;
  readonly of: number;
}

/** How much larger the variance between groups is than that of independent items; at least 1. */
const designEffect = (groups: readonly Group[], share: number, of: number): number => {
  if (groups.length < 2 || share === 0 || share === 1) return 1;
  const squares = sumOf(groups.map((group) => (group.hits - share * group.of) ** 2));
  const variance = (squares * groups.length) / (groups.length - 1) / of ** 2;
  return Math.max(1, variance / ((share * (1 - share)) / of));
};

/**
 * The share of hits over all groups. Wilson's interval, with as many items as independent ones would carry the same
 * information. It stays wider than 0 when there are no hits.
 */
export const estimateShare = (groups: readonly Group[]): Estimate => {
  const used = groups.filter(({ of }) => of > 0);
  const of = sumOf(used.map((group) => group.of));
  if (of === 0) return { value: Number.NaN, low: Number.NaN, high: Number.NaN };
  const value = sumOf(used.map(({ hits }) => hits)) / of;
  const n = of / designEffect(used, value, of);
  const z2 = NORMAL_95 ** 2;
  const centre = (value + z2 / (2 * n)) / (1 + z2 / n);
  const reach = (NORMAL_95 * Math.sqrt((value * (1 - value)) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return {
    value,
    low: Math.max(0, Math.min(value, centre - reach)),
    high: Math.min(1, Math.max(value, centre + reach)),
  };
};
