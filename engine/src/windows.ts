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
const STRIDE = 3;
const KINDS = COUNTED.length;
/** Above this many cells, what fell out of a fine window is merged before the next is added. */
const COMPACT_ABOVE = 12;

/** The first moment that is still in each window. */
const windowStarts = (now: number, starts: Float64Array): void => {
  for (let i = 0; i < WINDOW_COUNT; i++) {
    const { granule, granules } = WINDOWS[i] as (typeof WINDOWS)[number];
    starts[i] = (Math.floor(now / granule) - granules + 1) * granule;
  }
};

const scratchStarts = new Float64Array(WINDOW_COUNT);

/** Cells of one entity, oldest first: `[start * KINDS + kind, count, dollars]` flattened. */
export type Cells = number[];

const compact = (cells: Cells, now: number): void => {
  windowStarts(now, scratchStarts);
  let kept = 0;
  for (let at = 0; at < cells.length; at += STRIDE) {
    const key = cells[at] as number;
    const start = Math.floor(key / KINDS);
    let level = 0;
    while (level < WINDOW_COUNT && start < (scratchStarts[level] as number)) level++;
    if (level === WINDOW_COUNT) continue;
    const { granule } = WINDOWS[level] as (typeof WINDOWS)[number];
    const coarse = Math.floor(start / granule) * granule;
    const coarseKey = coarse * KINDS + (key - start * KINDS);
    let into = kept - STRIDE;
    while (into >= 0 && cells[into] !== coarseKey && (cells[into] as number) >= coarse * KINDS) into -= STRIDE;
    if (into >= 0 && cells[into] === coarseKey) {
      cells[into + 1] = (cells[into + 1] as number) + (cells[at + 1] as number);
      cells[into + 2] = (cells[into + 2] as number) + (cells[at + 2] as number);
    } else {
      cells[kept] = coarseKey;
      cells[kept + 1] = cells[at + 1] as number;
      cells[kept + 2] = cells[at + 2] as number;
      kept += STRIDE;
    }
  }
  cells.length = kept;
};

/** Counts one more. `at` must not be before any moment counted earlier. */
export const countIn = (cells: Cells, at: number, kind: number, dollars: number): void => {
  if (cells.length > COMPACT_ABOVE * STRIDE) compact(cells, at);
  const finest = WINDOWS[0].granule;
  const start = Math.floor(at / finest) * finest;
  const key = start * KINDS + kind;
  for (let i = cells.length - STRIDE; i >= 0 && (cells[i] as number) >= start * KINDS; i -= STRIDE) {
    if (cells[i] === key) {
      cells[i + 1] = (cells[i + 1] as number) + 1;
      cells[i + 2] = (cells[i + 2] as number) + dollars;
      return;
    }
  }
  cells.push(key, 1, dollars);
};

/** Counts per kind and window, and dollars per window; read by `countAt` and `dollarsAt`. */
export interface WindowTotals {
  readonly counts: Float64Array;
  readonly dollars: Float64Array;
}
export const makeWindowTotals = (): WindowTotals => ({
  counts: new Float64Array(KINDS * WINDOW_COUNT),
  dollars: new Float64Array(WINDOW_COUNT),
});

/** Fills `totals` with what the cells hold in each window that ends at `now`. */
export const totalWindows = (cells: Cells, now: number, totals: WindowTotals): void => {
  const { counts, dollars } = totals;
  counts.fill(0);
  dollars.fill(0);
  windowStarts(now, scratchStarts);
  let window = 0;
  for (let i = cells.length - STRIDE; i >= 0; i -= STRIDE) {
    const key = cells[i] as number;
    const start = Math.floor(key / KINDS);
    while (window < WINDOW_COUNT && start < (scratchStarts[window] as number)) window++;
    if (window === WINDOW_COUNT) break;
    const slot = (key - start * KINDS) * WINDOW_COUNT + window;
    counts[slot] = (counts[slot] as number) + (cells[i + 1] as number);
    dollars[window] = (dollars[window] as number) + (cells[i + 2] as number);
  }
  // Each cell was put into the narrowest window it is in; every wider one holds it too.
  for (let i = 0; i < counts.length; i++) {
    if (i % WINDOW_COUNT !== 0) counts[i] = (counts[i] as number) + (counts[i - 1] as number);
  }
  for (let i = 1; i < WINDOW_COUNT; i++) dollars[i] = (dollars[i] as number) + (dollars[i - 1] as number);
};
