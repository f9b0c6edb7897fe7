import type { Slab } from './slab.ts';
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

const [M1, M10, H1, H24, D7, D30] = WINDOWS.map(({ granule, granules }) => (granule * granules) / SECOND) as [
  number,
  number,
  number,
  number,
  number,
  number,
];
/**
 * The narrowest window that holds what was so many seconds ago, as long as its name says; WINDOW_COUNT when none does. Compared with all of
 * them: where to stop, the processor would guess wrong.
 */
export const windowOf = (ago: number): number =>
  Number(ago >= M1) +
  Number(ago >= M10) +
  Number(ago >= H1) +
  Number(ago >= H24) +
  Number(ago >= D7) +
  Number(ago >= D30);

/**
 * A cell is two words: the number of the finest granule it starts with (good for 600 years), how many of what there were
 * in it, and how many dollars. Cells stand side by side from `first` to `end`, the newest first.
 */
export const CELL = 2;
const KIND_BITS = 5;
const KIND_MASK = (1 << KIND_BITS) - 1;
/** One more, of any kind. */
const ONE = KIND_MASK + 1;
if (COUNTED.length > ONE) throw new Error('a cell has no room for so many kinds');
const MOST = (2 ** (32 - KIND_BITS) - 1) * ONE;
/**
 * Each time so many cells more have come together, what fell out of a fine window is merged before the next is added. Not each time: busy
 * entities have hundreds, and would go through them all for every one. What no window holds any more goes at once.
 */
const COMPACT_EVERY = 12;

const FINEST = WINDOWS[0].granule;
/** Granules and where windows start, in finest granules: whole numbers below 2^32. */
const GRANULES = Uint32Array.from(WINDOWS, ({ granule }) => granule / FINEST);
const SPANS = Uint32Array.from(WINDOWS, ({ granules }) => granules);
export const finestOf = (at: number): number => Math.floor(at / FINEST);

const starts = new Float64Array(WINDOW_COUNT);
let startsAt = Number.NaN;
/** The first granule that is still in each window. Asked for the seven entities of a subject in turn, so kept. */
const windowStarts = (finest: number): Float64Array => {
  if (finest !== startsAt) {
    for (let i = 0; i < WINDOW_COUNT; i++) {
      const granule = GRANULES[i] as number;
      starts[i] = (Math.floor(finest / granule) - (SPANS[i] as number) + 1) * granule;
    }
    startsAt = finest;
  }
  return starts;
};

/** By kind: where the newest cell is that was kept. */
const newest = new Uint32Array(ONE);

/** Merges what no fine window holds any more and drops what no window holds. Answers with where the cells then begin. */
export const compactCells = ({ f64, u32 }: Slab, first: number, end: number, at: number): number => {
  if (end === first) return first;
  const firsts = windowStarts(finestOf(at));
  const isStale = (u32[2 * (end - CELL)] as number) < (firsts[WINDOW_COUNT - 1] as number);
  if (!isStale && (end - first) % (COMPACT_EVERY * CELL) !== 0) return first;
  let kept = end;
  newest.fill(end);
  // From the oldest on: granules only get finer and starts only later, so a cell can be merged with the newest of its kind, or with none.
  let level = WINDOW_COUNT;
  for (let from = end - CELL; from >= first; from -= CELL) {
    const start = u32[2 * from] as number;
    while (level > 0 && start >= (firsts[level - 1] as number)) level--;
    if (level === WINDOW_COUNT) continue;
    const coarse = start - (start % (GRANULES[level] as number));
    const what = u32[2 * from + 1] as number;
    const kind = what & KIND_MASK;
    const into = newest[kind] as number;
    if (into < end && u32[2 * into] === coarse) {
      u32[2 * into + 1] = Math.min((u32[2 * into + 1] as number) + what - kind, MOST + kind);
      f64[into + 1] = (f64[into + 1] as number) + (f64[from + 1] as number);
    } else {
      kept -= CELL;
      newest[kind] = kept;
      u32[2 * kept] = coarse;
      u32[2 * kept + 1] = what;
      f64[kept + 1] = f64[from + 1] as number;
    }
  }
  return kept;
};

