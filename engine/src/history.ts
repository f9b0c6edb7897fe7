import { ENTITY_KINDS, kindIndex, RELATED_KINDS, RELATIONS, type RelatedKind } from './entity.ts';
import { addEntity, closeGap, entityCount, historyAt, historyEnd, openGap } from './shelf.ts';
import type { Slab } from './slab.ts';
import type { Subject } from './subject.ts';
import { CELL, compactCells, countAgain, countFirst, granuleOf, WINDOW_COUNT, windowOf } from './windows.ts';

/**
 * What is remembered of one entity: a fold over the subjects it took part in, on a shelf. First the words named
 * here, then the entities it was seen with, then the cells of its windows.
 */

/** A change of what stands where, on a shelf, in a history or in a profile, is a new layout: what is on disk is then made anew. */
export const HISTORY_LAYOUT = 2;

/** Halves: how many entities it was seen with, and the second it was first seen. */
const FIRST = 1;
export const LAST_AT = 1;
/** Halves: everything it took part in, and payments with a known amount. */
const ACTIONS = 4;
const PAYMENTS = 5;
/** The running mean, sum of squared deviations and maximum of that amount in dollars. */
export const MEAN = 3;
export const M2 = 4;
export const MAXIMUM = 5;
/** Halves: how often it took part in fraud, as far as is known, and the second the last became known. */
export const FRAUDS = 12;
export const FRAUD_SECOND = 13;
const HEAD = 7;

/** How many of each kind are remembered, the most recent: a count that reaches it reads "this many or more". */
export const RELATED_MAX = 32;
/**
 * Halves to an entity it was seen with: which (its kind, and 28 bits of its hash: one of 32 is taken for another once in 8 million),
 * the second it was last seen and, for those of a user, the second it was first seen.
 */
const RELATED = 2;
const RELATED_OF_USER = 3;
export const HASH_BITS = 28;
if (RELATED_KINDS.length > 2 ** (32 - HASH_BITS)) throw new Error('a history has no room for so many kinds');
/** The number that stands for a kind in a history: of those that came later, behind all that were there, so that what is on disk keeps its meaning. */
const LATER: readonly RelatedKind[] = ['likeness', 'token'];
const STORED_KINDS = [...RELATED_KINDS.filter((kind) => !LATER.includes(kind)), ...LATER];
export const KIND_CODES: readonly number[] = RELATED_KINDS.map((kind) => STORED_KINDS.indexOf(kind));
const codeOf = (kind: RelatedKind): number => STORED_KINDS.indexOf(kind);
const [USER_CODE, PLACE_CODE] = [codeOf('user'), codeOf('place')];
const HASH_MASK = 2 ** HASH_BITS - 1;
const SECOND = 1000;
export const secondOf = (moment: number): number => Math.floor(moment / SECOND);

const strideOf = (kind: number): number => (kind === kindIndex.user ? RELATED_OF_USER : RELATED);
const wordsFor = (halves: number): number => (halves + 1) >>> 1;
const relatedCount = ({ u32 }: Slab, at: number): number => u32[2 * at] as number;
const setRelatedCount = ({ u32 }: Slab, at: number, count: number): void => {
  u32[2 * at] = count;
};

/** What a history takes from a subject. It may also be kept apart from it, to be folded in later: of each hash the low 28 bits are enough, if any is left. */
export interface Observed extends Pick<Subject, 'at' | 'dollars'> {
  readonly hashes: ArrayLike<number>;
}

/** A history on a shelf begins here. Its cells end where it ends. */
export const cellsFirst = (slab: Slab, at: number, kind: number): number =>
  at + HEAD + wordsFor(relatedCount(slab, at) * strideOf(kind));
export const firstAt = ({ u32 }: Slab, at: number): number => (u32[2 * at + FIRST] as number) * SECOND;
export const actionsOf = ({ u32 }: Slab, at: number): number => u32[2 * at + ACTIONS] as number;
export const fraudsOf = ({ u32 }: Slab, at: number): number => u32[2 * at + FRAUDS] as number;
/** When the last fraud became known. */
export const fraudAt = ({ u32 }: Slab, at: number): number => (u32[2 * at + FRAUD_SECOND] as number) * SECOND;
export const paymentsOf = ({ u32 }: Slab, at: number): number => u32[2 * at + PAYMENTS] as number;

