import { ACTIVITIES } from '../subject/subject.ts';
import type { Arena } from './arena.ts';
import { ACTIVITY_BITS, ACTIVITY_MASK, CELL, finestOf, WINDOW_COUNT, windowStarts } from './windows.ts';

/** The facts of windows, from the cells of a history. */

const SUM_BITS = 3;
if (WINDOW_COUNT > 1 << SUM_BITS) throw new Error('an activity has no room for so many windows');
/** By activity and window: the number in the cells for which it is the narrowest window. Reused between calls. */
const sums = new Uint32Array(ACTIVITIES.length << SUM_BITS);
const TRANSACTIONS = ACTIVITIES.indexOf('transactions') << SUM_BITS;
const SMALL = ACTIVITIES.indexOf('small_transactions') << SUM_BITS;
const LARGE = ACTIVITIES.indexOf('large_transactions') << SUM_BITS;

/** Where facts have the windows of a history: the position of the first window of each number. */
export interface WindowPlaces {
  /** The payments of all amounts. */
  readonly transactions: number;
  /** The dollars of all cells. */
  readonly amount: number;
  /** Activities that are facts by themselves, and the position of each. */
  readonly counted: Uint8Array;
  readonly countedAt: Uint16Array;
}

/** Fills in the windows of an activity: each includes all narrower ones. Written out, since a loop takes twice as long. */
const fillCounts = (facts: Float64Array, at: number, activity: number): void => {
  const from = activity << SUM_BITS;
  let sum = sums[from] as number;
  facts[at] = sum;
  sum += sums[from + 1] as number;
  facts[at + 1] = sum;
  sum += sums[from + 2] as number;
  facts[at + 2] = sum;
  sum += sums[from + 3] as number;
  facts[at + 3] = sum;
  sum += sums[from + 4] as number;
  facts[at + 4] = sum;
  sum += sums[from + 5] as number;
  facts[at + 5] = sum;
};

/** Fills in the windows of the payments of all amounts. */
const fillPayments = (facts: Float64Array, at: number): void => {
  let sum = 0;
  for (let window = 0; window < WINDOW_COUNT; window++) {
    sum +=
      (sums[TRANSACTIONS + window] as number) + (sums[SMALL + window] as number) + (sums[LARGE + window] as number);
    facts[at + window] = sum;
  }
};

/**
 * Fills in the counts and dollars of all windows from the cells. Every activity is counted, even if it is no fact: a branch
 * on the activity of a cell would often be mispredicted.
 */
export const fillWindows = (
  { f64, u32 }: Arena,
  first: number,
  end: number,
  now: number,
  { transactions, amount, counted, countedAt }: WindowPlaces,
  facts: Float64Array,
): void => {
  const firsts = windowStarts(finestOf(now));
  sums.fill(0);
  let cell = first;
  let dollars = 0;
  for (let window = 0; window < WINDOW_COUNT; window++) {
    const start = firsts[window] as number;
    let added = 0;
    for (; cell < end && (u32[2 * cell] as number) >= start; cell += CELL) {
      const what = u32[2 * cell + 1] as number;
      const sum = ((what & ACTIVITY_MASK) << SUM_BITS) + window;
      sums[sum] = (sums[sum] as number) + (what >>> ACTIVITY_BITS);
      added += f64[cell + 1] as number;
    }
    dollars += added;
    facts[amount + window] = dollars;
  }
  for (let i = 0; i < counted.length; i++) fillCounts(facts, countedAt[i] as number, counted[i] as number);
  fillPayments(facts, transactions);
};

/** Adds each window to all wider ones: running sums of each set of windows from `from` to `end`. */
export const widen = (totals: Float64Array, from: number, end: number): void => {
  for (let first = from; first < end; first += WINDOW_COUNT) {
    let sum = totals[first] as number;
    for (let at = first + 1; at < first + WINDOW_COUNT; at++) {
      sum += totals[at] as number;
      totals[at] = sum;
    }
  }
};
