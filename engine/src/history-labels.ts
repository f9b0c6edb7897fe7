import { cellsFirst, FRAUD_SECOND, FRAUDS, fraudsOf, secondOf } from './history.ts';
import { closeGap, historyAt, historyEnd, openGap } from './shelf.ts';
import type { Slab } from './slab.ts';
import { COUNTED } from './subject.ts';
import {
  CELL,
  cellAt,
  cellFrom,
  cellOf,
  compactCells,
  countAgain,
  countFirst,
  finestOf,
  uncount,
  widestStart,
} from './windows.ts';

/** What people say of a subject afterwards, in the histories of those who took part. */

const FRAUD_COUNTED = COUNTED.indexOf('frauds');
const LEGITIMATE_COUNTED = COUNTED.indexOf('legitimates');

const countedLabel = (fraud: boolean): number => (fraud ? FRAUD_COUNTED : LEGITIMATE_COUNTED);

/**
 * Counts a label in the granule it was given in, also when what the entity took part in is counted later already, by a clock that was set back:
 * only so can it be found there again. Answers with where the shelf is then.
 */
const countLabel = (
  slab: Slab,
  before: number,
  index: number,
  kind: number,
  fraud: boolean,
  moment: number,
): number => {
  const first = cellsFirst(slab, historyAt(slab, before, index), kind);
  const end = historyEnd(slab, before, index);
  const start = finestOf(moment);
  const counted = countedLabel(fraud);
  if (countAgain(slab, cellFrom(slab, first, end, start), end, start, counted, 0)) return before;
  const kept = compactCells(slab, first, end, moment);
  if (kept > first) closeGap(slab, before, index, first - before, kept - first);
  const at = cellFrom(slab, first, historyEnd(slab, before, index), start) - before;
  const shelf = openGap(slab, before, index, at, CELL);
  countFirst(slab, shelf + at, start, counted, 0);
  return shelf;
};

/**
 * Takes back that a fraud became known at `given`, if none did later. When the one before it did, no history remembers: the cells tell it to the
 * granule, never too late; where none of them holds it, it is as long ago as the widest window reaches.
 */
const takeBackLast = (slab: Slab, at: number, first: number, end: number, given: number, now: number): void => {
  if ((slab.u32[2 * at + FRAUD_SECOND] as number) > secondOf(given)) return;
  const newest = cellOf(slab, first, end, finestOf(now), FRAUD_COUNTED);
  const last = newest < end ? cellAt(slab, newest) : widestStart(now) - 1;
  slab.u32[2 * at + FRAUD_SECOND] = secondOf(Math.min(last, given));
};

/** Takes back what was folded in as given at a moment: it is as if it had never been said, but for when the last fraud became known. */
const takeBack = (
  slab: Slab,
  shelf: number,
  index: number,
  kind: number,
  fraud: boolean,
  given: number,
  now: number,
): void => {
  const at = historyAt(slab, shelf, index);
  const first = cellsFirst(slab, at, kind);
  const cell = cellOf(slab, first, historyEnd(slab, shelf, index), finestOf(given), countedLabel(fraud));
  if (cell < historyEnd(slab, shelf, index) && uncount(slab, cell)) closeGap(slab, shelf, index, cell - shelf, CELL);
  const frauds = fraudsOf(slab, at);
  // None where the histories were made anew, without what was known of the address or the e-mail when it was said.
  if (!fraud || frauds === 0) return;
  slab.u32[2 * at + FRAUDS] = frauds - 1;
  takeBackLast(slab, at, first, historyEnd(slab, shelf, index), given, now);
};

/** What is said of a subject at a moment: fraud or not. */
export interface Said {
  readonly fraud: boolean;
  readonly at: number;
  /** Where the opposite was said before, and is taken back: when that was. */
  readonly insteadOf?: number | undefined;
}

/** Folds in what is said of a subject the entity took part in earlier. Answers with where the shelf is then. */
export const observeLabel = (
  slab: Slab,
  before: number,
  index: number,
  kind: number,
  { fraud, at: moment, insteadOf }: Said,
): number => {
  if (insteadOf !== undefined) takeBack(slab, before, index, kind, !fraud, insteadOf, moment);
  const at = historyAt(slab, before, index);
  if (fraud) {
    const { u32 } = slab;
    const last = fraudsOf(slab, at) === 0 ? 0 : (u32[2 * at + FRAUD_SECOND] as number);
    u32[2 * at + FRAUD_SECOND] = Math.max(last, secondOf(moment));
    u32[2 * at + FRAUDS] = fraudsOf(slab, at) + 1;
  }
  return countLabel(slab, before, index, kind, fraud, moment);
};
