import type { Facts } from './facts.ts';
import {
  burst,
  counterparty,
  device,
  dollars,
  fingerprint,
  get,
  ip,
  namesInstrument,
  ordinal,
  usd,
  user,
  withThis,
} from './signal-facts.ts';
import type { Signal } from './signals.ts';
import { SMALL_DOLLARS } from './subject.ts';

const testingOn = (f: Facts, of: { small: { h1: number }; fingerprints: { h1: number } }): boolean =>
  get(f, of.small.h1) >= 3 && get(f, of.fingerprints.h1) >= 3;

/** What the payment itself and its instrument give away. */
export const PAYMENT_SIGNALS: readonly Signal[] = [
  {
    name: 'velocity_spike',
    meaning:
      'The user pays far more often than usual: 5 times in 10 minutes, 10 in an hour, or 15 in a day at over four times their daily average.',
    on: 'transaction',
    active: (f) =>
      get(f, user.transactions.m10) >= 4 ||
      get(f, user.transactions.h1) >= 9 ||
      (get(f, user.transactions.h24) >= 14 && burst(f, user.transactions.h24, user.transactions.d30, 30, 4)),
    describe: (f) =>
      `The user's ${ordinal(get(f, user.transactions.h24) + 1)} payment in 24 hours, ${ordinal(get(f, user.transactions.m10) + 1)} in 10 minutes`,
  },
  {
    name: 'rapid_repeat',
    meaning: 'A third payment of the user within a minute.',
    on: 'transaction',
    active: (f) => get(f, user.transactions.m1) >= 2,
    describe: (f) => `The user's ${ordinal(get(f, user.transactions.m1) + 1)} payment within a minute`,
  },
  {
    name: 'amount_spike',
    meaning:
      "At least three times the user's mean amount and four standard deviations above it, after three payments or more.",
    on: 'transaction',
    active: (f) => {
      const mean = get(f, user.mean);
      const deviation = Math.max(get(f, user.deviation), mean * 0.1);
      return get(f, user.payments) >= 3 && get(f, dollars) >= mean * 3 && get(f, dollars) >= mean + 4 * deviation;
    },
    describe: (f) => `${usd(get(f, dollars))} where this user's mean is ${usd(get(f, user.mean))}`,
  },
  {
    name: 'amount_above_maximum',
    meaning: "Over one and a half times the largest of the user's five or more payments.",
    on: 'transaction',
    active: (f) => get(f, user.payments) >= 5 && get(f, dollars) > get(f, user.max) * 1.5,
    describe: (f) => `${usd(get(f, dollars))} where this user's largest payment was ${usd(get(f, user.max))}`,
  },
  {
    name: 'first_payment_large',
    meaning: "The user's first payment, of $500 or more.",
    on: 'transaction',
    active: (f) => get(f, user.payments) === 0 && get(f, dollars) >= 500,
    describe: (f) => `The first payment of this user is ${usd(get(f, dollars))}`,
  },
  {
    name: 'new_counterparty_large',
    meaning: "The user's first payment to this counterparty, at least twice their mean amount and $100.",
    on: 'transaction',
    active: (f, s) =>
      s.type === 'transaction' &&
      s.request.counterparty_id !== undefined &&
      get(f, user.payments) >= 3 &&
      Number.isNaN(get(f, user.thisCounterparty)) &&
      get(f, dollars) >= Math.max(100, get(f, user.mean) * 2),
    describe: (f) =>
      `First payment to this counterparty, ${usd(get(f, dollars))} against a mean of ${usd(get(f, user.mean))}`,
  },
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
    name: 'instrument_velocity',
    meaning: 'A sixth payment with one instrument within an hour.',
    on: 'transaction',
    active: (f) => get(f, fingerprint.transactions.h1) >= 5,
    describe: (f) => `The ${ordinal(get(f, fingerprint.transactions.h1) + 1)} payment with this instrument in an hour`,
  },
  {
    name: 'counterparty_burst',
    meaning: 'Twenty payments to one counterparty within an hour, over five times its weekly average.',
    on: 'transaction',
    active: (f) =>
      get(f, counterparty.transactions.h1) >= 19 &&
      burst(f, counterparty.transactions.h1, counterparty.transactions.d7, 168, 5),
    describe: (f) => `The ${ordinal(get(f, counterparty.transactions.h1) + 1)} payment to this counterparty in an hour`,
  },
  {
    name: 'address_mismatch',
    meaning: 'Billing and shipping address are in different countries.',
    on: 'transaction',
    active: (_, s) => {
      if (s.type !== 'transaction') return false;
      const billing = s.request.billing_address?.country;
      const shipping = s.request.shipping_address?.country;
      return billing !== undefined && shipping !== undefined && billing !== shipping;
    },
    describe: (_, s) =>
      s.type === 'transaction'
        ? `Billed in ${s.request.billing_address?.country}, shipped to ${s.request.shipping_address?.country}`
        : '',
  },
];
