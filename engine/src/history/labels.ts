import type { LabelReason } from '@portcullis/contract';
import { kindIndex } from '../subject/entity.ts';
import { ACTIVITIES } from '../subject/subject.ts';
import { DISPUTE_BIT } from './actors.ts';
import type { Arena } from './arena.ts';
import { addToCell, cellsFirst } from './cells.ts';
import { closeGap, historyAt, historyEnd } from './entity-group.ts';
import {
  ACTOR_COUNT,
  ACTOR_FRAUD_SECOND,
  ACTOR_FRAUDS,
  DISPUTE_COUNT,
  DISPUTE_DAYS,
  decrementCount,
  FRAUD_SECOND,
  FRAUDS,
  fraudsOf,
  incrementCount,
  readCount,
  secondOf,
} from './history-layout.ts';
import { vouchPair } from './pair.ts';
import { findPairs } from './related.ts';
import { CELL, cellOf, cellStart, decrementCell, finestOf, hasCellWithin, widestStart } from './windows.ts';

/** Labels of a subject, counted in the histories of the entities that took part. */

const FRAUD = ACTIVITIES.indexOf('frauds');
const LEGITIMATE = ACTIVITIES.indexOf('legitimates');
const ACTOR_FRAUD = ACTIVITIES.indexOf('actor_frauds');
const DISPUTE = ACTIVITIES.indexOf('disputes');
const DAY_MS = 24 * 3_600_000;

/** Takes an activity of a label given at a moment back. Returns false if it left all windows before. */
const takeFromCell = (
  arena: Arena,
  group: number,
  index: number,
  kind: number,
  activity: number,
  given: number,
): boolean => {
  const first = cellsFirst(arena, historyAt(arena, group, index), kind);
  const end = historyEnd(arena, group, index);
  const cell = cellOf(arena, first, end, finestOf(given), activity);
  if (cell < end && decrementCell(arena, cell)) closeGap(arena, group, index, cell - group, CELL);
  return cell < end;
};

/** Whether the windows have a dispute on the day of a moment. */
const hasDisputeOn = (arena: Arena, group: number, index: number, moment: number): boolean => {
  const first = cellsFirst(arena, historyAt(arena, group, index), kindIndex.user);
  const day = Math.floor(moment / DAY_MS) * DAY_MS;
  const [from, until] = [finestOf(day), finestOf(day + DAY_MS)];
  return hasCellWithin(arena, first, historyEnd(arena, group, index), DISPUTE, from, until);
};

/** Sets the second of the last report, `half`, to a moment if that is later. `count` is the number of reports before. */
const setLastReport = ({ u32 }: Arena, half: number, count: number, moment: number): void => {
  u32[half] = Math.max(count === 0 ? 0 : (u32[half] as number), secondOf(moment));
};

/**
 * Restores the second of the last report before a revoked one, which came at `given`. No history stores it. The cells
 * give it to the granule, never too late. If no cell has a report, it is just before the widest window.
 */
const restoreLastReport = (
  arena: Arena,
  group: number,
  index: number,
  kind: number,
  [half, activity]: readonly [half: number, activity: number],
  given: number,
  now: number,
): void => {
  const at = historyAt(arena, group, index);
  if ((arena.u32[2 * at + half] as number) > secondOf(given)) return;
  const end = historyEnd(arena, group, index);
  const newest = cellOf(arena, cellsFirst(arena, at, kind), end, finestOf(now), activity);
  const last = newest < end ? cellStart(arena, newest) : widestStart(now) - 1;
  arena.u32[2 * at + half] = secondOf(Math.min(last, given));
};

/** A label as histories count it: fraud or not, since when, and how the fraud was done. */
export interface CountedLabel {
  readonly fraud: boolean;
  readonly at: number;
  /** Undefined for a legitimate label, and for a fraud without a reason. */
  readonly reason?: LabelReason | undefined;
  /** The kinds of entity that it blames, as `actorKinds` gives them. None if it is legitimate. */
  readonly actors?: number | undefined;
}

/** The effect of a label on histories. */
export interface LabelEffect extends CountedLabel {
  /**
   * The label that this one replaces: the opposite one, or a fraud with another reason. That fraud has the same `at`,
   * because a new reason does not change when the fraud became known.
   */
  readonly insteadOf?: CountedLabel | undefined;
}

/** Removes the opposite label. Afterwards only the time of the last fraud report may differ from a history without it. */
const revokeLabel = (
  arena: Arena,
  group: number,
  index: number,
  kind: number,
  fraud: boolean,
  given: number,
  now: number,
): void => {
  takeFromCell(arena, group, index, kind, fraud ? FRAUD : LEGITIMATE, given);
  const at = historyAt(arena, group, index);
  const frauds = fraudsOf(arena, at);
  // There are none if the histories were rebuilt without the looked-up facts of the time.
  if (!fraud || frauds === 0) return;
  arena.u32[2 * at + FRAUDS] = frauds - 1;
  restoreLastReport(arena, group, index, kind, [FRAUD_SECOND, FRAUD], given, now);
};

