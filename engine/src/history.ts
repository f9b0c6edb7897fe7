import { ENTITY_KINDS, kindIndex, RELATIONS } from './entity.ts';
import type { Subject } from './subject.ts';
import { countIn } from './windows.ts';

/**
 * What is remembered of one entity: a fold over the subjects it took part in, flat in one list of numbers, because hundreds of
 * thousands are kept in memory and an object each would take three times the room. First the numbers named below, then the
 * entities it was seen with (RELATED numbers each: which, first time, last time), then the cells of its windows.
 */
export type History = number[];

export const FIRST_AT = 0;
export const LAST_AT = 1;
/** Everything it took part in. */
export const ACTIONS = 2;
/** Payments with a known amount, then the running mean, sum of squared deviations and maximum of that amount in dollars. */
export const PAYMENTS = 3;
export const MEAN = 4;
export const M2 = 5;
export const MAXIMUM = 6;
/** Where the cells begin. */
export const CELLS_AT = 7;
export const RELATED_AT = 8;
export const RELATED = 3;

export const newHistory = (at: number): History => [at, at, 0, 0, 0, 0, 0, RELATED_AT];

/** How many of each kind are remembered, the most recent: a count that reaches it reads "this many or more". */
export const RELATED_MAX = 32;
const HASH_SPACE = 2 ** 48;

export const relatedKey = (relation: number, hash: number): number => relation * HASH_SPACE + hash;
export const relationOf = (key: number): number => Math.floor(key / HASH_SPACE);

/** For each kind of entity: the indexes of the kinds it relates to. */
const RELATION_INDEXES: readonly (readonly number[])[] = ENTITY_KINDS.map((kind) =>
  RELATIONS[kind].map((other) => kindIndex[other]),
);

/** Where the pair stands, or -1. */
export const findRelated = (history: History, key: number): number => {
  const end = history[CELLS_AT] as number;
  for (let i = RELATED_AT; i < end; i += RELATED) if (history[i] === key) return i;
  return -1;
};

/** The one of its kind that was not seen for longest, when there are as many as are remembered; else -1. */
const leastRecent = (history: History, relation: number): number => {
  const end = history[CELLS_AT] as number;
  if (end - RELATED_AT < RELATED_MAX * RELATED) return -1;
  let count = 0;
  let oldest = -1;
  for (let i = RELATED_AT; i < end; i += RELATED) {
    if (relationOf(history[i] as number) !== relation) continue;
    count++;
    if (oldest < 0 || (history[i + 2] as number) < (history[oldest + 2] as number)) oldest = i;
  }
  return count < RELATED_MAX ? -1 : oldest;
};

const meet = (history: History, relation: number, hash: number, at: number): void => {
  const key = relatedKey(relation, hash);
  const known = findRelated(history, key);
  if (known >= 0) {
    history[known + 2] = at;
    return;
  }
  const replaced = leastRecent(history, relation);
  if (replaced >= 0) {
    history[replaced] = key;
    history[replaced + 1] = at;
    history[replaced + 2] = at;
    return;
  }
  const end = history[CELLS_AT] as number;
  history.push(0, 0, 0);
  // By hand: `copyWithin` takes the slow road for lists of doubles, which cost as much as the rest of the fold.
  for (let i = history.length - 1; i >= end + RELATED; i--) history[i] = history[i - RELATED] as number;
  history[end] = key;
  history[end + 1] = at;
  history[end + 2] = at;
  history[CELLS_AT] = end + RELATED;
};

const observeOne = (history: History, kind: number, subject: Subject): void => {
  // A clock set back must not reorder the cells: what comes later is never counted earlier.
  const at = Math.max(subject.at, history[LAST_AT] as number);
  const amount = subject.dollars;
  const known = !Number.isNaN(amount);
  for (const other of RELATION_INDEXES[kind] as readonly number[]) {
    if (subject.entities[other] !== undefined) meet(history, other, subject.hashes[other] as number, at);
  }
  countIn(history, history[CELLS_AT] as number, at, subject.counted, known ? amount : 0);
  history[ACTIONS] = (history[ACTIONS] as number) + 1;
  history[LAST_AT] = at;
  if (!known) return;
  const payments = (history[PAYMENTS] as number) + 1;
  const delta = amount - (history[MEAN] as number);
  const mean = (history[MEAN] as number) + delta / payments;
  history[PAYMENTS] = payments;
  history[MEAN] = mean;
  history[M2] = (history[M2] as number) + delta * (amount - mean);
  if (amount > (history[MAXIMUM] as number)) history[MAXIMUM] = amount;
};

/** Folds the subject into the history of everything it involves. One history per entity kind, where there is one. */
export const observe = (subject: Subject, histories: readonly (History | undefined)[]): void => {
  for (let kind = 0; kind < histories.length; kind++) {
    const history = histories[kind];
    if (history !== undefined) observeOne(history, kind, subject);
  }
};
