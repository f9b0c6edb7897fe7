import {
  countedRelations,
  ENTITY_KINDS,
  type EntityKind,
  kindIndex,
  RELATED_KINDS,
  RELATIONS,
  type RelatedKind,
} from '../subject/entity.ts';
import { KNOWLEDGE } from '../subject/lookup-facts.ts';
import { ACTIVITIES, type Activity } from '../subject/subject.ts';
import { KIND_CODES } from './history.ts';
import { WINDOWS } from './windows.ts';

/**
 * The position of every fact in the stored array. This module builds the list of names from top to bottom, so the
 * order of its statements is the stored order: append only, each time with a new FACTS_VERSION.
 */

/** Activities that become facts, by entity kind. Payments and their amount are facts of every kind. */
const ACTIVITY_FACTS: Record<EntityKind, readonly Activity[]> = {
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

/** Facts of every entity kind that have no window. */
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

/** Version 3 of the facts ends with the user's travel. Later facts follow it, so version 3 stays readable. */
const FIRST_KNOWLEDGE = KNOWLEDGE.indexOf('device_state');
const names: string[] = ['dollars', ...KNOWLEDGE.slice(0, FIRST_KNOWLEDGE)];
const KNOWLEDGE_AT = 1;
const addWindowed = (name: string): number => {
  const at = names.length;
  for (const window of WINDOWS) names.push(`${name}.${window.name}`);
  return at;
};

/** Positions of one entity kind's facts. */
export interface FactLayout {
  readonly scalars: number;
  readonly amount: number;
  /** By activity: the position of its first window, or -1 if it is not a fact. */
  readonly counts: Int16Array;
  readonly transactions: number;
  /**
   * Small and large payments that are counted separately: the positions of their first windows. They are transactions
   * too.
   */
  readonly ofTransactions: readonly number[];
  /**
   * By code of the related kind: the position of the first window of distinct entities, or -1 if they are not
   * counted.
   */
  readonly distinct: Int16Array;
  readonly end: number;
}

const PAYMENTS = ['transactions', 'small_transactions', 'large_transactions'] as const;

const addLayout = (kind: EntityKind): FactLayout => {
  const scalars = names.push(...SCALARS.map((scalar) => `${kind}.${scalar}`)) - SCALARS.length;
  const counts = new Int16Array(ACTIVITIES.length).fill(-1);
  const distinct = new Int16Array(RELATED_KINDS.length).fill(-1);
  const transactions = addWindowed(`${kind}.transactions`);
  for (const payments of PAYMENTS) counts[ACTIVITIES.indexOf(payments)] = transactions;
  const amount = addWindowed(`${kind}.amount`);
  for (const of of ACTIVITY_FACTS[kind]) counts[ACTIVITIES.indexOf(of)] = addWindowed(`${kind}.${of}`);
  for (const other of countedRelations(kind))
    distinct[KIND_CODES[kindIndex[other]] as number] = addWindowed(`${kind}.distinct_${other}`);
  const ofTransactions = PAYMENTS.map((of) => counts[ACTIVITIES.indexOf(of)] as number).filter(
    (at) => at !== transactions,
  );
  return { scalars, transactions, ofTransactions, amount, counts, distinct, end: names.length };
};
const isLater = (kind: RelatedKind): boolean => kind === 'likeness';
const firstLayouts = ENTITY_KINDS.filter((kind) => !isLater(kind)).map(addLayout);

const addPair = (other: RelatedKind) => ({
  relation: kindIndex[other],
  at: names.push(`user.this_${other}_age_ms`) - 1,
});
const firstPairs = RELATIONS.user.filter((other) => !isLater(other)).map(addPair);

/** The least distance between the user and the place they were last seen at, and how long ago that was. */
export const TRAVEL_KM = names.push('user.travel_km') - 1;
export const TRAVEL_MS = names.push('user.travel_ms') - 1;

const LATER_KNOWLEDGE_AT = names.push(...KNOWLEDGE.slice(FIRST_KNOWLEDGE)) - (KNOWLEDGE.length - FIRST_KNOWLEDGE);
/** The layout of each entity kind, by its index. */
export const FACT_LAYOUTS: readonly FactLayout[] = [...firstLayouts, addLayout('likeness')];
/** How long ago the user was first seen with each entity of the request; NaN if never. */
export const PAIR_FACTS = [...firstPairs, addPair('likeness')];
/** How long ago the device, or a device of this profile, first sent the token of the request; NaN if never. */
export const TOKEN_FACTS = (['device', 'likeness'] as const).map((kind) => ({
  kind: kindIndex[kind],
  at: names.push(`${kind}.this_token_age_ms`) - 1,
}));

/** Names of all facts, in stored order. */
export const FACT_NAMES: readonly string[] = names;

/** The position of a fact of KNOWLEDGE, by its index there. */
export const knowledgeAt = (index: number): number =>
  index < FIRST_KNOWLEDGE ? KNOWLEDGE_AT + index : LATER_KNOWLEDGE_AT + index - FIRST_KNOWLEDGE;
