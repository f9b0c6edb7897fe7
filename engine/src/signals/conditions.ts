import { PAIR_FACTS } from '../history/fact-layout.ts';
import { type Facts, LARGE_TIMES } from '../history/facts.ts';
import { tenthsOf, trustOf } from '../history/trust.ts';
import { UNAVAILABLE } from '../subject/lookup-facts.ts';
import type { Subject } from '../subject/subject.ts';
import { duration, plural } from '../words.ts';
import { dollars, FAILED_AT, known, OTHER_AT, PAIR_AT, user } from './fact-positions.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const get = (facts: Facts, at: number): number => facts[at] as number;

/** A flag that is unknown or unavailable is neither yes nor no. */
export const isYes = (f: Facts, at: number): boolean => get(f, at) === 1;
export const isNo = (f: Facts, at: number): boolean => get(f, at) === 0;
export const isPayout = (subject: Subject): boolean =>
  subject.type === 'event' && subject.request.type === 'payout_request';
export const isLogin = (subject: Subject): boolean => subject.type === 'event' && subject.request.type === 'login';
export const isFailedLogin = (subject: Subject): boolean =>
  subject.type === 'event' && subject.request.type === 'login' && subject.request.outcome === 'failed';

/** Whether a payment is large for its user, by the rule of `activityOf`. */
export const isLarge = (f: Facts): boolean =>
  get(f, dollars) * get(f, user.transactions.d30) > LARGE_TIMES * get(f, user.amount.d30) &&
  get(f, user.transactions.d30) > 0;
/** Whether the user has enough history to compare with. */
export const isEstablished = (f: Facts): boolean => get(f, user.actions) >= 3 && get(f, user.age) >= DAY_MS;
/**
 * Whether the user never succeeded with an entity: failed attempts do not make it known. False if the user's history is
 * unavailable.
 */
export const isFirstTimeWith = (f: Facts, thisAge: number): boolean =>
  Number.isNaN(get(f, thisAge)) && get(f, user.actions) >= 0;
/** Whether the user was seen with an entity in 30 days. It is counted among the distinct ones then. */
const wasSeenWith = (f: Facts, thisAge: number): boolean =>
  get(f, PAIR_FACTS.seen + (PAIR_AT[thisAge] as number)) === 1;
/** Whether the user was seen with an entity only in failed attempts, in 30 days. */
export const hasOnlyFailedWith = (f: Facts, thisAge: number): boolean =>
  Number.isNaN(get(f, thisAge)) && wasSeenWith(f, thisAge);
/**
 * Whether `seen`, a count of distinct entities in a window, includes the entity of an attempt that failed. A failed login
 * before the window is not in the count, and must not make a thief's device look like one counted there.
 */
const isCountedIn = (f: Facts, thisAge: number, seen: number): boolean =>
  wasSeenWith(f, thisAge) && (get(f, user.failedLogins.d30) === 0 || get(f, FAILED_AT[seen] as number) > 0);
/**
 * The number of distinct entities of a kind that the user was seen with, without this one. In a window of less than 30 days,
 * it must be one that the user never succeeded with.
 */
export const countOthers = (f: Facts, thisAge: number, seen: number): number =>
  get(f, seen) - Number(isCountedIn(f, thisAge, seen));
/**
 * How many days ago the user was last with another of a kind that they ever succeeded with. Unknown if never, for other kinds
 * than device, network and country, and before version 7 of the facts.
 */
const daysSinceOther = (f: Facts, thisAge: number): number => {
  const other = OTHER_AT[thisAge] as number;
  return other < 0 ? Number.NaN : get(f, other);
};
/**
 * Whether the user was seen with others of a kind. After a month without a visit only the whole history tells: a thief prefers
 * accounts that nobody looks at.
 */
const hasOthers = (f: Facts, thisAge: number, seen: { readonly d30: number }): boolean =>
  countOthers(f, thisAge, seen.d30) > 0 || daysSinceOther(f, thisAge) >= 0;
/** "after 2 other networks in 30 days", or "after another network 40 days ago". */
export const describeOthers = (
  f: Facts,
  thisAge: number,
  seen: { readonly d30: number },
  one: string,
  many = `${one}s`,
): string => {
  const recent = countOthers(f, thisAge, seen.d30);
  return recent > 0
    ? `after ${plural(recent, `other ${one}`, `other ${many}`)} in 30 days`
    : `after another ${one} ${plural(daysSinceOther(f, thisAge), 'day')} ago`;
};

