import { type Facts, LARGE_TIMES } from './facts.ts';
import { postalFits } from './postal.ts';
import {
  burst,
  counterparty,
  DAY_MS,
  dollars,
  get,
  isLarge,
  neverWith,
  ordinal,
  usd,
  user,
  withThis,
} from './signal-facts.ts';
import type { Signal } from './signals.ts';
import type { Subject } from './subject.ts';

const largeWithThis = (f: Facts): number => get(f, counterparty.large.h24) + (isLarge(f) ? 1 : 0);

const namesCounterparty = (s: Subject): boolean => s.type === 'transaction' && s.request.counterparty_id !== undefined;

/** What the counterparty received within a day, this payment included, by payment. */
const meanCollected = (f: Facts): number =>
  (get(f, counterparty.amount.h24) + get(f, dollars)) / (get(f, counterparty.transactions.h24) + 1);

const meanOfDay = (f: Facts): number =>
  (get(f, user.amount.h24) + get(f, dollars)) / (get(f, user.transactions.h24) + 1);

/** One sum in parts: many for this user, large, and none much larger than the others. */
const isInParts = (f: Facts): boolean =>
  get(f, user.transactions.h24) >= 3 &&
  meanOfDay(f) >= 500 &&
  Math.max(get(f, user.max), get(f, dollars)) <= 1.1 * meanOfDay(f) &&
  burst(f, user.transactions.h24, user.transactions.d30, 30, 4);
const counterpartiesOfDay = (f: Facts): number => withThis(f, user.counterparties.h24, user.thisCounterparty);

const misfit = (s: Subject): { readonly country: string; readonly kind: string } | undefined => {
  if (s.type !== 'transaction') return undefined;
  for (const kind of ['billing', 'shipping'] as const) {
    const { country, postal_code: code } = s.request[`${kind}_address`] ?? {};
    if (country !== undefined && code !== undefined && postalFits(country, code) === false) return { country, kind };
  }
  return undefined;
};

/** What the payment itself gives away. */
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
      namesCounterparty(s) &&
      get(f, user.payments) >= 3 &&
      Number.isNaN(get(f, user.thisCounterparty)) &&
      get(f, dollars) >= Math.max(100, get(f, user.mean) * 2),
    describe: (f) =>
      `First payment to this counterparty, ${usd(get(f, dollars))} against a mean of ${usd(get(f, user.mean))}`,
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
    name: 'mule_counterparty',
    meaning: `Three payments or more within 24 hours, and half of all or more, were over ${LARGE_TIMES} times their users' means, to a counterparty first seen less than 30 days ago.`,
    on: 'transaction',
    // The share, because any busy shop has three such customers a day, and to a new installation all shops are young.
    active: (f) =>
      get(f, counterparty.age) < 30 * DAY_MS &&
      largeWithThis(f) >= 3 &&
      2 * largeWithThis(f) >= get(f, counterparty.transactions.h24) + 1,
    describe: (f) =>
      `${largeWithThis(f)} of ${get(f, counterparty.transactions.h24) + 1} payments to this counterparty in 24 hours were unusually large for their users`,
  },
  {
    name: 'structuring',
    meaning:
      'Four payments or more of the user within 24 hours that are $500 or more on average, over four times their daily number, and the largest the user ever made no more than a tenth above that average: one sum in parts.',
    on: 'transaction',
    active: isInParts,
    describe: (f) =>
      `${get(f, user.transactions.h24) + 1} payments of about ${usd(meanOfDay(f))} in 24 hours, ${usd(get(f, user.amount.h24) + get(f, dollars))} together`,
  },
  {
    name: 'structuring_spread',
    meaning:
      'The same as `structuring`, with payments of $1,000 or more on average to three counterparties or more: one sum in parts to several.',
    on: 'transaction',
    active: (f, s) => namesCounterparty(s) && isInParts(f) && meanOfDay(f) >= 1000 && counterpartiesOfDay(f) >= 3,
    describe: (f) =>
      `Payments of about ${usd(meanOfDay(f))} each to ${counterpartiesOfDay(f)} counterparties in 24 hours`,
  },
  {
    name: 'collecting_counterparty',
    meaning:
      "The user's first payment to a counterparty first seen less than 30 days ago, which four users or more paid within 24 hours, $3,000 or more on average, none ever over a quarter more than that: sums alike, from many, to one.",
    on: 'transaction',
    active: (f) =>
      neverWith(f, user.thisCounterparty) &&
      get(f, counterparty.age) < 30 * DAY_MS &&
      get(f, counterparty.users.h24) >= 4 &&
      meanCollected(f) >= 3000 &&
      Math.max(get(f, counterparty.max), get(f, dollars)) <= 1.25 * meanCollected(f),
    describe: (f) =>
      `${get(f, counterparty.transactions.h24) + 1} payments of about ${usd(meanCollected(f))} to this counterparty in 24 hours, by ${get(f, counterparty.users.h24) + 1} or more users`,
  },
  {
    name: 'postal_code_form',
    meaning: 'The postal code of the billing or shipping address does not have the form used in its country.',
    on: 'transaction',
    active: (_, s) => misfit(s) !== undefined,
    describe: (_, s) => `The postal code of the ${misfit(s)?.kind} address is none of ${misfit(s)?.country}`,
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
