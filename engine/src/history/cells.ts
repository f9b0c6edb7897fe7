import type { Arena } from './arena.ts';
import { closeGap, historyAt, historyEnd, openGap } from './entity-group.ts';
import { HISTORY_HEAD, relatedCount, wordsFor } from './history-layout.ts';
import { relatedStride } from './related.ts';
import { CELL, cellFrom, compactCells, finestOf, incrementCell, writeCell } from './windows.ts';

/** The cells of a history, behind its related entities. */

/** The first cell of a history. Its cells end where the history ends. */
export const cellsFirst = (arena: Arena, at: number, kind: number): number =>
  at + HISTORY_HEAD + wordsFor(relatedCount(arena, at) * relatedStride(kind));

/**
 * Counts an activity in the granule of its own moment, even if later granules are counted already: because a clock was
 * set back, or because the item was imported. Otherwise the correction of a label could not find it. Returns the new
 * position of the group.
 */
export const addToCell = (
  arena: Arena,
  before: number,
  index: number,
  kind: number,
  activity: number,
  moment: number,
  dollars: number,
): number => {
  const first = cellsFirst(arena, historyAt(arena, before, index), kind);
  const end = historyEnd(arena, before, index);
  const start = finestOf(moment);
  if (incrementCell(arena, cellFrom(arena, first, end, start), end, start, activity, dollars)) return before;
  const kept = compactCells(arena, first, end, moment);
  if (kept > first) closeGap(arena, before, index, first - before, kept - first);
  const at = cellFrom(arena, first, historyEnd(arena, before, index), start) - before;
  const group = openGap(arena, before, index, at, CELL);
  writeCell(arena, group + at, start, activity, dollars);
  return group;
};
