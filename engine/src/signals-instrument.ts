import type { Facts } from './facts.ts';
import {
  counterparty,
  device,
  dollars,
  fingerprint,
  get,
  ip,
  namesInstrument,
  neverWith,
  ordinal,
  usd,
  user,
  withThis,
} from './signal-facts.ts';
import type { Signal } from './signals.ts';
import { SMALL_DOLLARS } from './subject.ts';

const testingOn = (f: Facts, of: { small: { h1: number }; fingerprints: { h1: number } }): boolean =>
  get(f, of.small.h1) >= 3 && get(f, of.fingerprints.h1) >= 3;

/**
 * Card testing that takes its time. People behind one address pay little with cards of their own, so there it must be more cards than
 * people could have; a shop with small prices sees little else, so counterparties are not asked.
 */
const testedOver24h = (f: Facts, of: { small: { h24: number }; fingerprints: { h24: number } }): boolean =>
  get(f, of.small.h24) >= 4 && get(f, of.fingerprints.h24) >= 4;
const spreadOver24h = (f: Facts): 'user' | 'device' | 'address' | undefined => {
  if (testedOver24h(f, user)) return 'user';
  if (testedOver24h(f, device)) return 'device';
  return testedOver24h(f, ip) && get(f, ip.fingerprints.h24) >= 2 * get(f, ip.users.h24) ? 'address' : undefined;
};

/** Many thieves' accounts with several cards each: customers of a shop with small prices have one, so cards must outnumber those who pay. */
const outnumbered = (f: Facts, window: 'h1' | 'h24'): boolean =>
  get(f, counterparty.small[window]) >= 5 &&
  2 * get(f, counterparty.small[window]) >= get(f, counterparty.transactions[window]) &&
  get(f, counterparty.fingerprints[window]) >= 5 &&
  2 * get(f, counterparty.fingerprints[window]) >= 3 * get(f, counterparty.users[window]);

/** What payment instruments, and how they are tried, give away. */
export const INSTRUMENT_SIGNALS: readonly Signal[] = [
  {
    name: 'card_testing_pattern',
    meaning: `Many payments under $${SMALL_DOLLARS}: after three in an hour with three instruments from one address or device, after three in 10 minutes with one instrument or by one user, or after five in 10 minutes with five instruments at one counterparty.`,
    on: 'transaction',
    active: (f) =>
      get(f, dollars) < SMALL_DOLLARS &&
      (testingOn(f, ip) ||
        testingOn(f, device) ||
        get(f, fingerprint.small.m10) >= 3 ||
        get(f, user.small.m10) >= 3 ||
        (get(f, counterparty.small.m10) >= 5 && get(f, counterparty.fingerprints.m10) >= 5)),
    describe: (f) => {
      const seen = [
        [get(f, user.small.h1), 'user'],
        [get(f, ip.small.h1), 'address'],
        [get(f, device.small.h1), 'device'],
        [get(f, fingerprint.small.h1), 'instrument'],
        [get(f, counterparty.small.h1), 'counterparty'],
      ] as const;
      const [most, where] = seen.reduce((best, next) => (next[0] > best[0] || Number.isNaN(best[0]) ? next : best));
      return `${most + 1} payments under ${usd(SMALL_DOLLARS)} in an hour on one ${where}`;
    },
  },
  {
    name: 'card_testing_spread',
    meaning: `A payment under $${SMALL_DOLLARS} after four or more with four instruments or more within 24 hours, by one user, on one device, or from one address with half as many users.`,
    on: 'transaction',
    active: (f) => get(f, dollars) < SMALL_DOLLARS && spreadOver24h(f) !== undefined,
    describe: (f) => {
      const where = spreadOver24h(f);
      const of = { user, device, address: ip }[where ?? 'user'];
      return `${get(f, of.small.h24) + 1} payments under ${usd(SMALL_DOLLARS)} with ${get(f, of.fingerprints.h24)} or more instruments in 24 hours on one ${where}`;
    },
  },
  {
    name: 'card_testing_at_counterparty',
    meaning: `A payment under $${SMALL_DOLLARS} to a counterparty that, within an hour or 24 hours, had five or more such payments, half of all or more, with five instruments or more, one and a half times as many as users.`,
    on: 'transaction',
    active: (f) => get(f, dollars) < SMALL_DOLLARS && (outnumbered(f, 'h1') || outnumbered(f, 'h24')),
    describe: (f) => {
      const window = outnumbered(f, 'h1') ? 'h1' : 'h24';
      return `${get(f, counterparty.small[window]) + 1} payments under ${usd(SMALL_DOLLARS)} to this counterparty in ${window === 'h1' ? 'an hour' : '24 hours'}, with ${get(f, counterparty.fingerprints[window])} or more instruments of ${get(f, counterparty.users[window])} or more users`;
    },
  },
  {
    name: 'many_instruments',
    meaning: 'A third payment instrument of the user, or more, within 24 hours.',
    on: 'transaction',
    active: (f, s) =>
      namesInstrument(s) &&
      withThis(f, user.fingerprints.h24, user.thisFingerprint) >= 3 &&
      get(f, user.fingerprints.h24) >= 2,
    describe: (f) =>
      `${withThis(f, user.fingerprints.h24, user.thisFingerprint)} payment instruments of one user in 24 hours`,
  },
  {
    name: 'shared_instrument',
    meaning: 'The payment instrument was used by three users or more in 30 days.',
    on: 'transaction',
    active: (f) => get(f, fingerprint.users.d30) >= 3,
    describe: (f) => `${get(f, fingerprint.users.d30)} users paid with this instrument in 30 days`,
  },
  {
    name: 'instrument_new_users',
    meaning: 'A payment instrument new to this user, which two others or more used within 24 hours.',
    on: 'transaction',
    // Colleagues with one card take turns; a stolen number goes from one new user to the next.
    active: (f) => neverWith(f, user.thisFingerprint) && get(f, fingerprint.users.h24) >= 2,
    describe: (f) => `The ${ordinal(get(f, fingerprint.users.h24) + 1)} user of one instrument in 24 hours`,
  },
  {
    name: 'instrument_velocity',
    meaning: 'A sixth payment with one instrument within an hour.',
    on: 'transaction',
    active: (f) => get(f, fingerprint.transactions.h1) >= 5,
    describe: (f) => `The ${ordinal(get(f, fingerprint.transactions.h1) + 1)} payment with this instrument in an hour`,
  },
];
