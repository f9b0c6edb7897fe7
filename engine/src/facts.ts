import {
  countedRelations,
  ENTITY_KINDS,
  type EntityKind,
  kindIndex,
  RELATED_KINDS,
  RELATIONS,
  type RelatedKind,
} from './entity.ts';
import {
  actionsOf,
  addDistinct,
  cellsFirst,
  firstAt,
  firstToken,
  fraudAt,
  fraudsOf,
  KIND_CODES,
  LAST_AT,
  lastPlace,
  M2,
  MAXIMUM,
  MEAN,
  pairAge,
  paymentsOf,
} from './history.ts';
import { KNOWLEDGE, type Knowledge, unavailableOf } from './knowledge.ts';
import { kmBetween } from './place.ts';
import { historyAt, historyEnd } from './shelf.ts';
import type { Slab } from './slab.ts';
import { COUNTED, type Counted, type Subject } from './subject.ts';
import { addWindows, WINDOWS, widen } from './windows.ts';

/** What is worth knowing of each kind of entity, besides payments and their amount, which are known of all. */
const COUNTED_OF: Record<EntityKind, readonly Counted[]> = {
  user: [
    'small_transactions',
    'large_transactions',
    'logins',
    'failed_logins',
    'changes',
    'methods_added',
    'frauds',
    'legitimates',
  ],
  ip: ['small_transactions', 'failed_logins', 'signups', 'frauds'],
  network: ['failed_logins', 'signups', 'frauds'],
  device: ['small_transactions', 'failed_logins', 'signups', 'frauds'],
  fingerprint: ['small_transactions', 'large_transactions', 'frauds'],
  email: ['failed_logins', 'signups', 'frauds'],
  counterparty: ['small_transactions', 'large_transactions', 'frauds', 'legitimates'],
  asn: ['failed_logins', 'signups', 'frauds'],
  domain: ['signups', 'frauds'],
  likeness: ['failed_logins', 'signups', 'frauds'],
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

/** Facts of version 3 are the first of these, up to what the user travelled. What came later stands behind them, so that they can still be read. */
const KNOWN_AT_FIRST = KNOWLEDGE.indexOf('device_state');
const names: string[] = ['dollars', ...KNOWLEDGE.slice(0, KNOWN_AT_FIRST)];
const KNOWLEDGE_AT = 1;
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
  readonly transactions: number;
  /** Payments of a kind that is counted by itself: where its windows begin. They are transactions too. */
  readonly ofTransactions: readonly number[];
  /** By the code of the other kind: where the windows of distinct ones begin, or -1 where they are not counted. */
  readonly distinct: Int16Array;
  readonly end: number;
}

const PAYMENTS = ['transactions', 'small_transactions', 'large_transactions'] as const;

const layoutOf = (kind: EntityKind): Layout => {
  const scalars = names.push(...SCALARS.map((scalar) => `${kind}.${scalar}`)) - SCALARS.length;
  const counts = new Int16Array(COUNTED.length).fill(-1);
  const distinct = new Int16Array(RELATED_KINDS.length).fill(-1);
  const transactions = windowed(`${kind}.transactions`);
  for (const payments of PAYMENTS) counts[COUNTED.indexOf(payments)] = transactions;
  const amount = windowed(`${kind}.amount`);
  for (const of of COUNTED_OF[kind]) counts[COUNTED.indexOf(of)] = windowed(`${kind}.${of}`);
  for (const other of countedRelations(kind))
    distinct[KIND_CODES[kindIndex[other]] as number] = windowed(`${kind}.distinct_${other}`);
  const ofTransactions = PAYMENTS.map((of) => counts[COUNTED.indexOf(of)] as number).filter(
    (at) => at !== transactions,
  );
  return { scalars, transactions, ofTransactions, amount, counts, distinct, end: names.length };
};
const isLater = (kind: RelatedKind): boolean => kind === 'likeness';
const firstLayouts = ENTITY_KINDS.filter((kind) => !isLater(kind)).map(layoutOf);