/** Whether the facts include the evidence for trust (version 5 and later). */
export const hasTrustFacts = (f: Facts, thisAge: number): boolean =>
  !Number.isNaN(get(f, PAIR_FACTS.days + (PAIR_AT[thisAge] as number)));
/** How far the user's use of an entity has earned trust, from 0 to 1. */
export const trustIn = (f: Facts, thisAge: number): number => {
  const pair = PAIR_AT[thisAge] as number;
  const days = get(f, PAIR_FACTS.days + pair);
  // Before version 5 of the facts, only the first time they were seen together is known.
  if (Number.isNaN(days)) return get(f, thisAge) >= 0 ? 1 : 0;
  return trustOf(get(f, thisAge), get(f, PAIR_FACTS.paid + pair), days, get(f, PAIR_FACTS.vouched + pair));
};
/**
 * An entity stays new to a user until it has earned this much: success on three days, or a payment two days ago. One login
 * is not enough, or a thief's first visit would make the thief's device known.
 */
const TRUSTED = 0.2;
/** Whether an entity is still new to the user. False if the user's history is unavailable. */
export const isUntrusted = (f: Facts, thisAge: number): boolean =>
  get(f, user.actions) >= 0 && trustIn(f, thisAge) < TRUSTED;
/** Describes that an entity is new to the user. A device of this payment may have been used for something else first. */
export const describeFirst = (
  f: Facts,
  thisAge: number,
  action: string,
  where: string,
  earlier = 'activity',
): string => {
  if (get(f, thisAge) >= 0) return `First ${earlier} by this user ${where} only ${duration(get(f, thisAge))} ago`;
  return hasOnlyFailedWith(f, thisAge)
    ? `Only failed attempts by this user ${where} so far`
    : `First ${action} by this user ${where}`;
};
/** Whether an entity is still new to the user, who was seen with others of its kind. */
export const isNewToUser = (f: Facts, thisAge: number, seen: { readonly d30: number }): boolean =>
  hasOthers(f, thisAge, seen) && isUntrusted(f, thisAge);
/** How new an entity is to a user who was seen with others of its kind, from 0 to 1. It falls as trust is earned. */
export const doubtIn = (f: Facts, thisAge: number, seen: { readonly d30: number }): number =>
  get(f, user.actions) >= 0 && hasOthers(f, thisAge, seen) ? (10 - tenthsOf(trustIn(f, thisAge))) / 10 : 0;
/** Device and network counts up to these are ordinary. Only the excess shows a habit. */
const ORDINARY = { devices: 3, networks: 6 } as const;
/**
 * How much a new one still means for this user, from 1 to 0. A browser that forgets its identifier, or a VPN, gives a new one
 * at every second visit: then one more says little.
 */
const surpriseOf = (f: Facts, thisAge: number, seen: { readonly d30: number }, ordinary: number): number => {
  const visits = Math.max(get(f, user.transactions.d30), get(f, user.logins.d30), 1);
  const share = Math.max(0, countOthers(f, thisAge, seen.d30) - ordinary) / visits;
  return Math.max(0, 1 - 2.5 * share);
};
/**
 * The longer somebody was away, the likelier they are back with a new phone or from another home: after a month the surprise
 * falls by half every four months. Nobody moves to another country that often.
 */
const QUIET_DAYS = 30;
const HALF_LIFE_DAYS = 120;
const surpriseAfterQuiet = (f: Facts, thisAge: number): number => {
  const days = daysSinceOther(f, thisAge);
  return days > QUIET_DAYS ? 2 ** ((QUIET_DAYS - days) / HALF_LIFE_DAYS) : 1;
};
const deviceSurprise = (f: Facts): number =>
  surpriseOf(f, user.thisDevice, user.devices, ORDINARY.devices) * surpriseAfterQuiet(f, user.thisDevice);
const networkSurprise = (f: Facts): number =>
  surpriseOf(f, user.thisNetwork, user.networks, ORDINARY.networks) * surpriseAfterQuiet(f, user.thisNetwork);
/** Below this, a new device or network is normal for the user and the signal stays off. */
const SURPRISING = 0.5;
export const hasField = (subject: Subject, field: 'ip_address' | 'device_token'): boolean =>
  subject.request[field] !== undefined;
export const hasInstrument = (subject: Subject): boolean =>
  subject.type === 'transaction' && subject.request.payment_fingerprint !== undefined;
