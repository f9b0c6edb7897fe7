import { type Facts, fact, LARGE_TIMES } from './facts.ts';
import type { Subject } from './subject.ts';
import type { WindowName } from './windows.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const windows = (name: string) => {
  const at = (window: WindowName) => fact(`${name}.${window}`);
  return { m1: at('1m'), m10: at('10m'), h1: at('1h'), h24: at('24h'), d7: at('7d'), d30: at('30d') };
};

export const dollars = fact('dollars');
/** What the server found out about the address and the e-mail: see KNOWLEDGE. */
export const known = {
  country: fact('ip_country'),
  asn: fact('asn'),
  hosting: fact('ip_hosting'),
  vpn: fact('ip_vpn'),
  proxy: fact('ip_proxy'),
  tor: fact('ip_tor'),
  disposable: fact('email_disposable'),
  free: fact('email_free'),
};
/** What a token of the device SDK told. */
export const token = {
  state: fact('device_state'),
  age: fact('device_token_age_ms'),
  automation: fact('device_automation'),
  zoneCountry: fact('device_zone_country'),
  zoneFits: fact('device_zone_fits'),
  languageFits: fact('device_language_fits'),
};
/** How often an entity took part in fraud, as far as is known, and how long ago the last became known. */
const fraudOf = (kind: string) => ({
  knownFrauds: fact(`${kind}.known_frauds`),
  fraudAge: fact(`${kind}.fraud_age_ms`),
  frauds: windows(`${kind}.frauds`),
});
export const user = {
  age: fact('user.age_ms'),
  idle: fact('user.idle_ms'),
  actions: fact('user.actions'),
  payments: fact('user.payments'),
  mean: fact('user.amount_mean'),
  deviation: fact('user.amount_deviation'),
  max: fact('user.amount_max'),
  transactions: windows('user.transactions'),
  amount: windows('user.amount'),
  failedLogins: windows('user.failed_logins'),
  changes: windows('user.changes'),
  methodsAdded: windows('user.methods_added'),
  small: windows('user.small_transactions'),
  networks: windows('user.distinct_network'),
  devices: windows('user.distinct_device'),
  fingerprints: windows('user.distinct_fingerprint'),
  thisNetwork: fact('user.this_network_age_ms'),
  thisDevice: fact('user.this_device_age_ms'),
  thisLikeness: fact('user.this_likeness_age_ms'),
  thisFingerprint: fact('user.this_fingerprint_age_ms'),
  counterparties: windows('user.distinct_counterparty'),
  thisCounterparty: fact('user.this_counterparty_age_ms'),
  countries: windows('user.distinct_country'),
  thisCountry: fact('user.this_country_age_ms'),
  travelKm: fact('user.travel_km'),
  travelMs: fact('user.travel_ms'),
  ...fraudOf('user'),
};
export const ip = {
  transactions: windows('ip.transactions'),
  small: windows('ip.small_transactions'),
  failedLogins: windows('ip.failed_logins'),
  signups: windows('ip.signups'),
  users: windows('ip.distinct_user'),
  fingerprints: windows('ip.distinct_fingerprint'),
  ...fraudOf('ip'),
};
export const network = {
  transactions: windows('network.transactions'),
  signups: windows('network.signups'),
  failedLogins: windows('network.failed_logins'),
  users: windows('network.distinct_user'),
  ...fraudOf('network'),
};
export const device = {
  transactions: windows('device.transactions'),
  small: windows('device.small_transactions'),
  signups: windows('device.signups'),
  users: windows('device.distinct_user'),
  fingerprints: windows('device.distinct_fingerprint'),
  thisToken: fact('device.this_token_age_ms'),
  ...fraudOf('device'),
};
export const likeness = {
  transactions: windows('likeness.transactions'),
  signups: windows('likeness.signups'),
  failedLogins: windows('likeness.failed_logins'),
  users: windows('likeness.distinct_user'),
  devices: windows('likeness.distinct_device'),
  thisToken: fact('likeness.this_token_age_ms'),
  ...fraudOf('likeness'),
};
export const fingerprint = {
  transactions: windows('fingerprint.transactions'),
  small: windows('fingerprint.small_transactions'),
  users: windows('fingerprint.distinct_user'),
  ...fraudOf('fingerprint'),
};
export const email = { users: windows('email.distinct_user'), ...fraudOf('email') };
export const counterparty = {
  age: fact('counterparty.age_ms'),
  max: fact('counterparty.amount_max'),
  transactions: windows('counterparty.transactions'),
  amount: windows('counterparty.amount'),
  users: windows('counterparty.distinct_user'),
  small: windows('counterparty.small_transactions'),
  large: windows('counterparty.large_transactions'),
  fingerprints: windows('counterparty.distinct_fingerprint'),
  ...fraudOf('counterparty'),
};
export const asn = { failedLogins: windows('asn.failed_logins') };
export const domain = {
  age: fact('domain.age_ms'),
  signups: windows('domain.signups'),
  users: windows('domain.distinct_user'),
};

