import { COUNTED } from './subject.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Each window is a number of granules that ends with the one `now` is in, so it never reaches back further than its
 * name says and falls short of it by less than one granule. Each granule divides the next: that is what lets an old
 * cell be merged into a coarser one without changing any window it is still part of.
 */
export const WINDOWS = [
  { name: '1m', granule: 5 * SECOND, granules: 12 },
  { name: '10m', granule: MINUTE, granules: 10 },
  { name: '1h', granule: 5 * MINUTE, granules: 12 },
  { name: '24h', granule: HOUR, granules: 24 },
  { name: '7d', granule: 6 * HOUR, granules: 28 },
  { name: '30d', granule: DAY, granules: 30 },
] as const;
export const WINDOW_COUNT = WINDOWS.length;
export type WindowName = (typeof WINDOWS)[number]['name'];

/** Numbers to a cell: when and what in one, how many, how many dollars. */
export const CELL = 3;
const KINDS = COUNTED.length;
/** Above this many cells, what fell out of a fine window is merged before the next is added. */
const COMPACT_ABOVE = 12;

const GRANULES = Float64Array.from(WINDOWS, ({ granule }) => granule);
const FINEST = WINDOWS[0].granule;

const starts = new Float64Array(WINDOW_COUNT);
let startsAt = Number.NaN;
/** The first moment that is still in each window. Asked for the seven entities of a subject in turn, so kept. */
const windowStarts = (now: number): Float64Array => {
  if (now !== startsAt) {
    for (let i = 0; i < WINDOW_COUNT; i++) {
      const { granule, granules } = WINDOWS[i] as (typeof WINDOWS)[number];
      starts[i] = (Math.floor(now / granule) - granules + 1) * granule;
    }
    startsAt = now;
  }
  return starts;
};

/**
 * Cells stand at the end of `numbers`, from index `from` on, oldest first: `start * KINDS + kind`, count, dollars.
 * Merges what no fine window holds any more and drops what no window holds.
 */
const compact = (numbers: number[], from: number, now: number): void => {
  const firsts = windowStarts(now);
  let kept = from;
  for (let at = from; at < numbers.length; at += CELL) {
    const key = numbers[at] as number;
    const start = Math.floor(key / KINDS);
    let level = 0;
    while (level < WINDOW_COUNT && start < (firsts[level] as number)) level++;
    if (level === WINDOW_COUNT) continue;
    const granule = GRANULES[level] as number;
    const coarse = Math.floor(start / granule) * granule;
    const coarseKey = coarse * KINDS + (key - start * KINDS);
    let into = kept - CELL;
    while (into >= from && numbers[into] !== coarseKey && (numbers[into] as number) >= coarse * KINDS) into -= CELL;
    if (into >= from && numbers[into] === coarseKey) {
      numbers[into + 1] = (numbers[into + 1] as number) + (numbers[at + 1] as number);
      numbers[into + 2] = (numbers[into + 2] as number) + (numbers[at + 2] as number);
    } else {
      numbers[kept] = coarseKey;
      numbers[kept + 1] = numbers[at + 1] as number;
      numbers[kept + 2] = numbers[at + 2] as number;
      kept += CELL;
    }
  }
  numbers.length = kept;
};

/** Counts one more. `at` must not be before any moment counted earlier. */
export const countIn = (numbers: number[], from: number, at: number, kind: number, dollars: number): void => {
  if (numbers.length - from > COMPACT_ABOVE * CELL) compact(numbers, from, at);
  const start = Math.floor(at / FINEST) * FINEST * KINDS;
  const key = start + kind;
  for (let i = numbers.length - CELL; i >= from && (numbers[i] as number) >= start; i -= CELL) {
    if (numbers[i] === key) {
      numbers[i + 1] = (numbers[i + 1] as number) + 1;
      numbers[i + 2] = (numbers[i + 2] as number) + dollars;
      return;
    }
  }
  numbers.push(key, 1, dollars);
};

/**
 * Adds what the cells hold to `totals`, each to the narrowest window that ends at `now` and holds it: dollars from `dollarsAt` on, counts
 * of each kind from `countsAt[kind]` and `alsoAt[kind]` on, where those are not negative; one number per window. `widen` does the rest.
 */
export const addWindows = (
  numbers: readonly number[],
  from: number,
  now: number,
  totals: Float64Array,
  dollarsAt: number,
  countsAt: Int16Array,
  alsoAt: Int16Array,
): void => {
  const firsts = windowStarts(now);
  let window = 0;
  for (let i = numbers.length - CELL; i >= from; i -= CELL) {
    const key = numbers[i] as number;
    const start = Math.floor(key / KINDS);
    while (window < WINDOW_COUNT && start < (firsts[window] as number)) window++;
    if (window === WINDOW_COUNT) return;
    const kind = key - start * KINDS;
    const count = numbers[i + 1] as number;
    totals[dollarsAt + window] = (totals[dollarsAt + window] as number) + (numbers[i + 2] as number);
    const at = countsAt[kind] as number;
    if (at >= 0) totals[at + window] = (totals[at + window] as number) + count;
    const also = alsoAt[kind] as number;
    if (also >= 0) totals[also + window] = (totals[also + window] as number) + count;
  }
};

/** What is in a window is in every wider one: makes running sums of each group of windows from `from` to `end`. */
export const widen = (totals: Float64Array, from: number, end: number): void => {
  for (let first = from; first < end; first += WINDOW_COUNT) {
    let sum = totals[first] as number;
    for (let at = first + 1; at < first + WINDOW_COUNT; at++) {
      sum += totals[at] as number;
      totals[at] = sum;
    }
  }
};
