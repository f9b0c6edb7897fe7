import {
  countedRelations,
  DETAILED_KINDS,
  type DetailedKind,
  kindIndex,
  RELATED_KINDS,
  RELATIONS,
  type RelatedKind,
} from '../subject/entity.ts';
import { KNOWLEDGE } from '../subject/lookup-facts.ts';
import { ACTIVITIES, type Activity } from '../subject/subject.ts';
import { KIND_CODES } from './related.ts';
import type { WindowPlaces } from './window-facts.ts';
import { WINDOWS } from './windows.ts';

/**
 * The position of every fact in the stored array. This module builds the list of names from top to bottom, so the
 * order of its statements is the stored order: append only, each time with a new FACTS_VERSION.
 */

/** Activities that become facts, by entity kind. Payments and their amount are facts of every kind. */
const ACTIVITY_FACTS: Record<DetailedKind, readonly Activity[]> = {
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
  shipping: ['small_transactions', 'large_transactions', 'frauds'],
};
/** The same, since version 5. */
const LATER_ACTIVITY_FACTS = (kind: DetailedKind): readonly Activity[] =>
  kind === 'user' ? ['actor_frauds', 'disputes'] : ['actor_frauds'];

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

/** Facts without a window since version 5: of every entity kind, and only of users. */
export const LATER_SCALARS = ['actor_frauds_known', 'actor_fraud_age_ms'] as const;
const DISPUTE_SCALARS = ['disputes_known', 'dispute_days'] as const;

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
export interface FactLayout extends WindowPlaces {
  readonly scalars: number;
  /** By code of the related kind: the position of the first window of distinct ones, or -1 if they are not counted. */
  readonly distinct: Int16Array;
  /** The windows of distinct ones begin here. */
  readonly firstDistinct: number;
  readonly end: number;
  /** Since version 5, somewhere else: first the scalars, then the windows, those of distinct ones last. */
  readonly laterScalars: number;
  readonly laterWindows: number;
  readonly laterDistinct: number;
  readonly laterEnd: number;
}

/** Related kinds of earlier entity kinds whose distinct number is a fact since version 5. */
const isLaterRelation = (other: RelatedKind): boolean => other === 'shipping';

const addDistinct = (kind: DetailedKind, isLater: boolean, distinct: Int16Array): void => {
  for (const other of countedRelations(kind))
    if (isLaterRelation(other) === isLater)
      distinct[KIND_CODES[kindIndex[other]] as number] = addWindowed(`${kind}.distinct_${other}`);
};

/** The part of a layout before version 5, which places the counts of activities one by one. */
type FirstLayout = Omit<FactLayout, 'counted' | 'countedAt' | `later${string}`> & {
  readonly counts: Map<number, number>;
};
const addCounts = (kind: DetailedKind, activities: readonly Activity[], counts: Map<number, number>): void => {
  for (const of of activities) counts.set(ACTIVITIES.indexOf(of), addWindowed(`${kind}.${of}`));
};
const addLayout = (kind: DetailedKind): FirstLayout => {
  const scalars = names.push(...SCALARS.map((scalar) => `${kind}.${scalar}`)) - SCALARS.length;
  const transactions = addWindowed(`${kind}.transactions`);
  const amount = addWindowed(`${kind}.amount`);
  const counts = new Map<number, number>();
  addCounts(kind, ACTIVITY_FACTS[kind], counts);
  const firstDistinct = names.length;
  const distinct = new Int16Array(RELATED_KINDS.length).fill(-1);
  addDistinct(kind, false, distinct);
  return { scalars, transactions, amount, counts, distinct, firstDistinct, end: names.length };
};
/** Adds the facts of an entity kind since version 5. */
const addLater = (kind: DetailedKind, { counts, ...first }: FirstLayout): FactLayout => {
  const scalars = [...LATER_SCALARS, ...(kind === 'user' ? DISPUTE_SCALARS : [])];
  const laterScalars = names.push(...scalars.map((scalar) => `${kind}.${scalar}`)) - scalars.length;
  const laterWindows = names.length;
  addCounts(kind, LATER_ACTIVITY_FACTS(kind), counts);
  const laterDistinct = names.length;
  addDistinct(kind, true, first.distinct);
  const [counted, countedAt] = [Uint8Array.from(counts.keys()), Uint16Array.from(counts.values())];
  return { ...first, counted, countedAt, laterScalars, laterWindows, laterDistinct, laterEnd: names.length };
};

