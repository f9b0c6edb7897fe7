import { ENTITY_KINDS, type EntityKind, kindIndex, RELATIONS } from './entity.ts';
import {
  actionsOf,
  addDistinct,
  cellsFirst,
  firstAt,
  fraudAt,
  fraudsOf,
  LAST_AT,
  M2,
  MAXIMUM,
  MEAN,
  pairAge,
  paymentsOf,
} from './history.ts';
import { historyAt, historyEnd } from './shelf.ts';
import type { Slab } from './slab.ts';
import { COUNTED, type Counted, type Subject } from './subject.ts';
import { addWindows, WINDOWS, widen } from './windows.ts';

/** What is worth knowing of each kind of entity, besides payments and their amount, which are known of all. */
const COUNTED_OF: Record<EntityKind, readonly Counted[]> = {
  user: ['small_transactions', 'logins', 'failed_logins', 'changes', 'methods_added', 'frauds', 'legitimates'],
  ip: ['small_transactions', 'failed_logins', 'signups', 'frauds'],
  network: ['failed_logins', 'signups', 'frauds'],
  device: ['small_transactions', 'failed_logins', 'signups', 'frauds'],
  fingerprint: ['small_transactions', 'frauds'],
  email: ['failed_logins', 'signups', 'frauds'],
  counterparty: ['small_transactions', 'frauds', 'legitimates'],
};

/** Known of every entity. */
export const SCALARS = [
  'age_ms',
  'idle_ms',
  'actions',
  'payments',
  'amount_mean',
  'amount_deviation',
  'amount_max',
  'known_frauds',
  'fraud_age_ms',
] as const;
const ABSENT_WHEN_NEW = ['age_ms', 'idle_ms', 'amount_mean', 'amount_deviation', 'amount_max', 'fraud_age_ms'] as const;

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
export const FACTS_VERSION = 2;

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

const WINDOW_SECONDS = Uint32Array.from(WINDOWS, ({ granule, granules }) => (granule * granules) / 1000);

/** Fills in what is known of one entity, the one numbered `index` on a shelf, at `now` or when it was last seen if that is later. */
export const measureEntity = (
  slab: Slab,
  shelf: number,
  index: number,
  kind: number,
  now: number,
  facts: Facts,
): void => {
  const { scalars, amount, counts, also, distinct, end } = layouts[kind] as Layout;
  const { f64 } = slab;
  const history = historyAt(slab, shelf, index);
  const last = f64[history + LAST_AT] as number;
  const moment = Math.max(now, last);
  const payments = paymentsOf(slab, history);
  let at = scalars;
  facts[at++] = moment - firstAt(slab, history);
  facts[at++] = moment - last;
  facts[at++] = actionsOf(slab, history);
  facts[at++] = payments;
  facts[at++] = payments > 0 ? (f64[history + MEAN] as number) : Number.NaN;
  facts[at++] = payments > 1 ? Math.sqrt((f64[history + M2] as number) / (payments - 1)) : Number.NaN;
  facts[at++] = payments > 0 ? (f64[history + MAXIMUM] as number) : Number.NaN;
  const frauds = fraudsOf(slab, history);
  facts[at++] = frauds;
  facts[at++] = frauds > 0 ? Math.max(0, moment - fraudAt(slab, history)) : Number.NaN;
  facts.fill(0, at, end);
  const cells = cellsFirst(slab, history, kind);
  addWindows(slab, cells, historyEnd(slab, shelf, index), moment, facts, amount, counts, also);
  addDistinct(slab, history, kind, moment, WINDOW_SECONDS, distinct, facts);
  widen(facts, at, end);
};

/** An entity that was never seen before: nothing counted, no age, no mean. */
const measureNew = ({ scalars, end }: Layout, facts: Facts): void => {
  facts.fill(0, scalars, end);
  for (const scalar of ABSENT_WHEN_NEW) facts[scalars + SCALARS.indexOf(scalar)] = Number.NaN;
};

/** Where the histories of a subject's entities are, by kind: on which shelf of a slab (0: never seen), and which of those on it. */
export interface Found {
  readonly shelf: Uint32Array;
  readonly index: Uint32Array;
}
export const makeFound = (): Found => ({
  shelf: new Uint32Array(ENTITY_KINDS.length),
  index: new Uint32Array(ENTITY_KINDS.length),
});

/** Fills `facts` with what was known before the subject: the histories must not hold it yet. */
export const measure = (slab: Slab, found: Found, subject: Subject, facts: Facts): void => {
  facts[0] = subject.dollars;
  for (let kind = 0; kind < layouts.length; kind++) {
    const layout = layouts[kind] as Layout;
    const shelf = found.shelf[kind] as number;
    if (subject.entities[kind] === undefined) facts.fill(Number.NaN, layout.scalars, layout.end);
    else if (shelf === 0) measureNew(layout, facts);
    else measureEntity(slab, shelf, found.index[kind] as number, kind, subject.at, facts);
  }
  const users = found.shelf[kindIndex.user] as number;
  const user = users === 0 ? 0 : historyAt(slab, users, found.index[kindIndex.user] as number);
  for (let i = 0; i < PAIRS.length; i++) {
    const { relation, at } = PAIRS[i] as (typeof PAIRS)[number];
    facts[at] =
      user === 0 || subject.entities[relation] === undefined
        ? Number.NaN
        : pairAge(slab, user, relation, subject.hashes[relation] as number, subject.at);
  }
};
