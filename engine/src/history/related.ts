import { ENTITY_KINDS, kindIndex, RELATED_KINDS, RELATIONS, type RelatedKind } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import type { Arena } from './arena.ts';
import { HISTORY_HEAD, relatedCount, secondOf } from './history-layout.ts';
import { hasSucceeded, pairDays, updatePair, writePair } from './pair.ts';
import { WINDOW_COUNT, windowOf } from './windows.ts';

/**
 * The related entities of a history: those that took part in a subject together with its entity. Each has an id and the
 * second they were last seen together. In the history of a user the two are a pair (`pair.ts`), which has more. The id
 * is the kind and 28 bits of the key: one of 32 entities is mistaken for another once in 8 million.
 */

/** The most recent related entities stored per kind. A count that reaches this number means "this many or more". */
export const RELATED_MAX = 32;
/** Fewer, since most payees with an amount occur once. Those of several days stay longest. */
const RECURRING_MAX = 16;
/** Halves per related entity. */
const RELATED = 2;
export const RELATED_OF_USER = 5;
export const HASH_BITS = 28;
const CODES = 2 ** (32 - HASH_BITS);
if (RELATED_KINDS.length > CODES) throw new Error('a history has no room for so many kinds');
/** The stored code of each kind. Kinds that were added later come last, so that stored histories stay valid. */
const LATER_KINDS: readonly RelatedKind[] = ['likeness', 'token', 'shipping', 'recurring', 'account'];
export const STORED_KINDS = [...RELATED_KINDS.filter((kind) => !LATER_KINDS.includes(kind)), ...LATER_KINDS];
export const KIND_CODES: readonly number[] = RELATED_KINDS.map((kind) => STORED_KINDS.indexOf(kind));
const RECURRING_CODE = STORED_KINDS.indexOf('recurring');
export const HASH_MASK = 2 ** HASH_BITS - 1;
export const SECOND = 1000;
export const FIRST_HALF = 2 * HISTORY_HEAD;

export const relatedStride = (kind: number): number => (kind === kindIndex.user ? RELATED_OF_USER : RELATED);

/**
 * The part of a subject that a history needs. It may be stored and applied later; then the low 28 bits of each hash
 * suffice, if not all 0.
 */
export interface Observation extends Pick<Subject, 'at' | 'dollars' | 'isFailed' | 'isImported'> {
  readonly hashes: ArrayLike<number>;
}

/** The indexes of the related kinds, by entity kind. */
export const RELATION_INDEXES: readonly (readonly number[])[] = ENTITY_KINDS.map((kind) =>
  RELATIONS[kind].map((other) => kindIndex[other]),
);
const USER_RELATIONS = RELATION_INDEXES[kindIndex.user] as readonly number[];

export const relatedIdOf = (relation: number, hash: number): number =>
  (((KIND_CODES[relation] as number) << HASH_BITS) | (hash & HASH_MASK)) >>> 0;

/** The part of a key that a history keeps of a related entity. */
export const relatedBits = (hash: number): number => hash & HASH_MASK;

/** These parts of all related entities of a kind. */
export const relatedBitsOf = (arena: Arena, at: number, kind: number, relation: number): number[] => {
  const stride = relatedStride(kind);
  const first = 2 * at + FIRST_HALF;
  const found: number[] = [];
  for (let i = first; i < first + relatedCount(arena, at) * stride; i += stride) {
    const id = arena.u32[i] as number;
    if (id >>> HASH_BITS === KIND_CODES[relation]) found.push(relatedBits(id));
  }
  return found;
};

/** The position in halves of a related entity in the history; 0 if it is not there. */
export const findRelated = ({ u32 }: Arena, at: number, stride: number, count: number, id: number): number => {
  const first = 2 * at + FIRST_HALF;
  for (let i = first; i < first + count * stride; i += stride) if (u32[i] === id) return i;
  return 0;
};

/** By code of the kind: the id of the subject's entity, 0 for none. Reused between calls. */
export const wanted = new Uint32Array(CODES);
/** By code of the kind: the position in halves of the pair of user and entity, 0 for none. Reused between calls. */
const pairs = new Uint32Array(CODES);
/** By code of the kind: the number of related entities in the history. Reused between calls. */
const counts = new Uint32Array(CODES);
/** By code of the kind: the last second with another entity that had a success, 0 for none. Reused between calls. */
export const lastWithOther = new Uint32Array(CODES);
export const USER_CODES = Uint8Array.from(USER_RELATIONS, (relation) => KIND_CODES[relation] as number);