/** Puts the history of an entity that is seen for the first time on a shelf, as its last. */
export const addHistory = (slab: Slab, before: number, key: number, moment: number): number => {
  const shelf = addEntity(slab, before, key, HEAD);
  const at = historyAt(slab, shelf, entityCount(slab, shelf) - 1);
  slab.f64.fill(0, at, at + HEAD);
  slab.u32[2 * at + FIRST] = secondOf(moment);
  slab.f64[at + LAST_AT] = moment;
  return shelf;
};

const whichOf = (relation: number, hash: number): number =>
  (((KIND_CODES[relation] as number) << HASH_BITS) | (hash & HASH_MASK)) >>> 0;

/** Where, in halves, the other entity stands in the history; 0 when it does not. */
const findRelated = ({ u32 }: Slab, at: number, stride: number, count: number, which: number): number => {
  const first = 2 * (at + HEAD);
  for (let i = first; i < first + count * stride; i += stride) if (u32[i] === which) return i;
  return 0;
};

/** How long ago in milliseconds, to the second, the user and the other were first seen together; NaN when never. */
export const pairAge = (slab: Slab, at: number, relation: number, hash: number, now: number): number => {
  const found = findRelated(slab, at, RELATED_OF_USER, relatedCount(slab, at), whichOf(relation, hash));
  if (found === 0) return Number.NaN;
  return Math.max(0, secondOf(now) - (slab.u32[found + 2] as number)) * SECOND;
};

/** How long ago in milliseconds, to the second, another entity than a user was first seen with a token; NaN when never. */
export const firstToken = (
  slab: Slab,
  at: number,
  kind: number,
  relation: number,
  hash: number,
  now: number,
): number => {
  const found = findRelated(slab, at, strideOf(kind), relatedCount(slab, at), whichOf(relation, hash));
  if (found === 0) return Number.NaN;
  return Math.max(0, secondOf(now) - (slab.u32[found + 1] as number)) * SECOND;
};

