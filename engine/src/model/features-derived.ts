import { type Facts, fact, travelSpeed } from '../history/facts.ts';
import type { WindowName } from '../history/windows.ts';
import { DETAILED_KINDS, type DetailedKind } from '../subject/entity.ts';
import { countryNumber, KNOWLEDGE, type KnowledgeName } from '../subject/lookup-facts.ts';
import type { Subject } from '../subject/subject.ts';
import type { DerivedFeature } from './derived-feature.ts';
import { TRUST_FEATURES } from './trust.ts';

/**
 * Kinds of entity whose facts are features. Device profiles are left out: few callers send them, many devices share
 * one, and the shipped model was trained without them. Signals and rules use them.
 */
export const MODELLED_KINDS = DETAILED_KINDS.filter((kind) => kind !== 'likeness');

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Ages grow with the length of a history, so trees would learn the date. Only whether an entity is new matters. */
export const LONG_KNOWN_MS = 30 * DAY_MS;
/**
 * From here on, a business has shown what is usual for it. Far fewer than a training world has: else trees would learn the
 * end of a world, and take every grown account for it.
 */
const ACCOUNT_PAYMENTS = 1000;
/** More payments than this say nothing more about who pays. */
const MANY_PAYMENTS = 30;
/** 1 January 1970 was a Thursday. */
const THURSDAY = 4;

const at = (facts: Facts, index: number): number => facts[index] as number;
const ratio = (name: string, above: string, below: string): DerivedFeature => {
  const [a, b] = [fact(above), fact(below)];
  return { name, of: (facts) => at(facts, a) / at(facts, b) };
};
/** The mean amount within a window. */
const meanOf = (kind: DetailedKind, window: WindowName): DerivedFeature =>
  ratio(`${kind}.amount_mean.${window}`, `${kind}.amount.${window}`, `${kind}.transactions.${window}`);
/** The current amount divided by the mean within a window. */
const overMean = (kind: DetailedKind, window: WindowName): DerivedFeature => {
  const mean = meanOf(kind, window);
  const dollars = fact('dollars');
  return { name: `amount_over_${mean.name}`, of: (facts, subject) => at(facts, dollars) / mean.of(facts, subject) };
};
/** What came before the last day. A thief cannot add to it within that day. */
const paymentsBefore = (kind: DetailedKind): DerivedFeature => {
  const [all, recent] = [fact(`${kind}.payments`), fact(`${kind}.transactions.24h`)];
  return {
    name: `${kind}.payments_before_24h`,
    of: (facts) => Math.min(MANY_PAYMENTS, Math.max(0, at(facts, all) - at(facts, recent))),
  };
};
/** The current amount divided by the mean of those payments. */
const overMeanBefore = (kind: DetailedKind): DerivedFeature => {
  const dollars = fact('dollars');
  const [all, recent] = [fact(`${kind}.payments`), fact(`${kind}.transactions.24h`)];
  const [mean, amountRecent] = [fact(`${kind}.amount_mean`), fact(`${kind}.amount.24h`)];
  return {
    name: `amount_over_${kind}.amount_mean_before_24h`,
    of: (facts) => {
      const payments = at(facts, all) - at(facts, recent);
      const amount = at(facts, mean) * at(facts, all) - at(facts, amountRecent);
      return payments > 0 && amount > 0 ? (at(facts, dollars) * payments) / amount : Number.NaN;
    },
  };
};
const overFact = (name: string): DerivedFeature => ratio(`amount_over_${name}`, 'dollars', name);
/** The sum of the entity's payments within a window, including the current one. */
const withThis = (kind: DetailedKind, window: WindowName): DerivedFeature => {
  const [dollars, amount] = [fact('dollars'), fact(`${kind}.amount.${window}`)];
  return { name: `${kind}.amount_with_this.${window}`, of: (facts) => at(facts, dollars) + at(facts, amount) };
};
/**
 * Standard deviations between the amount and the mean. One dollar is added for entities that always pay the same
 * amount.
 */
const deviationsOf = (kind: DetailedKind): DerivedFeature => {
  const [dollars, mean, deviation] = [fact('dollars'), fact(`${kind}.amount_mean`), fact(`${kind}.amount_deviation`)];
  return {
    name: `${kind}.amount_deviations`,
    of: (facts) => (at(facts, dollars) - at(facts, mean)) / (at(facts, deviation) + 1),
  };
};
/**
 * How far the amount is from the typical one of the account, in standard deviations of the logarithms. A tenth is added for
 * businesses with one price.
 */
