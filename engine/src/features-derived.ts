import { ENTITY_KINDS, type EntityKind } from './entity.ts';
import { type Facts, fact } from './facts.ts';
import { countryNumber, KNOWLEDGE, type Known } from './knowledge.ts';
import type { Subject } from './subject.ts';
import type { WindowName } from './windows.ts';

/** A feature that follows from several facts, or from the request. */
export interface Derived {
  readonly name: string;
  readonly of: (facts: Facts, subject: Subject) => number;
}

/** Nothing of what a device looks like: few callers send it, many devices share it, and the model that ships was trained without. Signals and rules look at it. */
export const MODELLED_KINDS = ENTITY_KINDS.filter((kind) => kind !== 'likeness');

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The first of January 1970 was a Thursday. */
const THURSDAY = 4;

const at = (facts: Facts, index: number): number => facts[index] as number;
const ratio = (name: string, above: string, below: string): Derived => {
  const [a, b] = [fact(above), fact(below)];
  return { name, of: (facts) => at(facts, a) / at(facts, b) };
};
/** The mean amount within a window. */
const meanOf = (kind: EntityKind, window: WindowName): Derived =>
  ratio(`${kind}.amount_mean.${window}`, `${kind}.amount.${window}`, `${kind}.transactions.${window}`);
/** The amount at hand over the mean within a window. */
const overMean = (kind: EntityKind, window: WindowName): Derived => {
  const mean = meanOf(kind, window);
  const dollars = fact('dollars');
  return { name: `amount_over_${mean.name}`, of: (facts, subject) => at(facts, dollars) / mean.of(facts, subject) };
};
const overFact = (name: string): Derived => ratio(`amount_over_${name}`, 'dollars', name);
/** What the entity's payments come to with the one at hand. */
const withThis = (kind: EntityKind, window: WindowName): Derived => {
  const [dollars, amount] = [fact('dollars'), fact(`${kind}.amount.${window}`)];
  return { name: `${kind}.amount_with_this.${window}`, of: (facts) => at(facts, dollars) + at(facts, amount) };
};
/** How many deviations the amount is from the mean; a dollar more, for those who always pay the same. */
const deviationsOf = (kind: EntityKind): Derived => {
  const [dollars, mean, deviation] = [fact('dollars'), fact(`${kind}.amount_mean`), fact(`${kind}.amount_deviation`)];
  return {
    name: `${kind}.amount_deviations`,
    of: (facts) => (at(facts, dollars) - at(facts, mean)) / (at(facts, deviation) + 1),
  };
};
/** The share of fraud among what was labelled within a window. */
const fraudShare = (kind: 'user' | 'counterparty', window: WindowName): Derived => {
  const [frauds, legitimates] = [fact(`${kind}.frauds.${window}`), fact(`${kind}.legitimates.${window}`)];
  return {
    name: `${kind}.fraud_share.${window}`,
    of: (facts) => at(facts, frauds) / (at(facts, frauds) + at(facts, legitimates)),
  };
};
/** The share of an entity's payments within a window that were of a kind. */
const shareOf = (kind: EntityKind, counted: string, window: WindowName): Derived =>
  ratio(`${kind}.${counted}_share.${window}`, `${kind}.${counted}.${window}`, `${kind}.transactions.${window}`);

/** Sources that are out of order are not known: a model must not take that for a place or a network. */
const knownOf = (name: Known): Derived => {
  const index = fact(name);
  return { name, of: (facts) => (at(facts, index) >= 0 ? at(facts, index) : Number.NaN) };
};
/** Countries and networks are names, not amounts, and places are looked at by distance. */
const FLAGS = KNOWLEDGE.filter((name) => /^(?:ip_(?:hosting|vpn|proxy|tor|reserved|radius_km)|email_)/.test(name));

const differ = (a: number, b: number): number => (a > 0 && b > 0 ? Number(a !== b) : Number.NaN);
const IP_COUNTRY = fact('ip_country');
const countryIn = (subject: Subject, member: 'billing_address' | 'shipping_address'): number => {
  const country = subject.type === 'transaction' ? subject.request[member]?.country : undefined;
  return country === undefined ? Number.NaN : countryNumber(country);
};

const [TRAVEL_KM, TRAVEL_MS] = [fact('user.travel_km'), fact('user.travel_ms')];
/** Two addresses of one place within a minute are no journey: short times count as a few minutes. */
const SHORTEST_JOURNEY_MS = 5 * 60_000;
/** The least speed at which the user can have come here, in km/h. */
export const travelSpeed = (facts: Facts): number =>
  (at(facts, TRAVEL_KM) * HOUR_MS) / Math.max(at(facts, TRAVEL_MS), SHORTEST_JOURNEY_MS);

/** Households and offices share an address, and many of them a network: so many users say nothing, only those beyond. */
const ORDINARY_CROWD = { ip: 5, network: 10 } as const;
const crowdOf = (kind: 'ip' | 'network', window: WindowName): Derived => {
  const users = fact(`${kind}.distinct_user.${window}`);
  return { name: `${kind}.crowd.${window}`, of: (facts) => Math.max(0, at(facts, users) - ORDINARY_CROWD[kind]) };
};

const hourOf = (subject: Subject): number => (subject.at % DAY_MS) / HOUR_MS;
const weekdayOf = (subject: Subject): number => (Math.floor(subject.at / DAY_MS) + THURSDAY) % 7;

const isEvent = (name: string, holds: (type: string) => boolean): Derived => ({
  name,
  of: (_, subject) => Number(subject.type === 'event' && holds(subject.request.type)),
});

export const DERIVED: readonly Derived[] = [
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
  // Bursts: how much of the longer time is in the shorter.
  ...MODELLED_KINDS.flatMap((kind) => [
    ratio(`${kind}.burst.1h`, `${kind}.transactions.1h`, `${kind}.transactions.24h`),
    ratio(`${kind}.burst.24h`, `${kind}.transactions.24h`, `${kind}.transactions.30d`),
  ]),
];