/**
 * Whether the user had a device with this profile a day ago or earlier. A new key then mostly means that a browser
 * lost the old one, as some do after a week. It takes a day, so that a thief's first visits do not count.
 */
export const hasKnownProfile = (f: Facts): boolean => get(f, user.thisDeviceProfile) >= DAY_MS;
/** The opposite of `hasKnownProfile`. False if the user's history is unavailable. */
export const hasNewProfile = (f: Facts): boolean => get(f, user.actions) >= 0 && !hasKnownProfile(f);
const canHaveNewDevice = (f: Facts, s: Subject): boolean =>
  hasField(s, 'device_token') && isEstablished(f) && !hasKnownProfile(f);
export const isNewDevice = (f: Facts, s: Subject): boolean =>
  canHaveNewDevice(f, s) && isNewToUser(f, user.thisDevice, user.devices) && deviceSurprise(f) >= SURPRISING;
export const doubtInDevice = (f: Facts, s: Subject): number =>
  canHaveNewDevice(f, s) ? doubtIn(f, user.thisDevice, user.devices) * deviceSurprise(f) : 0;
/** Whether the device is new to the user within `ms`, and not their first device. */
export const isRecentDevice = (f: Facts, s: Subject, ms: number, seen: number): boolean =>
  hasField(s, 'device_token') && isRecent(f, ms, user.thisDevice, seen) && !hasKnownProfile(f);
/** Whether the user comes from another network nearly every time. A new network means nothing then. */
export const isRoaming = (f: Facts): boolean =>
  isEstablished(f) && get(f, user.networks.d30) >= 0.9 * get(f, user.actions);
const canHaveNewNetwork = (f: Facts, s: Subject): boolean =>
  hasField(s, 'ip_address') && isEstablished(f) && !isRoaming(f);
export const isNewNetwork = (f: Facts, s: Subject): boolean =>
  canHaveNewNetwork(f, s) && isNewToUser(f, user.thisNetwork, user.networks) && networkSurprise(f) >= SURPRISING;
export const doubtInNetwork = (f: Facts, s: Subject): number =>
  canHaveNewNetwork(f, s) ? doubtIn(f, user.thisNetwork, user.networks) * networkSurprise(f) : 0;

/** Whether an entity is new to the user within `ms`, and not their first of its kind. */
export const isRecent = (f: Facts, ms: number, thisAge: number, seen: number): boolean => {
  const age = get(f, thisAge);
  return Number.isNaN(age) ? countOthers(f, thisAge, seen) > 0 : age < ms && age < get(f, user.age) && get(f, seen) > 1;
};
/** Whether device and network are both new to the user. One alone may be a new phone or a trip. */
export const hasNewOrigin = (f: Facts, s: Subject): boolean => isNewDevice(f, s) && isNewNetwork(f, s);
/** The number of distinct entities, this one included. */
export const countWithThis = (f: Facts, seen: number, thisAge: number): number =>
  get(f, seen) + (isFirstTimeWith(f, thisAge) && !isCountedIn(f, thisAge, seen) ? 1 : 0);
/**
 * Whether a count, this subject included, exceeds `times` its average over a longer window of `ratio` times the
 * length.
 */
export const isBurst = (f: Facts, recent: number, longer: number, ratio: number, times: number): boolean =>
  get(f, recent) + 1 > (get(f, longer) / ratio) * times;

/** Whether the IP address hides where its user is. Each of these network types has its own signal. */
const isAnonymizing = (f: Facts): boolean =>
  isYes(f, known.hosting) || isYes(f, known.vpn) || isYes(f, known.proxy) || isYes(f, known.tor);
/** A user in three or more countries in 30 days travels or hides their location, so one more country means nothing. */
const hasFewCountries = (f: Facts): boolean => get(f, user.countries.d30) < 3;
/** Whether a change of location means anything for this user. */
export const hasSteadyLocation = (f: Facts): boolean => hasFewCountries(f) && !isRoaming(f);
/** Whether the IP address shows the country of its user. It does not while the network types are unavailable. */
export const isLocated = (f: Facts): boolean =>
  get(f, known.country) > 0 &&
  !isAnonymizing(f) &&
  get(f, known.hosting) !== UNAVAILABLE &&
  get(f, known.vpn) !== UNAVAILABLE;
/** Whether the network is usual for the user, such as their VPN, or the user travels. */
export const isUsualForUser = (f: Facts): boolean => trustIn(f, user.thisNetwork) >= TRUSTED || !hasFewCountries(f);