const accountDeviations = (): DerivedFeature => {
  const [dollars, typical, spread] = [fact('dollars'), fact('account.amount_typical'), fact('account.amount_spread')];
  return {
    name: 'account.amount_deviations',
    of: (facts) => Math.log(at(facts, dollars) / at(facts, typical)) / (Math.log(at(facts, spread)) + 0.1),
  };
};
/**
 * How long the business has been known, or how many payments it had. Unknown until the typical payment is known: the first
 * payments of a new account would otherwise change the scores of the next ones. Caps keep trees from learning the date.
 */
const accountHistory = (name: 'account.age_ms' | 'account.payments', cap: number): DerivedFeature => {
  const [value, typical] = [fact(name), fact('account.amount_typical')];
  return {
    name,
    of: (facts) => (Number.isNaN(at(facts, typical)) ? Number.NaN : Math.min(at(facts, value), cap)),
  };
};
/** How long the business has been known. In its first day nothing else can be known for longer. */
const accountKnown = (): DerivedFeature => {
  const age = accountHistory('account.age_ms', LONG_KNOWN_MS);
  return { name: 'account.known_ms', of: (facts, subject) => Math.max(age.of(facts, subject), DAY_MS) };
};
/** The share of fraud among the items labelled within a window. */
const fraudShare = (kind: 'user' | 'counterparty', window: WindowName): DerivedFeature => {
  const [frauds, legitimates] = [fact(`${kind}.frauds.${window}`), fact(`${kind}.legitimates.${window}`)];
  return {
    name: `${kind}.fraud_share.${window}`,
    of: (facts) => at(facts, frauds) / (at(facts, frauds) + at(facts, legitimates)),
  };
};
/** The share of an entity's payments within a window that are small, or large. */
const shareOf = (kind: DetailedKind, counted: string, window: WindowName): DerivedFeature =>
  ratio(`${kind}.${counted}_share.${window}`, `${kind}.${counted}.${window}`, `${kind}.transactions.${window}`);

/**
 * A negative value means that the lookup source failed. It becomes NaN, so that no model takes it for a place or a
 * network.
 */
const knownOf = (name: KnowledgeName): DerivedFeature => {
  const index = fact(name);
  return { name, of: (facts) => (at(facts, index) >= 0 ? at(facts, index) : Number.NaN) };
};
/** Looked-up facts that are numbers or flags. Countries and networks are names; places enter as distances. */
const FLAGS = KNOWLEDGE.filter((name) => /^(?:ip_(?:hosting|vpn|proxy|tor|reserved|radius_km)|email_)/.test(name));

const differ = (a: number, b: number): number => (a > 0 && b > 0 ? Number(a !== b) : Number.NaN);
const IP_COUNTRY = fact('ip_country');
const countryIn = (subject: Subject, address: 'billing_address' | 'shipping_address'): number => {
  const country = subject.type === 'transaction' ? subject.request[address]?.country : undefined;
  return country === undefined ? Number.NaN : countryNumber(country);
};

/**
 * The usual number of users who share an address (a household or office) or a network. Only users above it count as
 * a crowd.
 */
export const ORDINARY_CROWD = { ip: 5, network: 10 } as const;
const crowdOf = (kind: 'ip' | 'network', window: WindowName): DerivedFeature => {
  const users = fact(`${kind}.distinct_user.${window}`);
  return { name: `${kind}.crowd.${window}`, of: (facts) => Math.max(0, at(facts, users) - ORDINARY_CROWD[kind]) };
};

/** Ages up to this count as none: nobody has had time to dispute the payments yet. */
const JUST_NOW_MS = HOUR_MS;
/** How long an entity with a payment has been known. Being seen alone earns nothing: a thief can log in for days. */
const knownFor = (kind: DetailedKind): DerivedFeature => {
  const [age, payments] = [fact(`${kind}.age_ms`), fact(`${kind}.payments`)];
  return {
    name: `${kind}.known_ms`,
    of: (facts) => {
      const count = at(facts, payments);
      return count > 0 ? Math.min(LONG_KNOWN_MS, Math.max(0, at(facts, age) - JUST_NOW_MS)) : count;
    },
  };
};

