import type { DecisionValue } from '@portcullis/contract';
import { deviceId } from './entity.ts';
import type { Subject } from './subject.ts';

/** A value and when it was seen. */
export interface Seen {
  readonly value: string;
  readonly firstAt: number;
  lastAt: number;
  count: number;
}

/** What is told of a user: a fold over their screenings, kept as JSON beside the history of the same user. */
export interface Profile {
  firstAt: number;
  lastAt: number;
  /** The highest recent score, as of `lastAt`. */
  risk: number;
  transactions: number;
  totals: Record<string, number>;
  decisions: Record<DecisionValue, number>;
  events: number;
  eventTypes: Record<string, number>;
  /** The last seen stand last. */
  devices: Seen[];
  ips: Seen[];
  countries: Seen[];
  signals: Seen[];
}

const SEEN_MAX = 20;
const RISK_HALF_LIFE_MS = 7 * 24 * 3_600_000;

export const newProfile = (at: number): Profile => ({
  firstAt: at,
  lastAt: at,
  risk: 0,
  transactions: 0,
  totals: {},
  decisions: { allow: 0, review: 0, block: 0 },
  events: 0,
  eventTypes: {},
  devices: [],
  ips: [],
  countries: [],
  signals: [],
});

/** A score fades by half every week without a higher one. */
export const riskAt = (profile: Profile, now: number): number =>
  profile.risk * 0.5 ** (Math.max(0, now - profile.lastAt) / RISK_HALF_LIFE_MS);

const see = (list: Seen[], value: string | undefined, at: number): void => {
  if (value === undefined) return;
  for (let i = list.length - 1; i >= 0; i--) {
    const seen = list[i] as Seen;
    if (seen.value !== value) continue;
    seen.lastAt = at;
    seen.count++;
    if (i < list.length - 1) {
      list.splice(i, 1);
      list.push(seen);
    }
    return;
  }
  if (list.length === SEEN_MAX) list.shift();
  list.push({ value, firstAt: at, lastAt: at, count: 1 });
};

/** Folds one screening into the profile of its user. */
export const addToProfile = (
  profile: Profile,
  subject: Subject,
  score: number,
  decision: DecisionValue,
  signals: readonly string[],
): void => {
  const at = Math.max(subject.at, profile.lastAt);
  profile.risk = Math.max(riskAt(profile, at), score);
  profile.lastAt = at;
  if (subject.type === 'transaction') {
    const { currency, amount, billing_address, shipping_address } = subject.request;
    profile.transactions++;
    profile.totals[currency] = (profile.totals[currency] ?? 0) + amount;
    profile.decisions[decision]++;
    see(profile.countries, billing_address?.country, at);
    if (shipping_address?.country !== billing_address?.country) see(profile.countries, shipping_address?.country, at);
  } else {
    const { type } = subject.request;
    profile.events++;
    profile.eventTypes[type] = (profile.eventTypes[type] ?? 0) + 1;
  }
  const { device_token, ip_address } = subject.request;
  see(profile.devices, device_token === undefined ? undefined : deviceId(device_token), at);
  see(profile.ips, ip_address, at);
  for (const signal of signals) see(profile.signals, signal, at);
};