/** Kinds that were added with version 4, and with version 5. */
const FOURTH: readonly RelatedKind[] = ['likeness'];
const FIFTH: readonly RelatedKind[] = ['shipping', 'recurring'];
const isThird = (kind: RelatedKind): boolean => !FOURTH.includes(kind) && !FIFTH.includes(kind);
const thirdLayouts = DETAILED_KINDS.filter(isThird).map(addLayout);

const addAge = (other: RelatedKind) => ({
  relation: kindIndex[other],
  age: names.push(`user.this_${other}_age_ms`) - 1,
});
const thirdPairs = RELATIONS.user.filter(isThird).map(addAge);

/** The least distance between the user and the place they were last seen at, and how long ago that was. */
export const TRAVEL_KM = names.push('user.travel_km') - 1;
export const TRAVEL_MS = names.push('user.travel_ms') - 1;

// Version 4.
const LATER_KNOWLEDGE_AT = names.push(...KNOWLEDGE.slice(FIRST_KNOWLEDGE)) - (KNOWLEDGE.length - FIRST_KNOWLEDGE);
const fourthLayouts = DETAILED_KINDS.filter((kind) => FOURTH.includes(kind)).map(addLayout);
const fourthPairs = RELATIONS.user.filter((kind) => FOURTH.includes(kind)).map(addAge);
/** How long ago the device, or a device of this profile, first sent the token of the request; NaN if never. */
export const TOKEN_FACTS = (['device', 'likeness'] as const).map((kind) => ({
  kind: kindIndex[kind],
  at: names.push(`${kind}.this_token_age_ms`) - 1,
}));

// Version 5.
const fifthLayouts = DETAILED_KINDS.filter((kind) => FIFTH.includes(kind)).map(addLayout);
const fifthPairs = RELATIONS.user.filter((kind) => FIFTH.includes(kind)).map(addAge);
/** The layout of each of DETAILED_KINDS, by its index. */
export const FACT_LAYOUTS: readonly FactLayout[] = [...thirdLayouts, ...fourthLayouts, ...fifthLayouts].map(
  (layout, kind) => addLater(DETAILED_KINDS[kind] as DetailedKind, layout),
);
const pairs = [...thirdPairs, ...fourthPairs, ...fifthPairs];
/** Adds a fact of every pair. Returns the position of the first: equal neighbours take little space when stored. */
const addPairFacts = (what: string): number =>
  names.push(...pairs.map(({ relation }) => `user.this_${RELATED_KINDS[relation]}_${what}`)) - pairs.length;
/**
 * The facts about the user with each entity of the request, by index: how long ago their first success was, at `ages`,
 * and their first payment, NaN if never; then how many days with a success, payments, and labels as legitimate they
 * have; and 1 if they were seen together in the last 30 days, even if only in a failed attempt.
 */
export const PAIR_FACTS = {
  relations: Uint8Array.from(pairs, ({ relation }) => relation),
  ages: Uint16Array.from(pairs, ({ age }) => age),
  paid: addPairFacts('paid_ms'),
  days: addPairFacts('days'),
  payments: addPairFacts('payments'),
  vouched: addPairFacts('vouched'),
  seen: addPairFacts('seen'),
} as const;

/** How long ago the user's last credential change was, NaN if there was none in 30 days. */
export const CHANGE_AGE = names.push('user.change_age_ms') - 1;

// Version 6.
/**
 * The account: its age, its subjects, its payments with a known amount, their geometric mean in dollars, and the factor that
 * most payments are within: the exponential of the standard deviation of their logarithms.
 */
export const ACCOUNT_SCALARS = ['age_ms', 'actions', 'payments', 'amount_typical', 'amount_spread'] as const;
export const ACCOUNT_FACTS =
  names.push(...ACCOUNT_SCALARS.map((scalar) => `account.${scalar}`)) - ACCOUNT_SCALARS.length;

// Version 7.
/**
 * How many whole days ago the user was last with another entity of the kind that they ever succeeded with; NaN if never. It
 * looks back as far as the history does.
 */
export const OTHER_FACTS = (['device', 'network', 'country'] as const).map((kind) => ({
  relation: kindIndex[kind],
  at: names.push(`user.other_${kind}_days`) - 1,
}));

/** Names of all facts, in stored order. */
export const FACT_NAMES: readonly string[] = names;

/** The position of a fact of KNOWLEDGE, by its index there. */
export const knowledgeAt = (index: number): number =>
  index < FIRST_KNOWLEDGE ? KNOWLEDGE_AT + index : LATER_KNOWLEDGE_AT + index - FIRST_KNOWLEDGE;