/** The place the user was last seen at and when, to the second; nothing when at none yet. */
export const lastPlace = ({ u32 }: Slab, at: number, found: { place: number; at: number }): void => {
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
 * Adds one to `totals` for each entity it was seen with: from `distinct[its kind's code]` on, one number per window, in the narrowest one
 * it was last seen in. Below 0: none of that kind is counted.
 */
export const addDistinct = (
  slab: Slab,
  at: number,
  kind: number,
  now: number,
  distinct: Int16Array,
  totals: Float64Array,
): void => {
  const { u32 } = slab;
  const seconds = secondOf(now);
  const stride = strideOf(kind);
  const first = 2 * (at + HEAD);
  const end = first + relatedCount(slab, at) * stride;
  for (let i = first; i < end; i += stride) {
    const ago = seconds - (u32[i + 1] as number);
    const window = windowOf(ago);
    const from = distinct[(u32[i] as number) >>> HASH_BITS] as number;
    if (window === WINDOW_COUNT || from < 0) continue;
    const place = from + window;
    totals[place] = (totals[place] as number) + 1;
  }
};

/**
 * Whether a history could be that of an entity of this kind: it does not say itself whose it is. Users are told for certain: everyone else was
 * seen with a user first of all, and a user never with one.
 */
export const mayBeOf = (slab: Slab, at: number, kind: number): boolean => {
  const { u32 } = slab;
  const stride = strideOf(kind);
  const first = 2 * (at + HEAD);
  const end = first + relatedCount(slab, at) * stride;
  const isUser = first === end || (u32[first] as number) >>> HASH_BITS !== USER_CODE;
  if (isUser !== (kind === kindIndex.user)) return false;
  const codes = (RELATION_INDEXES[kind] as readonly number[]).map((relation) => KIND_CODES[relation]);
  for (let i = first; i < end; i += stride) if (!codes.includes((u32[i] as number) >>> HASH_BITS)) return false;
  return true;
};

/** The one of its kind that was not seen for longest, when there are as many as are remembered; else 0. */
const leastRecent = ({ u32 }: Slab, at: number, stride: number, count: number, relation: number): number => {
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

const writeRelated = ({ u32 }: Slab, half: number, stride: number, which: number, second: number): void => {
  u32[half] = which;
  u32[half + 1] = second;
  if (stride === RELATED_OF_USER) u32[half + 2] = second;
};

/** For each kind of entity: the indexes of the kinds it relates to. */
export const RELATION_INDEXES: readonly (readonly number[])[] = ENTITY_KINDS.map((kind) =>
  RELATIONS[kind].map((other) => kindIndex[other]),
);
const newcomers = new Uint32Array(RELATED_KINDS.length);

/** Notes whom the entity was seen with. Answers with how many `newcomers` there is no place for yet. */
const meetAll = (slab: Slab, at: number, kind: number, subject: Observed, second: number): number => {
  const stride = strideOf(kind);
  const count = relatedCount(slab, at);
  const relations = RELATION_INDEXES[kind] as readonly number[];
  let waiting = 0;
  for (let i = 0; i < relations.length; i++) {
    const other = relations[i] as number;
    const hash = subject.hashes[other] as number;
    if (hash === 0) continue;
    const which = whichOf(other, hash);
    const known = findRelated(slab, at, stride, count, which);
    // Of a token the first use counts: renewed with each, one that is used often enough would never be old.
    if (known !== 0 && other === kindIndex.token) continue;
    const replaced = known === 0 ? leastRecent(slab, at, stride, count, other) : 0;
    if (known !== 0) slab.u32[known + 1] = second;
    else if (replaced !== 0) writeRelated(slab, replaced, stride, which, second);
    else newcomers[waiting++] = which;
  }
  return waiting;
};

const addAmount = ({ f64, u32 }: Slab, at: number, amount: number): void => {
  const payments = (u32[2 * at + PAYMENTS] as number) + 1;
  const delta = amount - (f64[at + MEAN] as number);
  const mean = (f64[at + MEAN] as number) + delta / payments;
  u32[2 * at + PAYMENTS] = payments;
  f64[at + MEAN] = mean;
  f64[at + M2] = (f64[at + M2] as number) + delta * (amount - mean);
  if (amount > (f64[at + MAXIMUM] as number)) f64[at + MAXIMUM] = amount;
};

/** Counts one more of a kind, and makes room for the `waiting` newcomers. Answers with where the shelf is then. */
const count = (
  slab: Slab,
  before: number,
  index: number,
  kind: number,
  moment: number,
  counted: number,
  dollars: number,
  waiting: number,
): number => {
  let at = historyAt(slab, before, index);
  const first = cellsFirst(slab, at, kind);
  const end = historyEnd(slab, before, index);
  const start = granuleOf(slab, first, end, moment);
  const again = countAgain(slab, first, end, start, counted, dollars);
  if (again && waiting === 0) return before;
  if (!again) {
    const kept = compactCells(slab, first, end, moment);
    if (kept > first) closeGap(slab, before, index, first - before, kept - first);
  }

  const stride = strideOf(kind);
  const related = relatedCount(slab, at);
  const words = wordsFor((related + waiting) * stride) - wordsFor(related * stride) + (again ? 0 : CELL);
  const shelf = words === 0 ? before : openGap(slab, before, index, first - before, words);
  at = historyAt(slab, shelf, index);
  for (let i = 0; i < waiting; i++) {
    writeRelated(slab, 2 * (at + HEAD) + (related + i) * stride, stride, newcomers[i] as number, secondOf(moment));
  }
  setRelatedCount(slab, at, related + waiting);
  const cells = cellsFirst(slab, at, kind);
  // The half that may be left over before the cells: what stood there before is none of the disk's business.
  if (((related + waiting) * stride) % 2 === 1) slab.u32[2 * cells - 1] = 0;
  if (!again) countFirst(slab, cells, start, counted, dollars);
  return shelf;
};

/** Folds the subject, counted as `countedAs` says, into the history of one of its entities, the one numbered `index` on a shelf. Answers with where that is then. */
export const observe = (
  slab: Slab,
  before: number,
  index: number,
  kind: number,
  subject: Observed,
  counted: number,
): number => {
  const at = historyAt(slab, before, index);
  // A clock set back must not make anything older: what comes later is never counted earlier.
  const moment = Math.max(subject.at, slab.f64[at + LAST_AT] as number);
  const known = !Number.isNaN(subject.dollars);
  slab.f64[at + LAST_AT] = moment;
  slab.u32[2 * at + ACTIONS] = actionsOf(slab, at) + 1;
  if (known) addAmount(slab, at, subject.dollars);
  const waiting = meetAll(slab, at, kind, subject, secondOf(moment));
  return count(slab, before, index, kind, moment, counted, known ? subject.dollars : 0, waiting);
};
