import { kindIndex } from '../subject/entity.ts';
import { addAccountAmount } from './account.ts';
import { addAmount, IS_PAYMENT } from './amounts.ts';
import type { Arena } from './arena.ts';
import { cellsFirst } from './cells.ts';
import { addEntity, closeGap, entityCount, historyAt, historyEnd, openGap } from './entity-group.ts';
import {
  ACTIONS,
  actionsOf,
  FIRST,
  HISTORY_HEAD,
  LAST_AT,
  relatedCount,
  secondOf,
  setRelatedCount,
  wordsFor,
} from './history-layout.ts';
import { observePast } from './past.ts';
import { type Observation, recordRelated, relatedStride, writeNewcomers } from './related.ts';
import { CELL, compactCells, granuleOf, incrementCell, writeCell } from './windows.ts';

/** The history of one entity in a group, updated with each subject it takes part in. */

/** Adds a new entity, with an empty history, as the last of a group. */
export const addHistory = (
  arena: Arena,
  before: number,
  kind: number,
  key: number,
  check: number,
  moment: number,
): number => {
  const group = addEntity(arena, before, kind, key, check, HISTORY_HEAD);
  const at = historyAt(arena, group, entityCount(arena, group) - 1);
  arena.f64.fill(0, at, at + HISTORY_HEAD);
  arena.u32[2 * at + FIRST] = secondOf(moment);
  arena.f64[at + LAST_AT] = moment;
  return group;
};

/** Counts an activity and adds the newcomers. Returns the new position of the group. */
const countActivity = (
  arena: Arena,
  before: number,
  index: number,
  kind: number,
  moment: number,
  activity: number,
  dollars: number,
  isFailed: boolean,
  newCount: number,
): number => {
  let at = historyAt(arena, before, index);
  const first = cellsFirst(arena, at, kind);
  const end = historyEnd(arena, before, index);
  const start = granuleOf(arena, first, end, moment);
  const isCounted = incrementCell(arena, first, end, start, activity, dollars);
  if (isCounted && newCount === 0) return before;
  if (!isCounted) {
    const kept = compactCells(arena, first, end, moment);
    if (kept > first) closeGap(arena, before, index, first - before, kept - first);
  }

  const stride = relatedStride(kind);
  const related = relatedCount(arena, at);
  const words = wordsFor((related + newCount) * stride) - wordsFor(related * stride) + (isCounted ? 0 : CELL);
  const group = words === 0 ? before : openGap(arena, before, index, first - before, words);
  at = historyAt(arena, group, index);
  writeNewcomers(arena, at, kind, related, newCount, secondOf(moment), isFailed, IS_PAYMENT[activity] === 1);
  setRelatedCount(arena, at, related + newCount);
  const cells = cellsFirst(arena, at, kind);
  // Clear the unused half before the cells, so that no old content is written to disk.
  if (((related + newCount) * stride) % 2 === 1) arena.u32[2 * cells - 1] = 0;
  if (!isCounted) writeCell(arena, cells, start, activity, dollars);
  return group;
};

/**
 * Adds the subject, with its activity of `activityOf`, to the history of entity number `index` of a group. Returns
 * the new position of the group.
 */
export const observe = (
  arena: Arena,
  before: number,
  index: number,
  kind: number,
  subject: Observation,
  activity: number,
): number => {
  const at = historyAt(arena, before, index);
  const last = arena.f64[at + LAST_AT] as number;
  if (subject.isImported && subject.at < last) return observePast(arena, before, index, kind, subject, activity);
  // After a clock is set back, a later subject is never counted earlier than the ones before it.
  const moment = Math.max(subject.at, last);
  const known = !Number.isNaN(subject.dollars);
  const { isFailed } = subject;
  arena.f64[at + LAST_AT] = moment;
  arena.u32[2 * at + ACTIONS] = actionsOf(arena, at) + 1;
  if (kind === kindIndex.account) {
    if (known) addAccountAmount(arena, at, subject.dollars);
    return before;
  }
  if (known) addAmount(arena, at, subject.dollars);
  const newCount = recordRelated(arena, at, kind, subject, secondOf(moment), IS_PAYMENT[activity] === 1);
  return countActivity(arena, before, index, kind, moment, activity, known ? subject.dollars : 0, isFailed, newCount);
};