const pairOf = (other: RelatedKind) => ({
  relation: kindIndex[other],
  at: names.push(`user.this_${other}_age_ms`) - 1,
});
const firstPairs = RELATIONS.user.filter((other) => !isLater(other)).map(pairOf);

/** How far at least the user is from where they were last seen, and how long ago that was. */
const TRAVEL_KM = names.push('user.travel_km') - 1;
const TRAVEL_MS = names.push('user.travel_ms') - 1;

const LATER_KNOWLEDGE_AT = names.push(...KNOWLEDGE.slice(KNOWN_AT_FIRST)) - (KNOWLEDGE.length - KNOWN_AT_FIRST);
/** Where each kind's facts stand in the flat array. */
const layouts: readonly Layout[] = [...firstLayouts, layoutOf('likeness')];
/** How long ago the user was first seen with each thing that is in the request; NaN when never before. */
const PAIRS = [...firstPairs, pairOf('likeness')];
/** How long ago the token at hand was first seen, by whom remembers it; NaN when never. */
const TOKENS = (['device', 'likeness'] as const).map((kind) => ({
  kind: kindIndex[kind],
  at: names.push(`${kind}.this_token_age_ms`) - 1,
}));

/** Names of all facts, in the order they are stored. Append only: each time with a new FACTS_VERSION. */
export const FACT_NAMES: readonly string[] = names;
export const FACTS_VERSION = 4;
/** The first and the last version that can be read: each begins with what the one before it holds. */
export const READABLE_FACTS = [3, FACTS_VERSION] as const;
export const areReadable = (version: number): boolean => version >= READABLE_FACTS[0] && version <= READABLE_FACTS[1];

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
const knowledgeAt = (index: number): number =>
  index < KNOWN_AT_FIRST ? KNOWLEDGE_AT + index : LATER_KNOWLEDGE_AT + index - KNOWN_AT_FIRST;
/** What the server had found out, out of the facts it was stored with. */
export const knowledgeIn = (facts: Facts): Knowledge =>
  Float64Array.from(KNOWLEDGE, (_, index) => facts[knowledgeAt(index)] as number);

/** A payment this many times the user's mean of 30 days is large for them. */
export const LARGE_TIMES = 2.5;
const USER_AMOUNT = fact('user.amount.30d');
const USER_TRANSACTIONS = fact('user.transactions.30d');
const PLAIN_TRANSACTION = COUNTED.indexOf('transactions');
const LARGE_TRANSACTION = COUNTED.indexOf('large_transactions');

/**
 * What a subject is counted as. Whether a payment is large for its user only the facts tell, those from before it: taken from there, and not
 * from a history that may have gone on, folding a stored screening in again counts it the same.
 */
export const countedAs = (subject: Subject, facts: Facts): number =>
  subject.counted === PLAIN_TRANSACTION &&
  (facts[0] as number) * (facts[USER_TRANSACTIONS] as number) > LARGE_TIMES * (facts[USER_AMOUNT] as number) &&
  (facts[USER_TRANSACTIONS] as number) > 0
    ? LARGE_TRANSACTION
    : subject.counted;

/** Fills in what is known of one entity, the one numbered `index` on a shelf, at `now` or when it was last seen if that is later. */
export const measureEntity = (
  slab: Slab,
  shelf: number,
  index: number,
  kind: number,
  now: number,
  facts: Facts,
): void => {
  const { scalars, transactions, ofTransactions, amount, counts, distinct, end } = layouts[kind] as Layout;
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
  addWindows(slab, cells, historyEnd(slab, shelf, index), moment, facts, amount, counts);
  for (let i = 0; i < ofTransactions.length; i++) {
    const from = ofTransactions[i] as number;
    for (let window = 0; window < WINDOWS.length; window++)
      facts[transactions + window] = (facts[transactions + window] as number) + (facts[from + window] as number);
  }
  addDistinct(slab, history, kind, moment, distinct, facts);
  widen(facts, at, end);
};

/** An entity that was never seen before: nothing counted, no age, no mean. */
const measureNew = ({ scalars, end }: Layout, facts: Facts): void => {
  facts.fill(0, scalars, end);
  for (const scalar of ABSENT_WHEN_NEW) facts[scalars + SCALARS.indexOf(scalar)] = Number.NaN;
};

