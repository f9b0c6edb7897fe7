import { formatDay, formatDayTime } from '../parts/format.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Items are kept this long. */
const KEPT_MS = 90 * DAY_MS;

export const PRESETS = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const;
export type Preset = keyof typeof PRESETS;
export const DEFAULT_PRESET: Preset = '7d';

/** Up to now, or between two times. */
export type Range =
  | { readonly preset: Preset }
  | { readonly preset: undefined; readonly from: string; readonly until: string | undefined };

const isTime = (text: string | null): text is string => text !== null && !Number.isNaN(Date.parse(text));

export const readRange = (params: URLSearchParams): Range => {
  const [from, until, preset] = [params.get('from'), params.get('until'), params.get('range')];
  if (isTime(from)) return { preset: undefined, from, until: isTime(until) ? until : undefined };
  return { preset: preset !== null && preset in PRESETS ? (preset as Preset) : DEFAULT_PRESET };
};
export const writeRange = (params: URLSearchParams, range: Range): void => {
  if (range.preset === undefined) {
    params.set('from', range.from);
    if (range.until !== undefined) params.set('until', range.until);
  } else if (range.preset !== DEFAULT_PRESET) params.set('range', range.preset);
};

/** The end of the hour in which the list was read. It moves only when somebody asks for what is new. */
let end = 0;
export const moveEnd = (): void => {
  end = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
};
moveEnd();

export interface Span {
  readonly from: number;
  readonly until: number;
  /** Whether new items belong to it. */
  readonly isOpen: boolean;
}
export const spanOf = (range: Range): Span => {
  if (range.preset !== undefined) return { from: end - PRESETS[range.preset] * DAY_MS, until: end, isOpen: true };
  const until = range.until === undefined ? end : Date.parse(range.until);
  return { from: Date.parse(range.from), until, isOpen: until >= end };
};
const iso = (time: number): string => new Date(time).toISOString();
/** The parameters of a request. A list that is open to new items has no end. */
export const timesOf = (range: Range): { from: string; until?: string } => {
  const { from, until, isOpen } = spanOf(range);
  return { from: iso(from), ...(!isOpen && { until: iso(until) }) };
};

const between = (from: number, until: number): Range => ({
  preset: undefined,
  from: iso(Math.max(from, end - KEPT_MS)),
  until: until >= end ? undefined : iso(until),
});
/** Twice as long, with the same middle. */
export const zoomOut = (range: Range): Range => {
  const { from, until } = spanOf(range);
  const half = (until - from) / 2;
  const newUntil = Math.min(end, until + half);
  return between(newUntil - 4 * half, newUntil);
};
/** The same length, before or after. */
export const shift = (range: Range, by: -1 | 1): Range => {
  const { from, until } = spanOf(range);
  const length = until - from;
  const newUntil = Math.min(end, until + by * length);
  return between(newUntil - length, newUntil);
};

export const rangeWords = (range: Range): string => {
  const { from, until, isOpen } = spanOf(range);
  const format = until - from >= 2 * DAY_MS ? formatDay : (time: number) => formatDayTime(iso(time));
  return `${format(from)} – ${isOpen ? 'now' : format(until)}`;
};
/** Hours as long as a request can count them in one or two parts. */
export const stepOf = (range: Range): '1h' | '1d' => {
  const { from, until } = spanOf(range);
  return until - from <= 8 * DAY_MS ? '1h' : '1d';
};
export const STEP_MS = { '1h': HOUR_MS, '1d': DAY_MS } as const;
