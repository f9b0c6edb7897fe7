import { ACTIVITIES } from '../subject/subject.ts';
import type { Arena } from './arena.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * The windows in which activities are counted. A window is a number of granules that ends with the granule of `now`,
 * so it is at most as long as its name, and shorter by less than one granule. Each granule divides the next. So an
 * old cell can be merged into a coarser one without changing any window it still belongs to.
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
 * The narrowest window, of its full length, that includes a moment `ago` seconds ago; WINDOW_COUNT if none does.
 * It compares with all windows, because an early exit would cost branch mispredictions.
 */
export const windowOf = (ago: number): number =>
  Number(ago >= M1) +
  Number(ago >= M10) +
  Number(ago >= H1) +
  Number(ago >= H24) +
  Number(ago >= D7) +
  Number(ago >= D30);

/**
 * Cells count the activities of a history, in contiguous memory from `first` to `end`, newest first. A cell is two
 * words of 64 bits. The first holds two halves: the number of its first finest granule (sufficient for 600 years),
 * and the activity with its count. The second holds the dollars.
 */
export const CELL = 2;
export const ACTIVITY_BITS = 5;
export const ACTIVITY_MASK = (1 << ACTIVITY_BITS) - 1;
/** The increment of a count, above the bits of the activity; also the number of activities a cell can tell apart. */
const ONE = ACTIVITY_MASK + 1;
if (ACTIVITIES.length > ONE) throw new Error('a cell has no room for so many activities');
const MAX_COUNT = (2 ** (32 - ACTIVITY_BITS) - 1) * ONE;
/**
 * Cells that left a fine window are merged whenever this many cells were added. Merging at every addition would be
 * slow for busy entities, which have hundreds of cells. Cells that left all windows are dropped at once.
 */
const COMPACT_EVERY = 12;

const FINEST = WINDOWS[0].granule;
/** The length of each granule in finest granules, and the number of granules of each window. */
const GRANULES = Uint32Array.from(WINDOWS, ({ granule }) => granule / FINEST);
const SPANS = Uint32Array.from(WINDOWS, ({ granules }) => granules);
export const finestOf = (at: number): number => Math.floor(at / FINEST);

const starts = new Float64Array(WINDOW_COUNT);
let startsAt = Number.NaN;
/** The first granule of each window. The result is cached, since all entities of a subject need the same. */
export const windowStarts = (finest: number): Float64Array => {
  if (finest !== startsAt) {
    for (let i = 0; i < WINDOW_COUNT; i++) {
      const granule = GRANULES[i] as number;
      starts[i] = (Math.floor(finest / granule) - (SPANS[i] as number) + 1) * granule;
    }
    startsAt = finest;
  }
  return starts;
};

/** The newest compacted cell of each activity. */
const newest = new Uint32Array(ONE);

/**
 * Merges cells that left a fine window and drops cells that left all windows. Returns the new position of the first
 * cell.
 */
export const compactCells = ({ f64, u32 }: Arena, first: number, end: number, at: number): number => {
  if (end === first) return first;
  const firsts = windowStarts(finestOf(at));
  const isStale = (u32[2 * (end - CELL)] as number) < (firsts[WINDOW_COUNT - 1] as number);
  if (!isStale && (end - first) % (COMPACT_EVERY * CELL) !== 0) return first;
  let kept = end;
  newest.fill(end);
  // From oldest to newest, granules only get finer and starts later. So a cell can merge only with the newest one of
  // its activity.
  let level = WINDOW_COUNT;
  for (let from = end - CELL; from >= first; from -= CELL) {
    const start = u32[2 * from] as number;
    while (level > 0 && start >= (firsts[level - 1] as number)) level--;
    if (level === WINDOW_COUNT) continue;
    const coarse = start - (start % (GRANULES[level] as number));
    const what = u32[2 * from + 1] as number;
    const activity = what & ACTIVITY_MASK;
    const into = newest[activity] as number;
    if (into < end && u32[2 * into] === coarse) {
      u32[2 * into + 1] = Math.min((u32[2 * into + 1] as number) + what - activity, MAX_COUNT + activity);
      f64[into + 1] = (f64[into + 1] as number) + (f64[from + 1] as number);
    } else {
      kept -= CELL;
      newest[activity] = kept;
      u32[2 * kept] = coarse;
      u32[2 * kept + 1] = what;
      f64[kept + 1] = f64[from + 1] as number;
    }
  }
  return kept;
};