export const get = (facts: Facts, at: number): number => facts[at] as number;
export const usd = (value: number): string => `$${value.toFixed(2)}`;
export const ordinal = (count: number): string => {
  const tens = count % 100;
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${suffix}`;
};

/** Known, and so: what is not known, or could not be had, is neither yes nor no. */
export const isYes = (f: Facts, at: number): boolean => get(f, at) === 1;
export const isNo = (f: Facts, at: number): boolean => get(f, at) === 0;
export const isPayout = (subject: Subject): boolean =>
  subject.type === 'event' && subject.request.type === 'payout_request';
export const isLogin = (subject: Subject): boolean => subject.type === 'event' && subject.request.type === 'login';
export const isFailedLogin = (subject: Subject): boolean =>
  subject.type === 'event' && subject.request.type === 'login' && subject.request.outcome === 'failed';

/** A payment far above what the user pays, as `countedAs` will count it. */
export const isLarge = (f: Facts): boolean =>
  get(f, dollars) * get(f, user.transactions.d30) > LARGE_TIMES * get(f, user.amount.d30) &&
  get(f, user.transactions.d30) > 0;
/** The user has a past one can compare with. */
export const established = (f: Facts): boolean => get(f, user.actions) >= 3 && get(f, user.age) >= DAY_MS;
/** The user was never seen with a thing: not where their history could not be had, and nothing is known of whom they were seen with. */
export const neverWith = (f: Facts, thisAge: number): boolean =>
  Number.isNaN(get(f, thisAge)) && get(f, user.actions) >= 0;
/** The request names a thing that this user was never seen with, although they were seen with others of its kind. */
export const isNew = (f: Facts, thisAge: number, seen: { readonly d30: number }): boolean =>
  Number.isNaN(get(f, thisAge)) && get(f, seen.d30) > 0;
export const names = (subject: Subject, member: 'ip_address' | 'device_token'): boolean =>
  subject.request[member] !== undefined;
export const namesInstrument = (subject: Subject): boolean =>
  subject.type === 'transaction' && subject.request.payment_fingerprint !== undefined;
/**
 * The device looks like one this user had a day ago or earlier, so that another key is mostly a browser that forgot the one before: some do so after a
 * week. The day is so that a thief gets none from their first visits.
 */
export const looksKnown = (f: Facts): boolean => get(f, user.thisLikeness) >= DAY_MS;
/** The opposite, where anything is known of the user at all. */
export const isNewLook = (f: Facts): boolean => get(f, user.actions) >= 0 && !looksKnown(f);
export const newDevice = (f: Facts, s: Subject): boolean =>
  names(s, 'device_token') && established(f) && isNew(f, user.thisDevice, user.devices) && !looksKnown(f);
/** Seen with this user for less than that, if at all, and after another device. */
export const deviceCameWithin = (f: Facts, s: Subject, ms: number, seen: number): boolean =>
  names(s, 'device_token') && cameWithin(f, ms, user.thisDevice, seen) && !looksKnown(f);
/** Whoever comes from another network nearly every time, for a day or more, has none that one could miss. */
export const isRoaming = (f: Facts): boolean =>
  established(f) && get(f, user.networks.d30) >= 0.9 * get(f, user.actions);
export const newNetwork = (f: Facts, s: Subject): boolean =>
  names(s, 'ip_address') && established(f) && !isRoaming(f) && isNew(f, user.thisNetwork, user.networks);

/** Seen with this user for less than that, if at all, and after another of its kind. */
export const cameWithin = (f: Facts, ms: number, thisAge: number, seen: number): boolean => {
  const age = get(f, thisAge);
  return Number.isNaN(age) ? get(f, seen) > 0 : age < ms && age < get(f, user.age) && get(f, seen) > 1;
};
/**
 * Device and network both came to the user within a day: one alone is a new phone or a trip, and whoever took over an account has mostly logged in
 * before they do harm, so that neither is quite new any more.
 */
export const cameLately = (f: Facts, s: Subject): boolean =>
  names(s, 'ip_address') &&
  get(f, user.actions) >= 3 &&
  !isRoaming(f) &&
  deviceCameWithin(f, s, DAY_MS, user.devices.d30) &&
  cameWithin(f, DAY_MS, user.thisNetwork, user.networks.d30);
/** The same of a user who had a day or more before it: on their first, people try one device after another. */
export const cameLatelyToKnown = (f: Facts, s: Subject): boolean => get(f, user.age) >= 2 * DAY_MS && cameLately(f, s);
/** How many there are with this one, when it may or may not be among those seen already. */
export const withThis = (f: Facts, seen: number, thisAge: number): number =>
  get(f, seen) + (neverWith(f, thisAge) ? 1 : 0);
/** A count that grew far beyond its own average over a longer time. */
export const burst = (f: Facts, recent: number, longer: number, ratio: number, times: number): boolean =>
  get(f, recent) + 1 > (get(f, longer) / ratio) * times;