/** Where a moment is counted: cells must stay in order, so never before what is already counted. */
export const granuleOf = ({ u32 }: Slab, first: number, end: number, at: number): number =>
  first < end ? Math.max(finestOf(at), u32[2 * first] as number) : finestOf(at);

/** Counts one more in the cell that starts with this granule, if there is one. */
export const countAgain = (
  { f64, u32 }: Slab,
  first: number,
  end: number,
  start: number,
  kind: number,
  dollars: number,
): boolean => {
  for (let cell = first; cell < end && u32[2 * cell] === start; cell += CELL) {
    if (((u32[2 * cell + 1] as number) & KIND_MASK) !== kind) continue;
    u32[2 * cell + 1] = (u32[2 * cell + 1] as number) + ONE;
    f64[cell + 1] = (f64[cell + 1] as number) + dollars;
    return true;
  }
  return false;
};

/** The newest cell that is not newer than this granule; `end` when all are. What belongs to the granule is counted there, or before it. */
export const cellFrom = ({ u32 }: Slab, first: number, end: number, start: number): number => {
  let cell = first;
  while (cell < end && (u32[2 * cell] as number) > start) cell += CELL;
  return cell;
};

/**
 * The cell of a kind that what was counted in this granule is in by now; `end` when no window holds it any more. Cells of one kind are merged only
 * with their neighbours and begin with the granule they are named by, so it is the newest that does not begin later.
 */
export const cellOf = (slab: Slab, first: number, end: number, start: number, kind: number): number => {
  let cell = cellFrom(slab, first, end, start);
  while (cell < end && ((slab.u32[2 * cell + 1] as number) & KIND_MASK) !== kind) cell += CELL;
  return cell;
};

/** Takes one of the counts of a cell back. Answers with whether that was its last. */
export const uncount = ({ u32 }: Slab, cell: number): boolean => {
  u32[2 * cell + 1] = (u32[2 * cell + 1] as number) - ONE;
  return (u32[2 * cell + 1] as number) < ONE;
};

/** The moment that a cell begins with. */
export const cellAt = ({ u32 }: Slab, cell: number): number => (u32[2 * cell] as number) * FINEST;
/** The moment that the widest window at `now` begins with. */
export const widestStart = (now: number): number => (windowStarts(finestOf(now))[WINDOW_COUNT - 1] as number) * FINEST;

/** Writes the first count of a granule. */
export const countFirst = ({ f64, u32 }: Slab, cell: number, start: number, kind: number, dollars: number): void => {
  u32[2 * cell] = start;
  u32[2 * cell + 1] = ONE + kind;
  f64[cell + 1] = dollars;
};

/**
 * Adds what the cells hold to `totals`, each to the narrowest window that ends at `now` and holds it: dollars from `dollarsAt` on, counts
 * of each kind from `countsAt[kind]` on, where that is not negative; one number per window. `widen` does the rest.
 */
export const addWindows = (
  { f64, u32 }: Slab,
  first: number,
  end: number,
  now: number,
  totals: Float64Array,
  dollarsAt: number,
  countsAt: Int16Array,
): void => {
  const firsts = windowStarts(finestOf(now));
  let cell = first;
  for (let window = 0; window < WINDOW_COUNT && cell < end; window++) {
    const start = firsts[window] as number;
    let dollars = 0;
    for (; cell < end && (u32[2 * cell] as number) >= start; cell += CELL) {
      const what = u32[2 * cell + 1] as number;
      dollars += f64[cell + 1] as number;
      const at = countsAt[what & KIND_MASK] as number;
      if (at >= 0) totals[at + window] = (totals[at + window] as number) + (what >>> KIND_BITS);
    }
    totals[dollarsAt + window] = (totals[dollarsAt + window] as number) + dollars;
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
