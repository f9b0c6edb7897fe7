/** Counts, ratios and times in words, for texts that an analyst reads. */

/** Groups the digits of a whole part: `1,234`. */
export const grouped = (digits: string): string =>
  digits.length <= 3 ? digits : digits.replace(/\B(?=(?:\d{3})+$)/g, ',');

/** A count with its noun: `1 user`, `2 users`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(String(count))} ${count === 1 ? one : many}`;

/** The same at the start of a sentence: `No users`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  count === 0 ? `No ${many}` : plural(count, one, many);

export const ordinal = (count: number): string => {
  const tens = count % 100;
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${grouped(String(count))}${suffix}`;
};

/** A number that is not a count, with two digits: `2.4`, `12`, `1,300`. */
export const rounded = (value: number): string =>
  Math.abs(value) >= 10 ? grouped(value.toFixed(0)) : String(Number(value.toPrecision(2)));

/** A ratio: `twice`, `2.4 times`. */
export const times = (ratio: number): string => (rounded(ratio) === '2' ? 'twice' : `${rounded(ratio)} times`);

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];
/** A time in the largest unit that fits twice, so that little is lost by rounding: `90 minutes`, `36 hours`. */
export const duration = (ms: number): string => {
  const [size, unit] = UNITS.find(([least]) => ms >= 2 * least) ?? [1000, 'second'];
  return plural(Math.max(1, Math.floor(ms / size)), unit);
};

const STEPS: readonly (readonly [until: number, step: number])[] = [
  [60_000, 60_000],
  [10 * 60_000, 60_000],
  [3_600_000, 5 * 60_000],
  [48 * 3_600_000, 3_600_000],
  [Number.POSITIVE_INFINITY, 86_400_000],
];
/**
 * A time that is only known to be at most `ms`, as a span that can be said aloud after "within": `45 minutes`, `2 hours`. A
 * window tells in which span something happened, not at which moment.
 */
export const spanOf = (ms: number): string => {
  const [, step] = STEPS.find(([until]) => ms < until) as readonly [number, number];
  const span = Math.max(step, Math.ceil(ms / step) * step);
  if (span === 60_000) return 'a minute';
  return span === 3_600_000 ? 'an hour' : duration(span);
};
/** "in the last hour", "in the last 45 minutes". */
export const inTheLast = (span: string): string => `in the last ${span.replace(/^an? /, '')}`;

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
