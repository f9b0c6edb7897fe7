import type { Facts } from '../history/facts.ts';
import { money } from '../subject/money.ts';
import { SMALL_DOLLARS } from '../subject/subject.ts';
import { ordinal, plural } from '../words.ts';
import { countWithThis, get, hasInstrument, isFirstTimeWith } from './conditions.ts';
import { counterparty, device, dollars, fingerprint, ip, user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

const isTestedInHour = (f: Facts, of: { small: { h1: number }; fingerprints: { h1: number } }): boolean =>
  get(f, of.small.h1) >= 3 && get(f, of.fingerprints.h1) >= 3;

/**
 * Slow card testing. The users of a shared IP address make small payments with their own cards, so an address must
 * have at least twice as many cards as users. A shop with low prices gets many small payments, so counterparties are
 * not checked.
 */
const isTestedInDay = (f: Facts, of: { small: { h24: number }; fingerprints: { h24: number } }): boolean =>
  get(f, of.small.h24) >= 4 && get(f, of.fingerprints.h24) >= 4;
/** The origin of slow card testing; undefined if there is none. */
const spreadInDay = (f: Facts): 'user' | 'device' | 'address' | undefined => {
  if (isTestedInDay(f, user)) return 'user';
  if (isTestedInDay(f, device)) return 'device';
  return isTestedInDay(f, ip) && get(f, ip.fingerprints.h24) >= 2 * get(f, ip.users.h24) ? 'address' : undefined;
};

/**
 * Card testing from many accounts with several cards each. Customers of a shop with low prices have one card each, so
 * cards must outnumber users.
 */
const hasMoreInstrumentsThanUsers = (f: Facts, window: 'h1' | 'h24'): boolean =>
  get(f, counterparty.small[window]) >= 5 &&
  2 * get(f, counterparty.small[window]) >= get(f, counterparty.transactions[window]) &&
  get(f, counterparty.fingerprints[window]) >= 5 &&
  2 * get(f, counterparty.fingerprints[window]) >= 3 * get(f, counterparty.users[window]);

/** How a description names the origin of payments. */
const ORIGINS = {
  user: 'by this user',
  address: 'from this IP address',
  device: 'from this device',
  instrument: 'with this payment instrument',
  counterparty: 'to this counterparty',
} as const;

const ORIGIN_FACTS = { user, device, address: ip } as const;
/** Where most of the small payments of the last hour came from, and how many. */
const mostSmall = (f: Facts): readonly [count: number, where: keyof typeof ORIGINS] => {
  const seen = [
    [get(f, user.small.h1), 'user'],
    [get(f, ip.small.h1), 'address'],
    [get(f, device.small.h1), 'device'],
    [get(f, fingerprint.small.h1), 'instrument'],
    [get(f, counterparty.small.h1), 'counterparty'],
  ] as const;
  return seen.reduce((best, next) => (next[0] > best[0] || Number.isNaN(best[0]) ? next : best));
};
const testedWindow = (f: Facts): 'h1' | 'h24' => (hasMoreInstrumentsThanUsers(f, 'h1') ? 'h1' : 'h24');
const WINDOWS = { h1: 'an hour', h24: '24 hours' } as const;

/** Patterns in the use of payment instruments. */
export const INSTRUMENT_SIGNALS: readonly Signal[] = [
  {
    name: 'card_testing_pattern',
    meaning: `Repeated payments under $${SMALL_DOLLARS}: after three in an hour with three instruments from one IP address or device, after three in 10 minutes with one instrument or by one user, or after five in 10 minutes with five instruments at one counterparty.`,
    on: 'transaction',
    theme: 'pace',
    topics: ['user.small', 'ip.small', 'device.small', 'fingerprint.small', 'counterparty.small'],
    active: (f) =>
      get(f, dollars) < SMALL_DOLLARS &&
      (isTestedInHour(f, ip) ||
        isTestedInHour(f, device) ||
        get(f, fingerprint.small.m10) >= 3 ||
        get(f, user.small.m10) >= 3 ||
        (get(f, counterparty.small.m10) >= 5 && get(f, counterparty.fingerprints.m10) >= 5)),
    describe: (f, s) => {
      const [most, where] = mostSmall(f);
      return `${most + 1} payments under ${money(s, SMALL_DOLLARS)} in an hour ${ORIGINS[where]}`;
    },
    brief: (f) => `${mostSmall(f)[0] + 1} small payments in an hour`,
  },
  {
    name: 'card_testing_spread',
    meaning: `A payment under $${SMALL_DOLLARS} after four or more with four or more instruments in 24 hours: by one user, from one device, or from one IP address with at most half as many users as instruments.`,
    on: 'transaction',
    theme: 'pace',
    topics: ['user.small', 'ip.small', 'device.small', 'fingerprint.small', 'counterparty.small'],
    active: (f) => get(f, dollars) < SMALL_DOLLARS && spreadInDay(f) !== undefined,
    describe: (f, s) => {
      const where = spreadInDay(f) ?? 'user';
      const of = ORIGIN_FACTS[where];
      return `${get(f, of.small.h24) + 1} payments under ${money(s, SMALL_DOLLARS)} with ${get(f, of.fingerprints.h24)} or more payment instruments in 24 hours ${ORIGINS[where]}`;
    },
    brief: (f) => {
      const of = ORIGIN_FACTS[spreadInDay(f) ?? 'user'];
      return `${get(f, of.small.h24) + 1} small payments with ${get(f, of.fingerprints.h24)} payment instruments in 24 hours`;
    },
  },
  {
    name: 'card_testing_at_counterparty',
    meaning: `A payment under $${SMALL_DOLLARS} to a counterparty that had five or more such payments in an hour or in 24 hours. They are at least half of its payments, which came with five or more instruments, at least one and a half times as many as users.`,
    on: 'transaction',
    theme: 'pace',
    topics: ['counterparty.small'],
    active: (f) =>
      get(f, dollars) < SMALL_DOLLARS &&
      (hasMoreInstrumentsThanUsers(f, 'h1') || hasMoreInstrumentsThanUsers(f, 'h24')),
    describe: (f, s) => {
      const window = testedWindow(f);
      return `${get(f, counterparty.small[window]) + 1} payments under ${money(s, SMALL_DOLLARS)} to this counterparty in ${WINDOWS[window]}, with ${get(f, counterparty.fingerprints[window])} or more payment instruments and ${plural(get(f, counterparty.users[window]), 'user')} or more`;
    },
    brief: (f) =>
      `${get(f, counterparty.small[testedWindow(f)]) + 1} small payments to this counterparty in ${WINDOWS[testedWindow(f)]}`,
  },
  {
    name: 'many_instruments',
    meaning: 'The user pays with a third instrument, or more, in 24 hours.',
    on: 'transaction',
    theme: 'money',
    topics: ['user.distinct_fingerprint'],
    active: (f, s) =>
      hasInstrument(s) &&
      countWithThis(f, user.fingerprints.h24, user.thisFingerprint) >= 3 &&
      get(f, user.fingerprints.h24) >= 2,
    describe: (f) =>
      `${countWithThis(f, user.fingerprints.h24, user.thisFingerprint)} payment instruments used by this user in 24 hours`,
    brief: (f) => `${countWithThis(f, user.fingerprints.h24, user.thisFingerprint)} payment instruments in 24 hours`,
  },
  {
    name: 'shared_instrument',
    meaning: 'Three or more users paid with the instrument in 30 days.',
    on: 'transaction',
    theme: 'links',
    topics: ['fingerprint.distinct_user'],
    active: (f) => get(f, fingerprint.users.d30) >= 3,
    describe: (f) => `${get(f, fingerprint.users.d30)} users paid with this payment instrument in 30 days`,
    brief: (f) => `payment instrument of ${get(f, fingerprint.users.d30)} users`,
  },
  {
    name: 'instrument_new_users',
    meaning: 'The instrument is new to this user, and two or more others used it in the last 24 hours.',
    on: 'transaction',
    theme: 'links',
    topics: ['fingerprint.distinct_user'],
    // Colleagues who share a card use it in turns; a stolen card number moves from one new user to the next.
    active: (f) => isFirstTimeWith(f, user.thisFingerprint) && get(f, fingerprint.users.h24) >= 2,
    describe: (f) => `${ordinal(get(f, fingerprint.users.h24) + 1)} user of this payment instrument in 24 hours`,
    brief: (f) => `${ordinal(get(f, fingerprint.users.h24) + 1)} user of this payment instrument in 24 hours`,
  },
  {
    name: 'instrument_velocity',
    meaning: 'A sixth payment or more with one instrument in an hour.',
    on: 'transaction',
    theme: 'pace',
    topics: ['fingerprint.pace'],
    active: (f) => get(f, fingerprint.transactions.h1) >= 5,
    describe: (f) =>
      `${ordinal(get(f, fingerprint.transactions.h1) + 1)} payment with this payment instrument in an hour`,
    brief: (f) => `${get(f, fingerprint.transactions.h1) + 1} payments with this payment instrument in an hour`,
  },
];
