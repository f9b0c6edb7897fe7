import { ACTIVITIES } from '../subject/subject.ts';
import type { Arena } from './arena.ts';
import { closeGap, historyAt, historyEnd, openGap } from './entity-group.ts';
import { cellsFirst, FRAUD_SECOND, FRAUDS, fraudsOf, secondOf } from './history.ts';
import {
  CELL,
  cellFrom,
  cellOf,
  cellStart,
  compactCells,
  decrementCell,
  finestOf,
  incrementCell,
  widestStart,
  writeCell,
} from './windows.ts';

/** Labels of a subject, counted in the histories of the entities that took part. */

const FRAUD = ACTIVITIES.indexOf('frauds');
const LEGITIMATE = ACTIVITIES.indexOf('legitimates');

const activityOfLabel = (fraud: boolean): number => (fraud ? FRAUD : LEGITIMATE);

/**
 * Counts a label in the granule it was given in, even if later granules are counted already because a clock was set
 * back. Otherwise a correction could not find it. Returns the new position of the group.
 */
const countLabel = (
  arena: Arena,
  before: number,
  index: number,
  kind: number,
  fraud: boolean,
  moment: number,
): number => {
  const first = cellsFirst(arena, historyAt(arena, before, index), kind);
  const end = historyEnd(arena, before, index);
  const start = finestOf(moment);
  const activity = activityOfLabel(fraud);
  if (incrementCell(arena, cellFrom(arena, first, end, start), end, start, activity, 0)) return before;
  const kept = compactCells(arena, first, end, moment);
  if (kept > first) closeGap(arena, before, index, first - before, kept - first);
  const at = cellFrom(arena, first, historyEnd(arena, before, index), start) - before;
  const group = openGap(arena, before, index, at, CELL);
  writeCell(arena, group + at, start, activity, 0);
  return group;
};

/**
 * Restores the time of the last fraud report before a revoked one, which came at `given`. No history stores that time.
 * The cells give it to the granule, never too late. If no cell has a fraud, it is just before the widest window.
 */
const restoreLastFraud = (arena: Arena, at: number, first: number, end: number, given: number, now: number): void => {
  if ((arena.u32[2 * at + FRAUD_SECOND] as number) > secondOf(given)) return;
  const newest = cellOf(arena, first, end, finestOf(now), FRAUD);
  const last = newest < end ? cellStart(arena, newest) : widestStart(now) - 1;
  arena.u32[2 * at + FRAUD_SECOND] = secondOf(Math.min(last, given));
};

/**
 * Removes a label given at a moment from a history. Afterwards only the time of the last fraud report may differ from
 * that of a history without the label.
 */
const revokeLabel = (
  arena: Arena,
  group: number,
  index: number,
  kind: number,
  fraud: boolean,
  given: number,
  now: number,
): void => {
  const at = historyAt(arena, group, index);
  const first = cellsFirst(arena, at, kind);
  const cell = cellOf(arena, first, historyEnd(arena, group, index), finestOf(given), activityOfLabel(fraud));
  if (cell < historyEnd(arena, group, index) && decrementCell(arena, cell))
    closeGap(arena, group, index, cell - group, CELL);
  const frauds = fraudsOf(arena, at);
  // There are none if the histories were rebuilt without the looked-up facts of the time.
  if (!fraud || frauds === 0) return;
  arena.u32[2 * at + FRAUDS] = frauds - 1;
  restoreLastFraud(arena, at, first, historyEnd(arena, group, index), given, now);
};

/** The effect of a label on histories: fraud or not, and when. */
export interface LabelEffect {
  readonly fraud: boolean;
  readonly at: number;
  /** When the opposite label was given, which this one replaces. */
  readonly insteadOf?: number | undefined;
}

/** Adds a label of an earlier subject to the history of one of its entities. Returns the new position of the group. */
export const observeLabel = (
  arena: Arena,
  before: number,
  index: number,
  kind: number,
  { fraud, at: moment, insteadOf }: LabelEffect,
): number => {
  if (insteadOf !== undefined) revokeLabel(arena, before, index, kind, !fraud, insteadOf, moment);
  const at = historyAt(arena, before, index);
  if (fraud) {
    const { u32 } = arena;
    const last = fraudsOf(arena, at) === 0 ? 0 : (u32[2 * at + FRAUD_SECOND] as number);
    u32[2 * at + FRAUD_SECOND] = Math.max(last, secondOf(moment));
    u32[2 * at + FRAUDS] = fraudsOf(arena, at) + 1;
  }
  return countLabel(arena, before, index, kind, fraud, moment);
};
