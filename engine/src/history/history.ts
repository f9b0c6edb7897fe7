import { ENTITY_KINDS, kindIndex, RELATED_KINDS, RELATIONS, type RelatedKind } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import type { Arena } from './arena.ts';
import { addEntity, closeGap, entityCount, historyAt, historyEnd, openGap } from './entity-group.ts';
import { CELL, compactCells, granuleOf, incrementCell, WINDOW_COUNT, windowOf, writeCell } from './windows.ts';

/**
 * The history of one entity in a group, updated with each subject it takes part in. Layout: the words named here,
 * then the related entities, then the cells of its windows.
 */

/**
 * The layout version of groups, histories and profiles. A change of it makes the service convert or rebuild the
 * histories on disk.
 */
export const HISTORY_LAYOUT = 3;

/** Halves: the number of related entities, and the second of the first activity. */
const FIRST = 1;
export const LAST_AT = 1;
/** Halves: the number of subjects it took part in, and of payments with a known amount. */
const ACTIONS = 4;
const PAYMENTS = 5;
/** The running mean, sum of squared deviations and maximum of the payments in dollars. */
export const MEAN = 3;
export const M2 = 4;
export const MAXIMUM = 5;
/** Halves: the number of confirmed frauds, and the second in which the last was reported. */
export const FRAUDS = 12;
export const FRAUD_SECOND = 13;
export const HISTORY_HEAD = 7;
const HEAD = HISTORY_HEAD;

/** The most recent related entities stored per kind. A count that reaches this number means "this many or more". */
export const RELATED_MAX = 32;
/**
 * Halves per related entity: its id, the second they were last seen together and, in the history of a user, the
 * second they first were. The id is the kind and 28 bits of the key: one of 32 entities is mistaken for another once
 * in 8 million.
 */
const RELATED = 2;
const RELATED_OF_USER = 3;
export const HASH_BITS = 28;
if (RELATED_KINDS.length > 2 ** (32 - HASH_BITS)) throw new Error('a history has no room for so many kinds');
/** The stored code of each kind. Kinds that were added later come last, so that stored histories stay valid. */
const LATER_KINDS: readonly RelatedKind[] = ['likeness', 'token'];
export const STORED_KINDS = [...RELATED_KINDS.filter((kind) => !LATER_KINDS.includes(kind)), ...LATER_KINDS];
export const KIND_CODES: readonly number[] = RELATED_KINDS.map((kind) => STORED_KINDS.indexOf(kind));
const codeOf = (kind: RelatedKind): number => STORED_KINDS.indexOf(kind);
const PLACE_CODE = codeOf('place');
const HASH_MASK = 2 ** HASH_BITS - 1;
const SECOND = 1000;
export const secondOf = (moment: number): number => Math.floor(moment / SECOND);

export const relatedStride = (kind: number): number => (kind === kindIndex.user ? RELATED_OF_USER : RELATED);
const wordsFor = (halves: number): number => (halves + 1) >>> 1;
const relatedCount = ({ u32 }: Arena, at: number): number => u32[2 * at] as number;
const setRelatedCount = ({ u32 }: Arena, at: number, count: number): void => {
  u32[2 * at] = count;
};

/**
 * The part of a subject that a history needs. It may be stored and applied later; then the low 28 bits of each hash
 * suffice, if not all 0.
 */
export interface Observation extends Pick<Subject, 'at' | 'dollars'> {
  readonly hashes: ArrayLike<number>;
}

/** The first cell of a history. Its cells end where the history ends. */
export const cellsFirst = (arena: Arena, at: number, kind: number): number =>
  at + HEAD + wordsFor(relatedCount(arena, at) * relatedStride(kind));
export const firstAt = ({ u32 }: Arena, at: number): number => (u32[2 * at + FIRST] as number) * SECOND;
export const actionsOf = ({ u32 }: Arena, at: number): number => u32[2 * at + ACTIONS] as number;
export const fraudsOf = ({ u32 }: Arena, at: number): number => u32[2 * at + FRAUDS] as number;
/** When the last fraud was reported. */
export const fraudAt = ({ u32 }: Arena, at: number): number => (u32[2 * at + FRAUD_SECOND] as number) * SECOND;
export const paymentsOf = ({ u32 }: Arena, at: number): number => u32[2 * at + PAYMENTS] as number;

/** Adds a new entity, with an empty history, as the last of a group. */
export const addHistory = (
  arena: Arena,
  before: number,
  kind: number,
  key: number,
  check: number,
  moment: number,
): number => {
  const group = addEntity(arena, before, kind, key, check, HEAD);
  const at = historyAt(arena, group, entityCount(arena, group) - 1);
  arena.f64.fill(0, at, at + HEAD);
  arena.u32[2 * at + FIRST] = secondOf(moment);
  arena.f64[at + LAST_AT] = moment;
  return group;
};

const relatedIdOf = (relation: number, hash: number): number =>
  (((KIND_CODES[relation] as number) << HASH_BITS) | (hash & HASH_MASK)) >>> 0;

/** The position in halves of a related entity in the history; 0 if it is not there. */
const findRelated = ({ u32 }: Arena, at: number, stride: number, count: number, id: number): number => {
  const first = 2 * (at + HEAD);
  for (let i = first; i < first + count * stride; i += stride) if (u32[i] === id) return i;
  return 0;
};

/** How long ago in milliseconds, to the second, a user and another entity were first seen together; NaN if never. */
export const pairAge = (arena: Arena, at: number, relation: number, hash: number, now: number): number => {
  const found = findRelated(arena, at, RELATED_OF_USER, relatedCount(arena, at), relatedIdOf(relation, hash));
  if (found === 0) return Number.NaN;
  return Math.max(0, secondOf(now) - (arena.u32[found + 2] as number)) * SECOND;
};