/**
 * When an activity last happened, from its newest cell; NaN if it has none. It is as exact as the narrowest window that it
 * is in: then merged cells and cells that are yet to be merged give the same.
 */
export const lastMoment = ({ u32 }: Arena, first: number, end: number, activity: number, now: number): number => {
  const firsts = windowStarts(finestOf(now));
  for (let cell = first; cell < end; cell += CELL) {
    if (((u32[2 * cell + 1] as number) & ACTIVITY_MASK) !== activity) continue;
    const start = u32[2 * cell] as number;
    let level = 0;
    while (level < WINDOW_COUNT && start < (firsts[level] as number)) level++;
    return level === WINDOW_COUNT ? Number.NaN : (start - (start % (GRANULES[level] as number))) * FINEST;
  }
  return Number.NaN;
};

/** The granule a moment is counted in: at least that of the newest cell, since cells must stay in order. */
export const granuleOf = ({ u32 }: Arena, first: number, end: number, at: number): number =>
  first < end ? Math.max(finestOf(at), u32[2 * first] as number) : finestOf(at);

/** Counts an activity in the cell of this granule. Returns false if there is none. */
export const incrementCell = (
  { f64, u32 }: Arena,
  first: number,
  end: number,
  start: number,
  activity: number,
  dollars: number,
): boolean => {
  for (let cell = first; cell < end && u32[2 * cell] === start; cell += CELL) {
    if (((u32[2 * cell + 1] as number) & ACTIVITY_MASK) !== activity) continue;
    u32[2 * cell + 1] = (u32[2 * cell + 1] as number) + ONE;
    f64[cell + 1] = (f64[cell + 1] as number) + dollars;
    return true;
  }
  return false;
};

/**
 * The newest cell that starts at this granule or earlier, `end` if there is none. A new cell of the granule belongs
 * before it.
 */
export const cellFrom = ({ u32 }: Arena, first: number, end: number, start: number): number => {
  let cell = first;
  while (cell < end && (u32[2 * cell] as number) > start) cell += CELL;
  return cell;
};

/**
 * The cell that now includes the counts of an activity in this granule; `end` if they left all windows. Cells of one
 * activity merge only with their neighbours and start with their coarse granule, so it is the newest cell that starts
 * at this granule or earlier.
 */
export const cellOf = (arena: Arena, first: number, end: number, start: number, activity: number): number => {
  let cell = cellFrom(arena, first, end, start);
  while (cell < end && ((arena.u32[2 * cell + 1] as number) & ACTIVITY_MASK) !== activity) cell += CELL;
  return cell;
};

/** Whether a cell of an activity starts at granule `from` or later, and before `until`. */
export const hasCellWithin = (
  { u32 }: Arena,
  first: number,
  end: number,
  activity: number,
  from: number,
  until: number,
): boolean => {
  for (let cell = first; cell < end && (u32[2 * cell] as number) >= from; cell += CELL)
    if ((u32[2 * cell] as number) < until && ((u32[2 * cell + 1] as number) & ACTIVITY_MASK) === activity) return true;
  return false;
};

/** Decrements the count of a cell. Returns whether it is 0 now. */
export const decrementCell = ({ u32 }: Arena, cell: number): boolean => {
  u32[2 * cell + 1] = (u32[2 * cell + 1] as number) - ONE;
  return (u32[2 * cell + 1] as number) < ONE;
};

/** Whether a cell counts a known activity, with an amount. */
export const isWholeCell = (words: Float64Array, halves: Uint32Array, cell: number, activities: number): boolean => {
  const what = halves[2 * cell + 1] as number;
  return what >= ONE && (what & ACTIVITY_MASK) < activities && Number.isFinite(words[cell + 1] as number);
};

/** The moment at which a cell starts. */
export const cellStart = ({ u32 }: Arena, cell: number): number => (u32[2 * cell] as number) * FINEST;
/** The moment at which the widest window starts. */
export const widestStart = (now: number): number => (windowStarts(finestOf(now))[WINDOW_COUNT - 1] as number) * FINEST;

/** Writes a new cell with a count of 1. */
export const writeCell = (
  { f64, u32 }: Arena,
  cell: number,
  start: number,
  activity: number,
  dollars: number,
): void => {
  u32[2 * cell] = start;
  u32[2 * cell + 1] = ONE + activity;
  f64[cell + 1] = dollars;
};
