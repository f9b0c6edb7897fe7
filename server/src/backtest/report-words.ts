/** Numbers as a reader wants them. A measure that does not exist is a dash, so no page ever says NaN. */
export const NONE = '–';

/** Keeps a number and its unit in one line. */
const NARROW = '\u00a0';

const exact = (value: number | null): value is number => value !== null && Number.isFinite(value);

const grouped = (value: number, digits: number, least = 0): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: least, maximumFractionDigits: digits });

export const count = (value: number | null): string => (exact(value) ? grouped(value, 0) : NONE);

/** `1 fraud`, `2 frauds`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)}${NARROW}${value === 1 ? one : many}`;

/** Two digits that say something, and never 100 % for what is not all, nor 0 % for what is not none. */
export const percent = (share: number | null): string => {
  if (!exact(share)) return NONE;
  const value = share * 100;
  const text =
    value === 0 || value >= 10
      ? grouped(value < 100 ? Math.min(value, 99.9) : value, value > 99 ? 1 : 0)
      : value.toLocaleString('en-US', { maximumSignificantDigits: 2, maximumFractionDigits: 6 });
  return `${text}${NARROW}%`;
};

const UNITS: readonly (readonly [number, string, string])[] = [
  [1e9, 'billion', 'B'],
  [1e6, 'million', 'M'],
];

export const dollars = (value: number | null): string => {
  if (!exact(value)) return NONE;
  const size = Math.abs(value);
  const [unit, name] = UNITS.find(([from]) => size >= from) ?? [1, ''];
  const text = `$${unit === 1 && size >= 100 ? grouped(size, 0) : grouped(size / unit, 2, size % 1 === 0 || unit > 1 ? 0 : 2)}${name === '' ? '' : NARROW + name}`;
  return value < 0 ? `−${text}` : text;
};

/** The same for an axis, where room is short. */
export const shortDollars = (value: number): string => {
  const [unit, , letter] = [...UNITS, [1e3, '', 'k'] as const].find(([from]) => value >= from) ?? [1, '', ''];
  return `$${grouped(value / unit, 1)}${letter}`;
};

export const shortCount = (value: number): string => {
  const [unit, , letter] = [...UNITS, [1e3, '', 'k'] as const].find(([from]) => value >= from) ?? [1, '', ''];
  return `${grouped(value / unit, 1)}${letter}`;
};

export const decimals = (value: number | null, digits: number): string => (exact(value) ? value.toFixed(digits) : NONE);

/** `12 Mar` of `2026-03-12`. */
export const dayOf = (date: string): string =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