/**
 * How long ago in milliseconds, to the second, an entity other than a user was first seen with a token; NaN if never.
 */
export const tokenAge = (
  arena: Arena,
  at: number,
  kind: number,
  relation: number,
  hash: number,
  now: number,
): number => {
  const found = findRelated(arena, at, relatedStride(kind), relatedCount(arena, at), relatedIdOf(relation, hash));
  if (found === 0) return Number.NaN;
  return Math.max(0, secondOf(now) - (arena.u32[found + 1] as number)) * SECOND;
};

/** Fills in the last place of the user, and when they were there, to the second; both 0 if there is none. */
export const lastPlace = ({ u32 }: Arena, at: number, found: { place: number; at: number }): void => {
  const first = 2 * (at + HEAD);
  const end = first + (u32[2 * at] as number) * RELATED_OF_USER;
  let last = 0;
  for (let i = first; i < end; i += RELATED_OF_USER) {
    if ((u32[i] as number) >>> HASH_BITS !== PLACE_CODE) continue;
    if (last === 0 || (u32[i + 1] as number) >= (u32[last + 1] as number)) last = i;
  }
  found.place = last === 0 ? 0 : (u32[last] as number) & HASH_MASK;
  found.at = last === 0 ? 0 : (u32[last + 1] as number) * SECOND;
};

/**
 * Adds the related entities to `totals`, one number per window from `distinct[code of the kind]` on, each to the
 * narrowest window in which it was last seen. A negative position means that the kind is not counted.
 */
export const addDistinct = (
  arena: Arena,
  at: number,
  kind: number,
  now: number,
  distinct: Int16Array,
  totals: Float64Array,
): void => {
  const { u32 } = arena;
  const seconds = secondOf(now);
  const stride = relatedStride(kind);
  const first = 2 * (at + HEAD);
  const end = first + relatedCount(arena, at) * stride;
  for (let i = first; i < end; i += stride) {
    const ago = seconds - (u32[i + 1] as number);
    const window = windowOf(ago);
    const from = distinct[(u32[i] as number) >>> HASH_BITS] as number;
    if (window === WINDOW_COUNT || from < 0) continue;
    const place = from + window;
    totals[place] = (totals[place] as number) + 1;
  }
};

/** The least recently seen related entity of a kind, if the history is full of that kind; else 0. */
const leastRecent = ({ u32 }: Arena, at: number, stride: number, count: number, relation: number): number => {
  if (count < RELATED_MAX) return 0;
  const code = KIND_CODES[relation] as number;
  const first = 2 * (at + HEAD);
  let found = 0;
  let oldest = 0;
  for (let i = first; i < first + count * stride; i += stride) {
    if ((u32[i] as number) >>> HASH_BITS !== code) continue;
    found++;
    if (oldest === 0 || (u32[i + 1] as number) < (u32[oldest + 1] as number)) oldest = i;
  }
  return found < RELATED_MAX ? 0 : oldest;
};

const writeRelated = ({ u32 }: Arena, half: number, stride: number, id: number, second: number): void => {
  u32[half] = id;
  u32[half + 1] = second;
  if (stride === RELATED_OF_USER) u32[half + 2] = second;
};

/** The indexes of the related kinds, by entity kind. */
export const RELATION_INDEXES: readonly (readonly number[])[] = ENTITY_KINDS.map((kind) =>
  RELATIONS[kind].map((other) => kindIndex[other]),
);
/** Ids of related entities to be added. Reused between calls. */
const newcomers = new Uint32Array(RELATED_KINDS.length);

/** Records the related entities of a subject. Returns the number of `newcomers`, which need more words. */
const recordRelated = (arena: Arena, at: number, kind: number, subject: Observation, second: number): number => {
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
    // Only the first use of a token counts. Otherwise a token in frequent use would never be old.
    if (known !== 0 && other === kindIndex.token) continue;
    const replaced = known === 0 ? leastRecent(arena, at, stride, count, other) : 0;
    if (known !== 0) arena.u32[known + 1] = second;
    else if (replaced !== 0) writeRelated(arena, replaced, stride, id, second);
    else newcomers[newCount++] = id;
  }
  return newCount;
};

const addAmount = ({ f64, u32 }: Arena, at: number, amount: number): void => {
  const payments = (u32[2 * at + PAYMENTS] as number) + 1;
  const delta = amount - (f64[at + MEAN] as number);
  const mean = (f64[at + MEAN] as number) + delta / payments;
  u32[2 * at + PAYMENTS] = payments;
  f64[at + MEAN] = mean;
  f64[at + M2] = (f64[at + M2] as number) + delta * (amount - mean);
  if (amount > (f64[at + MAXIMUM] as number)) f64[at + MAXIMUM] = amount;
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
  for (let i = 0; i < newCount; i++) {
    writeRelated(arena, 2 * (at + HEAD) + (related + i) * stride, stride, newcomers[i] as number, secondOf(moment));
  }
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
  // After a clock is set back, a later subject is never counted earlier than the ones before it.
  const moment = Math.max(subject.at, arena.f64[at + LAST_AT] as number);
  const known = !Number.isNaN(subject.dollars);
  arena.f64[at + LAST_AT] = moment;
  arena.u32[2 * at + ACTIONS] = actionsOf(arena, at) + 1;
  if (known) addAmount(arena, at, subject.dollars);
  const newCount = recordRelated(arena, at, kind, subject, secondOf(moment));
  return countActivity(arena, before, index, kind, moment, activity, known ? subject.dollars : 0, newCount);
};
