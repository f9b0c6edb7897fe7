import { kindIndex } from '../subject/entity.ts';
import { addAccountAmount } from './account.ts';
import { addAmount, IS_PAYMENT } from './amounts.ts';
import type { Arena } from './arena.ts';
import { addToCell, cellsFirst } from './cells.ts';
import { historyAt, openGap } from './entity-group.ts';
import {
  ACTIONS,
  actionsOf,
  FIRST,
  LAST_AT,
  relatedCount,
  secondOf,
  setRelatedCount,
  wordsFor,
} from './history-layout.ts';
import { updatePastPair, wasSeenSince } from './pair.ts';
import {
  findPairs,
  findRelated,
  leastRecent,
  newcomers,
  type Observation,
  RELATION_INDEXES,
  relatedIdOf,
  relatedStride,
  replacedPair,
  USER_CODES,
  wanted,
  writeNewcomers,
} from './related.ts';
import { widestStart } from './windows.ts';

/**
 * Adds an imported subject to a history that has newer items already. Numbers, sums and windows are those of a history
 * that got it in time. The days of a pair are not: a pair does not know on which days it was seen.
 */

/** Records the pairs of a user. Returns the number of `newcomers`. A newer pair is never replaced by an older one. */
const recordPastPairs = (
  arena: Arena,
  at: number,
  subject: Observation,
  second: number,
  isPayment: boolean,
): number => {
  const found = findPairs(arena, at, subject.hashes);
  const count = relatedCount(arena, at);
  let newCount = 0;
  for (let i = 0; i < USER_CODES.length; i++) {
    const code = USER_CODES[i] as number;
    const id = wanted[code] as number;
    const pair = found[code] as number;
    if (pair !== 0) updatePastPair(arena, pair, second, subject.isFailed, isPayment);
    else if (id !== 0 && replacedPair(arena, at, count, i) === 0) newcomers[newCount++] = id;
  }
  return newCount;
};

/** Records the related entities of another kind than a user. Returns the number of `newcomers`. */
const recordPastRelated = (arena: Arena, at: number, kind: number, subject: Observation, second: number): number => {
  const { u32 } = arena;
  const stride = relatedStride(kind);
  const count = relatedCount(arena, at);
  const relations = RELATION_INDEXES[kind] as readonly number[];
  let newCount = 0;
  for (let i = 0; i < relations.length; i++) {
    const other = relations[i] as number;
    const hash = subject.hashes[other] as number;
    if (hash === 0) continue;
    const id = relatedIdOf(other, hash);
    const known = findRelated(arena, at, stride, count, id);
    if (known !== 0) {
      const seen = u32[known + 1] as number;
      // Of a token, the first use counts; of others, the last.
      u32[known + 1] = other === kindIndex.token ? Math.min(seen, second) : Math.max(seen, second);
      continue;
    }
    const oldest = leastRecent(arena, at, stride, count, other);
    if (oldest === 0) newcomers[newCount++] = id;
    else if (!wasSeenSince(arena, oldest, second)) {
      u32[oldest] = id;
      u32[oldest + 1] = second;
    }
  }
  return newCount;
};

/** Adds the newcomers behind the related entities. Returns the new position of the group. */
const addNewcomers = (
  arena: Arena,
  before: number,
  index: number,
  kind: number,
  newCount: number,
  second: number,
  isFailed: boolean,
  isPayment: boolean,
): number => {
  if (newCount === 0) return before;
  const stride = relatedStride(kind);
  const old = historyAt(arena, before, index);
  const related = relatedCount(arena, old);
  const words = wordsFor((related + newCount) * stride) - wordsFor(related * stride);
  const from = cellsFirst(arena, old, kind) - before;
  const group = words === 0 ? before : openGap(arena, before, index, from, words);
  const at = historyAt(arena, group, index);
  writeNewcomers(arena, at, kind, related, newCount, second, isFailed, isPayment);
  setRelatedCount(arena, at, related + newCount);
  // Clear the unused half before the cells, so that no old content is written to disk.
  if (((related + newCount) * stride) % 2 === 1) arena.u32[2 * cellsFirst(arena, at, kind) - 1] = 0;
  return group;
};

export const observePast = (
  arena: Arena,
  before: number,
  index: number,
  kind: number,
  subject: Observation,
  activity: number,
): number => {
  const { u32, f64 } = arena;
  const at = historyAt(arena, before, index);
  const last = f64[at + LAST_AT] as number;
  const { at: moment, dollars, isFailed } = subject;
  const second = secondOf(moment);
  const isKnown = !Number.isNaN(dollars);
  u32[2 * at + FIRST] = Math.min(u32[2 * at + FIRST] as number, second);
  u32[2 * at + ACTIONS] = actionsOf(arena, at) + 1;
  if (kind === kindIndex.account) {
    if (isKnown) addAccountAmount(arena, at, dollars);
    return before;
  }
  if (isKnown) addAmount(arena, at, dollars);
  const isPayment = IS_PAYMENT[activity] === 1;
  const newCount =
    kind === kindIndex.user
      ? recordPastPairs(arena, at, subject, second, isPayment)
      : recordPastRelated(arena, at, kind, subject, second);
  const group = addNewcomers(arena, before, index, kind, newCount, second, isFailed, isPayment);
  if (moment < widestStart(last)) return group;
  return addToCell(arena, group, index, kind, activity, moment, isKnown ? dollars : 0);
};