/** Counts the label of a legitimate subject in the pairs of its user, or takes it back. */
const vouch = (arena: Arena, at: number, hashes: ArrayLike<number>, isTakenBack: boolean): void => {
  const pairs = findPairs(arena, at, hashes);
  for (let code = 0; code < pairs.length; code++)
    if (pairs[code] !== 0) vouchPair(arena, pairs[code] as number, isTakenBack);
};

const blame = (
  arena: Arena,
  before: number,
  index: number,
  kind: number,
  isDispute: boolean,
  moment: number,
): number => {
  const at = historyAt(arena, before, index);
  const half = 2 * at + ACTOR_FRAUDS;
  setLastReport(arena, 2 * at + ACTOR_FRAUD_SECOND, readCount(arena, half, ACTOR_COUNT), moment);
  incrementCount(arena, half, ACTOR_COUNT);
  if (!isDispute) return addToCell(arena, before, index, kind, ACTOR_FRAUD, moment, 0);
  incrementCount(arena, half, DISPUTE_COUNT);
  if (!hasDisputeOn(arena, before, index, moment)) incrementCount(arena, half, DISPUTE_DAYS);
  const group = addToCell(arena, before, index, kind, ACTOR_FRAUD, moment, 0);
  return addToCell(arena, group, index, kind, DISPUTE, moment, 0);
};

/** Takes back what `blame` counted at `given`. */
const exonerate = (
  arena: Arena,
  group: number,
  index: number,
  kind: number,
  isDispute: boolean,
  given: number,
  now: number,
): void => {
  const half = 2 * historyAt(arena, group, index) + ACTOR_FRAUDS;
  decrementCount(arena, half, ACTOR_COUNT);
  takeFromCell(arena, group, index, kind, ACTOR_FRAUD, given);
  restoreLastReport(arena, group, index, kind, [ACTOR_FRAUD_SECOND, ACTOR_FRAUD], given, now);
  if (!isDispute) return;
  decrementCount(arena, half, DISPUTE_COUNT);
  const wasLast = takeFromCell(arena, group, index, kind, DISPUTE, given) && !hasDisputeOn(arena, group, index, given);
  // The windows forget a day that is long ago. There are never more days than disputes.
  const hasTooMany = readCount(arena, half, DISPUTE_DAYS) > readCount(arena, half, DISPUTE_COUNT);
  if (wasLast || hasTooMany) decrementCount(arena, half, DISPUTE_DAYS);
};

/** Blames the entity if the label does, and no longer if only the replaced label did. */
const changeActors = (arena: Arena, before: number, index: number, kind: number, effect: LabelEffect): number => {
  const { fraud, at, actors = 0, insteadOf } = effect;
  const own = (1 << kind) | (kind === kindIndex.user ? DISPUTE_BIT : 0);
  const [former, blamed] = [(insteadOf?.actors ?? 0) & own, actors & own];
  if (insteadOf?.fraud === fraud && former === blamed) return before;
  if (insteadOf !== undefined && former !== 0)
    exonerate(arena, before, index, kind, (former & DISPUTE_BIT) !== 0, insteadOf.at, at);
  return blamed === 0 ? before : blame(arena, before, index, kind, (blamed & DISPUTE_BIT) !== 0, at);
};

/** Counts the value of a label. */
const countValue = (
  arena: Arena,
  group: number,
  index: number,
  kind: number,
  hashes: ArrayLike<number>,
  { fraud, at: moment, insteadOf }: LabelEffect,
): number => {
  if (insteadOf !== undefined) revokeLabel(arena, group, index, kind, insteadOf.fraud, insteadOf.at, moment);
  const at = historyAt(arena, group, index);
  if (fraud) {
    setLastReport(arena, 2 * at + FRAUD_SECOND, fraudsOf(arena, at), moment);
    arena.u32[2 * at + FRAUDS] = fraudsOf(arena, at) + 1;
  }
  if (kind === kindIndex.user && (!fraud || insteadOf !== undefined)) vouch(arena, at, hashes, fraud);
  return addToCell(arena, group, index, kind, fraud ? FRAUD : LEGITIMATE, moment, 0);
};

/**
 * Adds a label of an earlier subject, with its hashes, to the history of one of its entities. Returns the new position of
 * the group.
 */
export const observeLabel = (
  arena: Arena,
  before: number,
  index: number,
  kind: number,
  hashes: ArrayLike<number>,
  effect: LabelEffect,
): number => {
  // The usual of a business is no statement about its frauds.
  if (kind === kindIndex.account) return before;
  const isSameValue = effect.insteadOf?.fraud === effect.fraud;
  const group = isSameValue ? before : countValue(arena, before, index, kind, hashes, effect);
  return changeActors(arena, group, index, kind, effect);
};
