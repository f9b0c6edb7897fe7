import { ENTITY_KINDS, type EntityKind, kindIndex, RELATIONS } from './entity.ts';
import { findRelated, type History, RELATED_STRIDE, relatedKey, relationOf } from './history.ts';
import { COUNTED, type Counted, type Subject } from './subject.ts';
import { makeWindowTotals, totalWindows, WINDOW_COUNT, WINDOWS } from './windows.ts';

/** What is worth knowing of each kind of entity, besides payments and their amount, which are known of all. */
const COUNTED_OF: Record<EntityKind, readonly Counted[]> = {
  user: ['small_transactions', 'logins', 'failed_logins', 'changes', 'methods_added'],
  ip: ['small_transactions', 'failed_logins', 'signups'],
  network: ['failed_logins', 'signups'],
  device: ['small_transactions', 'failed_logins', 'signups'],
  fingerprint: ['small_transactions'],
  email: ['failed_logins', 'signups'],
  counterparty: ['small_transactions'],
};

const SCALARS = ['age_ms', 'idle_ms', 'actions', 'payments', 'amount_mean', 'amount_deviation', 'amount_max'] as const;

const names: string[] = ['dollars'];
const windowed = (name: string): number => {
  const at = names.length;
  for (const window of WINDOWS) names.push(`${name}.${window.name}`);
  return at;
};

/** Where each kind's facts stand in the flat array. */
const layouts = ENTITY_KINDS.map((kind) => ({
  scalars: names.push(...SCALARS.map((scalar) => `${kind}.${scalar}`)) - SCALARS.length,
  transactions: windowed(`${kind}.transactions`),
  amount: windowed(`${kind}.amount`),
  counted: COUNTED_OF[kind].map((of) => ({ counted: COUNTED.indexOf(of), at: windowed(`${kind}.${of}`) })),
  distinct: RELATIONS[kind].map((other) => ({ relation: kindIndex[other], at: windowed(`${kind}.distinct_${other}`) })),
  end: names.length,
}));

/** How long ago the user was first seen with each thing that is in the request; NaN when never before. */
const PAIRS = RELATIONS.user.map((other) => ({
  relation: kindIndex[other],
  at: names.push(`user.this_${other}_age_ms`) - 1,
}));

/** Names of all facts, in the order they are stored. A change here is a new FACTS_VERSION. */
export const FACT_NAMES: readonly string[] = names;
export const FACTS_VERSION = 1;

const positions = new Map(names.map((name, index) => [name, index]));

/** Where a fact stands. Asked once, when a module loads. */
export const fact = (name: string): number => {
  const position = positions.get(name);
  if (position === undefined) throw new Error(`no fact is named ${name}`);
  return position;
};

/** What is known at the moment of a decision: a number per name, NaN for what is not known. */
export type Facts = Float64Array;
export const makeFacts = (): Facts => new Float64Array(FACT_NAMES.length);

const totals = makeWindowTotals();
const TRANSACTIONS = COUNTED.indexOf('transactions') * WINDOW_COUNT;
const SMALL_TRANSACTIONS = COUNTED.indexOf('small_transactions') * WINDOW_COUNT;
const WINDOW_MS = WINDOWS.map(({ granule, granules }) => granule * granules);
const distinctAt = new Int32Array(ENTITY_KINDS.length);

const measureDistinct = (history: History, kind: number, now: number, facts: Facts): void => {
  distinctAt.fill(-1);
  const { distinct } = layouts[kind] as (typeof layouts)[number];
  for (const { relation, at } of distinct) {
    distinctAt[relation] = at;
    facts.fill(0, at, at + WINDOW_COUNT);
  }
  const { related } = history;
  for (let i = 0; i < related.length; i += RELATED_STRIDE) {
    const at = distinctAt[relationOf(related[i] as number)] as number;
    const ago = now - (related[i + 2] as number);
    for (let window = WINDOW_COUNT - 1; window >= 0 && ago < (WINDOW_MS[window] as number); window--) {
      facts[at + window] = (facts[at + window] as number) + 1;
    }
  }
};

const measureKnown = (history: History, kind: number, now: number, facts: Facts): void => {
  const layout = layouts[kind] as (typeof layouts)[number];
  totalWindows(history.cells, now, totals);
  const { counts, dollars } = totals;
  const { payments } = history;
  let at = layout.scalars;
  facts[at++] = now - history.firstAt;
  facts[at++] = now - history.lastAt;
  facts[at++] = history.actions;
  facts[at++] = payments;
  facts[at++] = payments > 0 ? history.mean : Number.NaN;
  facts[at++] = payments > 1 ? Math.sqrt(history.m2 / (payments - 1)) : Number.NaN;
  facts[at] = payments > 0 ? history.maximum : Number.NaN;
  for (let window = 0; window < WINDOW_COUNT; window++) {
    facts[layout.transactions + window] =
      (counts[TRANSACTIONS + window] as number) + (counts[SMALL_TRANSACTIONS + window] as number);
    facts[layout.amount + window] = dollars[window] as number;
  }
  for (const { counted, at: first } of layout.counted) {
    for (let window = 0; window < WINDOW_COUNT; window++) {
      facts[first + window] = counts[counted * WINDOW_COUNT + window] as number;
    }
  }
  measureDistinct(history, kind, now, facts);
};

/** A known entity that was never seen before: nothing counted, no age, no mean. */
const measureNew = (kind: number, facts: Facts): void => {
  const { scalars, end } = layouts[kind] as (typeof layouts)[number];
  facts.fill(0, scalars, end);
  facts.fill(Number.NaN, scalars, scalars + 2);
  facts.fill(Number.NaN, scalars + 4, scalars + SCALARS.length);
};

/**
 * Fills `facts` with what was known before the subject: the histories must not hold it yet. `histories` has one per
 * entity kind, undefined for one that was never seen.
 */
export const measure = (subject: Subject, histories: readonly (History | undefined)[], facts: Facts): void => {
  facts[0] = subject.dollars;
  for (let kind = 0; kind < layouts.length; kind++) {
    const { scalars, end } = layouts[kind] as (typeof layouts)[number];
    const history = histories[kind];
    if (subject.entities[kind] === undefined) facts.fill(Number.NaN, scalars, end);
    else if (history === undefined) measureNew(kind, facts);
    else measureKnown(history, kind, Math.max(subject.at, history.lastAt), facts);
  }
  const user = histories[kindIndex.user];
  for (const { relation, at } of PAIRS) {
    const found =
      user === undefined || subject.entities[relation] === undefined
        ? -1
        : findRelated(user.related, relatedKey(relation, subject.hashes[relation] as number));
    facts[at] = found < 0 ? Number.NaN : subject.at - (user?.related[found + 1] as number);
  }
};