/** How long the user has been known. The first hour counts as none: a second act within minutes earns nothing. */
const userSeen = (): DerivedFeature => {
  const [age, actions] = [fact('user.age_ms'), fact('user.actions')];
  return {
    name: 'user.seen_ms',
    of: (facts) => {
      const count = at(facts, actions);
      return count > 0 ? Math.min(LONG_KNOWN_MS, Math.max(0, at(facts, age) - JUST_NOW_MS)) : count;
    },
  };
};

const hourOf = (subject: Subject): number => (subject.at % DAY_MS) / HOUR_MS;
const weekdayOf = (subject: Subject): number => (Math.floor(subject.at / DAY_MS) + THURSDAY) % 7;

const isEvent = (name: string, holds: (type: string) => boolean): DerivedFeature => ({
  name,
  of: (_, subject) => Number(subject.type === 'event' && holds(subject.request.type)),
});

/** Features that only state the type of the item. */
export const ITEM_TYPE_FEATURES: ReadonlySet<string> = new Set([
  'is_event',
  'is_login',
  'is_signup',
  'is_payout',
  'is_change',
  'is_method_added',
]);

export const DERIVED: readonly DerivedFeature[] = [
  isEvent('is_event', () => true),
  isEvent('is_login', (type) => type === 'login'),
  {
    name: 'is_failed',
    of: (_, subject) => Number(subject.type === 'event' && subject.request.outcome === 'failed'),
  },
  isEvent('is_signup', (type) => type === 'signup'),
  isEvent('is_payout', (type) => type === 'payout_request'),
  isEvent('is_change', (type) => type.endsWith('_change') || type === 'password_reset'),
  isEvent('is_method_added', (type) => type === 'payment_method_added'),
  { name: 'hour', of: (_, subject) => hourOf(subject) },
  { name: 'is_night', of: (_, subject) => Number(hourOf(subject) < 6) },
  { name: 'is_weekend', of: (_, subject) => Number(weekdayOf(subject) % 6 === 0) },
  ...FLAGS.map(knownOf),
  { name: 'user.travel_speed', of: travelSpeed },
  {
    name: 'ip_country_is_not_billing',
    of: (facts, subject) => differ(at(facts, IP_COUNTRY), countryIn(subject, 'billing_address')),
  },
  {
    name: 'shipping_country_is_not_billing',
    of: (_, subject) => differ(countryIn(subject, 'shipping_address'), countryIn(subject, 'billing_address')),
  },
  ...(['user', 'counterparty', 'fingerprint'] as const).flatMap((kind) => [
    meanOf(kind, '24h'),
    meanOf(kind, '7d'),
    meanOf(kind, '30d'),
    overMean(kind, '24h'),
    overMean(kind, '7d'),
    overMean(kind, '30d'),
    overFact(`${kind}.amount_mean`),
    overFact(`${kind}.amount_max`),
    deviationsOf(kind),
    withThis(kind, '24h'),
    shareOf(kind, 'large_transactions', '7d'),
  ]),
  ...(['user', 'ip', 'device', 'fingerprint', 'counterparty'] as const).map((kind) =>
    shareOf(kind, 'small_transactions', '24h'),
  ),
  ...(['user', 'counterparty'] as const).flatMap((kind) =>
    (['24h', '7d', '30d'] as const).map((window) => fraudShare(kind, window)),
  ),
  ...(['ip', 'network'] as const).flatMap((kind) =>
    (['10m', '1h', '24h'] as const).map((window) => crowdOf(kind, window)),
  ),
  // Bursts: the share of the payments of a longer window that fall into a shorter one.
  ...MODELLED_KINDS.flatMap((kind) => [
    ratio(`${kind}.burst.1h`, `${kind}.transactions.1h`, `${kind}.transactions.24h`),
    ratio(`${kind}.burst.24h`, `${kind}.transactions.24h`, `${kind}.transactions.30d`),
  ]),
  ...MODELLED_KINDS.map(knownFor),
  userSeen(),
  ...(['user', 'device', 'fingerprint', 'counterparty'] as const).map(paymentsBefore),
  ...(['user', 'fingerprint', 'counterparty'] as const).map(overMeanBefore),
  ...TRUST_FEATURES,
  overFact('account.amount_typical'),
  accountDeviations(),
  accountHistory('account.age_ms', LONG_KNOWN_MS),
  accountHistory('account.payments', ACCOUNT_PAYMENTS),
  accountKnown(),
];
