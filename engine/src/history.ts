import { ENTITY_KINDS, kindIndex, RELATIONS } from './entity.ts';
import type { Subject } from './subject.ts';
import { COUNTED } from './subject.ts';
import { type Cells, countIn } from './windows.ts';

/** What is remembered of one entity. A plain fold over the subjects it took part in. */
export interface History {
  firstAt: number;
  lastAt: number;
  /** Everything it took part in. */
  actions: number;
  /** Payments with a known amount, and the running mean and sum of squared deviations of that amount in dollars. */
  payments: number;
  mean: number;
  m2: number;
  maximum: number;
  cells: Cells;
  /** Entities it was seen with: `[relation and hash, first time, last time]` flattened. */
  related: number[];
}

export const newHistory = (at: number): History => ({
  firstAt: at,
  lastAt: at,
  actions: 0,
  payments: 0,
  mean: 0,
  m2: 0,
  maximum: 0,
  cells: [],
  related: [],
});

export const RELATED_STRIDE = 3;
/** How many of each kind are remembered, the most recent: a count that reaches it reads "this many or more". */
export const RELATED_MAX = 32;
const HASH_SPACE = 2 ** 48;

export const relatedKey = (relation: number, hash: number): number => relation * HASH_SPACE + hash;
export const relationOf = (key: number): number => Math.floor(key / HASH_SPACE);

/** For each kind of entity: the indexes of the kinds it relates to. */
export const RELATION_INDEXES: readonly (readonly number[])[] = ENTITY_KINDS.map((kind) =>
  RELATIONS[kind].map((other) => kindIndex[other]),
);

/** Where the pair stands in `related`, or -1. */
export const findRelated = (related: readonly number[], key: number): number => {
  for (let i = 0; i < related.length; i += RELATED_STRIDE) if (related[i] === key) return i;
  return -1;
};

const meet = (related: number[], relation: number, hash: number, at: number): void => {
  const key = relatedKey(relation, hash);
  let count = 0;
  let oldest = -1;
  for (let i = 0; i < related.length; i += RELATED_STRIDE) {
    const other = related[i] as number;
    if (other === key) {
      related[i + 2] = at;
      return;
    }
    if (relationOf(other) !== relation) continue;
    count++;
    if (oldest < 0 || (related[i + 2] as number) < (related[oldest + 2] as number)) oldest = i;
  }
  if (count < RELATED_MAX) {
    related.push(key, at, at);
    return;
  }
  related[oldest] = key;
  related[oldest + 1] = at;
  related[oldest + 2] = at;
};

const TRANSACTIONS = COUNTED.indexOf('transactions');
const SMALL_TRANSACTIONS = COUNTED.indexOf('small_transactions');
export const isPayment = (counted: number): boolean => counted === TRANSACTIONS || counted === SMALL_TRANSACTIONS;

const observeOne = (history: History, kind: number, subject: Subject): void => {
  // A clock set back must not reorder the cells: what comes later is never counted earlier.
  const at = Math.max(subject.at, history.lastAt);
  const amount = subject.dollars;
  const known = !Number.isNaN(amount);
  countIn(history.cells, at, subject.counted, known ? amount : 0);
  history.actions++;
  history.lastAt = at;
  if (known) {
    history.payments++;
    const delta = amount - history.mean;
    history.mean += delta / history.payments;
    history.m2 += delta * (amount - history.mean);
    if (amount > history.maximum) history.maximum = amount;
  }
  for (const other of RELATION_INDEXES[kind] as readonly number[]) {
    if (subject.entities[other] !== undefined) meet(history.related, other, subject.hashes[other] as number, at);
  }
};

/** Folds the subject into the history of everything it involves. One history per entity kind, where there is one. */
export const observe = (subject: Subject, histories: readonly (History | undefined)[]): void => {
  for (let kind = 0; kind < histories.length; kind++) {
    const history = histories[kind];
    if (history !== undefined) observeOne(history, kind, subject);
  }
};

const HEAD = 9;

/** How many numbers `writeHistory` writes. */
export const historySize = (history: History): number => HEAD + history.cells.length + history.related.length;

export const writeHistory = (history: History, to: Float64Array, at: number): number => {
  to[at] = history.firstAt;
  to[at + 1] = history.lastAt;
  to[at + 2] = history.actions;
  to[at + 3] = history.payments;
  to[at + 4] = history.mean;
  to[at + 5] = history.m2;
  to[at + 6] = history.maximum;
  to[at + 7] = history.cells.length;
  to[at + 8] = history.related.length;
  to.set(history.cells, at + HEAD);
  to.set(history.related, at + HEAD + history.cells.length);
  return at + historySize(history);
};

export const readHistory = (from: Float64Array, at: number): History => {
  const cells = at + HEAD;
  const related = cells + (from[at + 7] as number);
  return {
    firstAt: from[at] as number,
    lastAt: from[at + 1] as number,
    actions: from[at + 2] as number,
    payments: from[at + 3] as number,
    mean: from[at + 4] as number,
    m2: from[at + 5] as number,
    maximum: from[at + 6] as number,
    cells: Array.from(from.subarray(cells, related)),
    related: Array.from(from.subarray(related, related + (from[at + 8] as number))),
  };
};