/** In place of a shelf: whoever keeps the history did not answer. Nothing is known then, not even that the entity is new. */
export const NOT_HAD = 0xffff_ffff;

/** Where the histories of a subject's entities are, by kind: on which shelf of a slab (0: never seen), and which of those on it. */
export interface Found {
  readonly shelf: Uint32Array;
  readonly index: Uint32Array;
}
export const makeFound = (): Found => ({
  shelf: new Uint32Array(ENTITY_KINDS.length),
  index: new Uint32Array(ENTITY_KINDS.length),
});

/** By whom the token at hand was seen before. */
const measureToken = (slab: Slab, found: Found, subject: Subject, facts: Facts): void => {
  const token = subject.hashes[kindIndex.token] as number;
  for (let i = 0; i < TOKENS.length; i++) {
    const { kind, at } = TOKENS[i] as (typeof TOKENS)[number];
    const shelf = found.shelf[kind] as number;
    const isThere = token !== 0 && subject.hashes[kind] !== 0 && shelf !== 0 && shelf !== NOT_HAD;
    const history = isThere ? historyAt(slab, shelf, found.index[kind] as number) : 0;
    facts[at] = isThere ? firstToken(slab, history, kind, kindIndex.token, token, subject.at) : Number.NaN;
  }
};

const before = { place: 0, at: 0 };
const measureTravel = (slab: Slab, user: number, subject: Subject, facts: Facts): void => {
  const here = subject.hashes[kindIndex.place] as number;
  facts[TRAVEL_KM] = Number.NaN;
  facts[TRAVEL_MS] = Number.NaN;
  if (user === 0 || here === 0) return;
  lastPlace(slab, user, before);
  if (before.place === 0) return;
  facts[TRAVEL_KM] = before.place === here ? 0 : kmBetween(before.place, here);
  facts[TRAVEL_MS] = Math.max(0, subject.at - before.at);
};

/** Fills `facts` with what was known before the subject: the histories must not hold it yet. */
export const measure = (slab: Slab, found: Found, subject: Subject, facts: Facts): void => {
  facts[0] = subject.dollars;
  for (let i = 0; i < KNOWLEDGE.length; i++) facts[knowledgeAt(i)] = subject.knowledge[i] as number;
  for (let kind = 0; kind < layouts.length; kind++) {
    const layout = layouts[kind] as Layout;
    const shelf = found.shelf[kind] as number;
    if (subject.hashes[kind] === 0 || shelf === NOT_HAD) facts.fill(Number.NaN, layout.scalars, layout.end);
    else if (shelf === 0) measureNew(layout, facts);
    else measureEntity(slab, shelf, found.index[kind] as number, kind, subject.at, facts);
  }
  const users = found.shelf[kindIndex.user] as number;
  const user = users === 0 || users === NOT_HAD ? 0 : historyAt(slab, users, found.index[kindIndex.user] as number);
  for (let i = 0; i < PAIRS.length; i++) {
    const { relation, at } = PAIRS[i] as (typeof PAIRS)[number];
    const hash = subject.hashes[relation] as number;
    facts[at] = user === 0 || hash === 0 ? Number.NaN : pairAge(slab, user, relation, hash, subject.at);
  }
  measureTravel(slab, user, subject, facts);
  measureToken(slab, found, subject, facts);
};

const ACTIONS_AT = ENTITY_KINDS.map((kind) => fact(`${kind}.actions`));

/** Whether the history of one of the subject's entities could not be had: of any other, also a new one, its number of actions is known. */
export const isNotHad = (hashes: Subject['hashes'], kind: number, facts: Facts): boolean =>
  hashes[kind] !== 0 && Number.isNaN(facts[ACTIONS_AT[kind] as number]);

/** The names of what could not be had: facts about the address or e-mail by their own, those of a history by whose it is. */
export const unavailableIn = (hashes: Subject['hashes'], facts: Facts): string[] => [
  ...unavailableOf(knowledgeIn(facts)),
  ...ENTITY_KINDS.filter((_, kind) => isNotHad(hashes, kind, facts)),
];