/** Finds the pairs of a user with the entities of a subject, all in one pass. The result is valid until the next call. */
export const findPairs = (arena: Arena, at: number, hashes: ArrayLike<number>): Uint32Array => {
  const { u32 } = arena;
  for (let i = 0; i < USER_CODES.length; i++) {
    const code = USER_CODES[i] as number;
    const hash = hashes[USER_RELATIONS[i] as number] as number;
    // The code of a user is 0, and no user is related to a user. So no id is 0.
    wanted[code] = hash === 0 ? 0 : (code << HASH_BITS) | (hash & HASH_MASK);
    pairs[code] = 0;
    counts[code] = 0;
    lastWithOther[code] = 0;
  }
  const first = 2 * at + FIRST_HALF;
  const end = first + relatedCount(arena, at) * RELATED_OF_USER;
  for (let i = first; i < end; i += RELATED_OF_USER) {
    const id = u32[i] as number;
    const code = id >>> HASH_BITS;
    counts[code] = (counts[code] as number) + 1;
    if (wanted[code] === id) pairs[code] = i;
    else if (hasSucceeded(arena, i))
      lastWithOther[code] = Math.max(lastWithOther[code] as number, u32[i + 1] as number);
  }
  return pairs;
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
  const first = 2 * at + FIRST_HALF;
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
export const leastRecent = ({ u32 }: Arena, at: number, stride: number, count: number, relation: number): number => {
  if (count < RELATED_MAX) return 0;
  const code = KIND_CODES[relation] as number;
  const first = 2 * at + FIRST_HALF;
  let found = 0;
  let oldest = 0;
  for (let i = first; i < first + count * stride; i += stride) {
    if ((u32[i] as number) >>> HASH_BITS !== code) continue;
    found++;
    if (oldest === 0 || (u32[i + 1] as number) < (u32[oldest + 1] as number)) oldest = i;
  }
  return found < RELATED_MAX ? 0 : oldest;
};

/** The payee with an amount that was seen least recently, if possible one that was not repeated on another day. */
const leastRecurring = (arena: Arena, at: number, count: number): number => {
  const { u32 } = arena;
  const first = 2 * at + FIRST_HALF;
  let found = 0;
  for (let i = first; i < first + count * RELATED_OF_USER; i += RELATED_OF_USER) {
    if ((u32[i] as number) >>> HASH_BITS !== RECURRING_CODE) continue;
    const repeated = Number(pairDays(arena, i) > 1);
    const isBetter =
      found === 0 ||
      repeated < Number(pairDays(arena, found) > 1) ||
      (repeated === Number(pairDays(arena, found) > 1) && (u32[i + 1] as number) < (u32[found + 1] as number));
    if (isBetter) found = i;
  }
  return found;
};

/** The pair of a kind that a new one replaces; 0 if there is room. */
export const replacedPair = (arena: Arena, at: number, count: number, index: number): number => {
  const code = USER_CODES[index] as number;
  if (code === RECURRING_CODE) return (counts[code] as number) < RECURRING_MAX ? 0 : leastRecurring(arena, at, count);
  if ((counts[code] as number) < RELATED_MAX) return 0;
  return leastRecent(arena, at, RELATED_OF_USER, count, USER_RELATIONS[index] as number);
};

/** Ids of related entities to be added. Reused between calls. */
export const newcomers = new Uint32Array(RELATED_KINDS.length);

/** Records the entities related to a user. Returns the number of `newcomers`. */
const recordPairs = (arena: Arena, at: number, subject: Observation, second: number, isPayment: boolean): number => {
  const found = findPairs(arena, at, subject.hashes);
  const count = relatedCount(arena, at);
  let newCount = 0;
  for (let i = 0; i < USER_CODES.length; i++) {
    const code = USER_CODES[i] as number;
    const id = wanted[code] as number;
    const pair = found[code] as number;
    if (pair !== 0) updatePair(arena, pair, second, subject.isFailed, isPayment);
    else if (id !== 0) {
      const replaced = replacedPair(arena, at, count, i);
      if (replaced !== 0) writePair(arena, replaced, id, second, subject.isFailed, isPayment);
      else newcomers[newCount++] = id;
    }
  }
  return newCount;
};

/** Records the related entities of a subject. Returns the number of `newcomers`, which need more words. */
export const recordRelated = (
  arena: Arena,
  at: number,
  kind: number,
  subject: Observation,
  second: number,
  isPayment: boolean,
): number => {
  if (kind === kindIndex.user) return recordPairs(arena, at, subject, second, isPayment);
  const count = relatedCount(arena, at);
  const relations = RELATION_INDEXES[kind] as readonly number[];
  let newCount = 0;
  for (let i = 0; i < relations.length; i++) {
    const other = relations[i] as number;
    const hash = subject.hashes[other] as number;
    if (hash === 0) continue;
    const id = relatedIdOf(other, hash);
    const known = findRelated(arena, at, RELATED, count, id);
    // Only the first use of a token counts. Otherwise a token in frequent use would never be old.
    if (known !== 0 && other === kindIndex.token) continue;
    const replaced = known === 0 ? leastRecent(arena, at, RELATED, count, other) : 0;
    const half = known === 0 ? replaced : known;
    if (half === 0) newcomers[newCount++] = id;
    else {
      arena.u32[half] = id;
      arena.u32[half + 1] = second;
    }
  }
  return newCount;
};

/** Writes the newcomers of a subject behind the `count` related entities that a history has. */
export const writeNewcomers = (
  arena: Arena,
  at: number,
  kind: number,
  count: number,
  newCount: number,
  second: number,
  isFailed: boolean,
  isPayment: boolean,
): void => {
  const stride = relatedStride(kind);
  for (let i = 0; i < newCount; i++) {
    const half = 2 * at + FIRST_HALF + (count + i) * stride;
    const id = newcomers[i] as number;
    if (stride === RELATED_OF_USER) writePair(arena, half, id, second, isFailed, isPayment);
    else {
      arena.u32[half] = id;
      arena.u32[half + 1] = second;
    }
  }
};
