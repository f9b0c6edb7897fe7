/** Formats of numbers. A metric that does not exist is a dash. */
export const NONE = '–';

/** Keeps a number and its unit on one line. */
const NO_BREAK = '\u00a0';

const exists = (value: number | null): value is number => value !== null && Number.isFinite(value);

const grouped = (value: number, digits: number, least = 0): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: least, maximumFractionDigits: digits });

export const count = (value: number | null): string => (exists(value) ? grouped(value, 0) : NONE);

/** `1 fraud`, `2 frauds`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)}${NO_BREAK}${value === 1 ? one : many}`;

/** At least two significant digits. Only a share of 1 is 100 %, and only a share of 0 is 0 %. */
export const percent = (share: number | null): string => {
  if (!exists(share)) return NONE;
  const value = share * 100;
  const text =
    value === 0 || value >= 10
      ? grouped(value < 100 ? Math.min(value, 99.9) : value, value > 99 ? 1 : 0)
      : value.toLocaleString('en-US', { maximumSignificantDigits: 2, maximumFractionDigits: 6 });
  return `${text}${NO_BREAK}%`;
};

const UNITS: readonly (readonly [number, string, string])[] = [
  [1e9, 'billion', 'B'],
  [1e6, 'million', 'M'],
];

export const dollars = (value: number | null): string => {
  if (!exists(value)) return NONE;
  const size = Math.abs(value);
  const [unit, name] = UNITS.find(([from]) => size >= from) ?? [1, ''];
  const text = `$${unit === 1 && size >= 100 ? grouped(size, 0) : grouped(size / unit, 2, size % 1 === 0 || unit > 1 ? 0 : 2)}${name === '' ? '' : NO_BREAK + name}`;
  return value < 0 ? `−${text}` : text;
};

/** A short form for axes. */
export const shortDollars = (value: number): string => {
  const [unit, , letter] = [...UNITS, [1e3, '', 'k'] as const].find(([from]) => value >= from) ?? [1, '', ''];
  return `$${grouped(value / unit, 1)}${letter}`;
};

export const shortCount = (value: number): string => {
  const [unit, , letter] = [...UNITS, [1e3, '', 'k'] as const].find(([from]) => value >= from) ?? [1, '', ''];
  return `${grouped(value / unit, 1)}${letter}`;
};

export const decimals = (value: number | null, digits: number): string =>
  exists(value) ? value.toFixed(digits) : NONE;

/** `12 Mar` for `2026-03-12`. */
export const dayOf = (date: string): string =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
