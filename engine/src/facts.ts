import { ENTITY_KINDS, type EntityKind, kindIndex, RELATIONS } from './entity.ts';
import {
  ACTIONS,
  CELLS_AT,
  FIRST_AT,
  findRelated,
  type History,
  LAST_AT,
  M2,
  MAXIMUM,
  MEAN,
  PAYMENTS,
  RELATED,
  RELATED_AT,
  relatedKey,
  relationOf,
} from './history.ts';
import { COUNTED, type Counted, type Subject } from './subject.ts';
import { addWindows, WINDOW_COUNT, WINDOWS, widen } from './windows.ts';

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
const ABSENT_WHEN_NEW = ['age_ms', 'idle_ms', 'amount_mean', 'amount_deviation', 'amount_max'] as const;

const names: string[] = ['dollars'];
const windowed = (name: string): number => {
  const at = names.length;
  for (const window of WINDOWS) names.push(`${name}.${window.name}`);
  return at;
};

interface Layout {
  readonly scalars: number;
  readonly amount: number;
  /** By what is counted: where its windows begin, or -1 where it is not kept. */
  readonly counts: Int16Array;
  /** Where a count also goes: every payment, small or not, is a transaction. */
  readonly also: Int16Array;
  /** By the index of the other kind: where the windows of distinct ones begin. */
  readonly distinct: Int16Array;
  readonly end: number;
}

const layoutOf = (kind: EntityKind): Layout => {
  const scalars = names.push(...SCALARS.map((scalar) => `${kind}.${scalar}`)) - SCALARS.length;
  const counts = new Int16Array(COUNTED.length).fill(-1);
  const also = new Int16Array(COUNTED.length).fill(-1);
  const distinct = new Int16Array(ENTITY_KINDS.length).fill(-1);
  const transactions = windowed(`${kind}.transactions`);
  counts[COUNTED.indexOf('transactions')] = transactions;
  also[COUNTED.indexOf('small_transactions')] = transactions;
  const amount = windowed(`${kind}.amount`);
  for (const of of COUNTED_OF[kind]) counts[COUNTED.indexOf(of)] = windowed(`${kind}.${of}`);
  for (const other of RELATIONS[kind]) distinct[kindIndex[other]] = windowed(`${kind}.distinct_${other}`);
  return { scalars, amount, counts, also, distinct, end: names.length };
};
/** Where each kind's facts stand in the flat array. */
const layouts: readonly Layout[] = ENTITY_KINDS.map(layoutOf);

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

const WINDOW_MS = Float64Array.from(WINDOWS, ({ granule, granules }) => granule * granules);

/** Each in the narrowest window it was seen in; `widen` does the rest. */
const measureDistinct = (history: History, distinct: Int16Array, now: number, facts: Facts): void => {
  const cells = history[CELLS_AT] as number;
  for (let i = RELATED_AT; i < cells; i += RELATED) {
    const ago = now - (history[i + 2] as number);
    let window = 0;
    while (window < WINDOW_COUNT && ago >= (WINDOW_MS[window] as number)) window++;
    if (window === WINDOW_COUNT) continue;
    const at = (distinct[relationOf(history[i] as number)] as number) + window;
    facts[at] = (facts[at] as number) + 1;
  }
};

/** Fills in what is known at `now` of one entity with a history. */
export const measureEntity = (kind: number, history: History, now: number, facts: Facts): void => {
  const { scalars, amount, counts, also, distinct, end } = layouts[kind] as Layout;
  const payments = history[PAYMENTS] as number;
  let at = scalars;
  facts[at++] = now - (history[FIRST_AT] as number);
  facts[at++] = now - (history[LAST_AT] as number);
  facts[at++] = history[ACTIONS] as number;
  facts[at++] = payments;
  facts[at++] = payments > 0 ? (history[MEAN] as number) : Number.NaN;
  facts[at++] = payments > 1 ? Math.sqrt((history[M2] as number) / (payments - 1)) : Number.NaN;
  facts[at++] = payments > 0 ? (history[MAXIMUM] as number) : Number.NaN;
  facts.fill(0, at, end);
  addWindows(history, history[CELLS_AT] as number, now, facts, amount, counts, also);
  measureDistinct(history, distinct, now, facts);
  widen(facts, at, end);
};

/** An entity that was never seen before: nothing counted, no age, no mean. */
const measureNew = ({ scalars, end }: Layout, facts: Facts): void => {
  facts.fill(0, scalars, end);
  for (const scalar of ABSENT_WHEN_NEW) facts[scalars + SCALARS.indexOf(scalar)] = Number.NaN;
};

/**
 * Fills `facts` with what was known before the subject: the histories must not hold it yet. `histories` has one per
 * entity kind, undefined for one that was never seen.
 */
export const measure = (subject: Subject, histories: readonly (History | undefined)[], facts: Facts): void => {
  facts[0] = subject.dollars;
  for (let kind = 0; kind < layouts.length; kind++) {
    const layout = layouts[kind] as Layout;
    const history = histories[kind];
    if (subject.entities[kind] === undefined) facts.fill(Number.NaN, layout.scalars, layout.end);
    else if (history === undefined) measureNew(layout, facts);
    else measureEntity(kind, history, Math.max(subject.at, history[LAST_AT] as number), facts);
  }
  const user = histories[kindIndex.user];
  for (const { relation, at } of PAIRS) {
    const found =
      user === undefined || subject.entities[relation] === undefined
        ? -1
        : findRelated(user, relatedKey(relation, subject.hashes[relation] as number));
    facts[at] = found < 0 ? Number.NaN : Math.max(0, subject.at - (user?.[found + 1] as number));
  }
};
