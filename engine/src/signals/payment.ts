import { type Facts, LARGE_TIMES } from '../history/facts.ts';
import { fitsPostalFormat } from '../subject/postal-code.ts';
import type { Subject } from '../subject/subject.ts';
import { countWithThis, DAY_MS, get, isBurst, isFirstTimeWith, isLarge, ordinal, usd } from './conditions.ts';
import { counterparty, dollars, user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

const largeCountWithThis = (f: Facts): number => get(f, counterparty.large.h24) + (isLarge(f) ? 1 : 0);

const hasCounterparty = (s: Subject): boolean => s.type === 'transaction' && s.request.counterparty_id !== undefined;

/** The mean amount the counterparty received in 24 hours, this payment included. */
const meanCollected = (f: Facts): number =>
  (get(f, counterparty.amount.h24) + get(f, dollars)) / (get(f, counterparty.transactions.h24) + 1);

/** The mean amount the user paid in 24 hours, this payment included. */
const meanOfDay = (f: Facts): number =>
  (get(f, user.amount.h24) + get(f, dollars)) / (get(f, user.transactions.h24) + 1);

/** One sum split into parts: more payments than usual, large ones, and none much larger than the others. */
const isSplitSum = (f: Facts): boolean =>
  get(f, user.transactions.h24) >= 3 &&
  meanOfDay(f) >= 500 &&
  Math.max(get(f, user.max), get(f, dollars)) <= 1.1 * meanOfDay(f) &&
  isBurst(f, user.transactions.h24, user.transactions.d30, 30, 4);
const counterpartiesOfDay = (f: Facts): number => countWithThis(f, user.counterparties.h24, user.thisCounterparty);

const findPostalMisfit = (s: Subject): { readonly country: string; readonly kind: string } | undefined => {
  if (s.type !== 'transaction') return undefined;
  for (const kind of ['billing', 'shipping'] as const) {
    const { country, postal_code: code } = s.request[`${kind}_address`] ?? {};
    if (country !== undefined && code !== undefined && fitsPostalFormat(country, code) === false)
      return { country, kind };
  }
  return undefined;
};

/** Patterns in the payment itself. */
export const PAYMENT_SIGNALS: readonly Signal[] = [
  {
    name: 'velocity_spike',
    meaning:
      'The user pays far more often than usual: 5 times in 10 minutes, 10 times in an hour, or 15 times in 24 hours and over four times their daily average.',
    on: 'transaction',
    active: (f) =>
      get(f, user.transactions.m10) >= 4 ||
      get(f, user.transactions.h1) >= 9 ||
      (get(f, user.transactions.h24) >= 14 && isBurst(f, user.transactions.h24, user.transactions.d30, 30, 4)),
    describe: (f) =>
      `${ordinal(get(f, user.transactions.h24) + 1)} payment by this user in 24 hours, ${ordinal(get(f, user.transactions.m10) + 1)} in 10 minutes`,
  },
  {
    name: 'rapid_repeat',
    meaning: 'A third payment or more by the user in a minute.',
    on: 'transaction',
    active: (f) => get(f, user.transactions.m1) >= 2,
    describe: (f) => `${ordinal(get(f, user.transactions.m1) + 1)} payment by this user in a minute`,
  },
  {
    name: 'amount_spike',
    meaning:
      "The amount is at least three times the user's mean and four standard deviations above it, after three or more payments.",
    on: 'transaction',
    active: (f) => {
      const mean = get(f, user.mean);
      const deviation = Math.max(get(f, user.deviation), mean * 0.1);
      return get(f, user.payments) >= 3 && get(f, dollars) >= mean * 3 && get(f, dollars) >= mean + 4 * deviation;
    },
    describe: (f) => `${usd(get(f, dollars))}, but this user's mean payment is ${usd(get(f, user.mean))}`,
  },
  {
    name: 'amount_above_maximum',
    meaning: "The amount is over one and a half times the user's largest payment, after five or more payments.",
    on: 'transaction',
    active: (f) => get(f, user.payments) >= 5 && get(f, dollars) > get(f, user.max) * 1.5,
    describe: (f) => `${usd(get(f, dollars))}, but this user's largest payment was ${usd(get(f, user.max))}`,
  },
  {
    name: 'first_payment_large',
    meaning: "The user's first payment is $500 or more.",
    on: 'transaction',
    active: (f) => get(f, user.payments) === 0 && get(f, dollars) >= 500,
    describe: (f) => `First payment by this user, of ${usd(get(f, dollars))}`,
  },
  {
    name: 'new_counterparty_large',
    meaning: "The user's first payment to this counterparty is at least $100 and twice their mean amount.",
    on: 'transaction',
    active: (f, s) =>
      hasCounterparty(s) &&
      get(f, user.payments) >= 3 &&
      Number.isNaN(get(f, user.thisCounterparty)) &&
      get(f, dollars) >= Math.max(100, get(f, user.mean) * 2),
    describe: (f) =>
      `First payment by this user to this counterparty: ${usd(get(f, dollars))}, but their mean payment is ${usd(get(f, user.mean))}`,
  },
  {
    name: 'counterparty_burst',
    meaning:
      'A twentieth payment or more to one counterparty in an hour, over five times its hourly average of 7 days.',
    on: 'transaction',
    active: (f) =>
      get(f, counterparty.transactions.h1) >= 19 &&
      isBurst(f, counterparty.transactions.h1, counterparty.transactions.d7, 168, 5),
    describe: (f) => `${ordinal(get(f, counterparty.transactions.h1) + 1)} payment to this counterparty in an hour`,
  },
  {
    name: 'mule_counterparty',
    meaning: `Three or more payments to a counterparty in 24 hours, at least half of all, are over ${LARGE_TIMES} times the mean of their users. The counterparty was first seen less than 30 days ago.`,
    on: 'transaction',
    // The share matters because any busy shop has three such customers a day, and all shops are new to a new
    // installation.
    active: (f) =>
      get(f, counterparty.age) < 30 * DAY_MS &&
      largeCountWithThis(f) >= 3 &&
      2 * largeCountWithThis(f) >= get(f, counterparty.transactions.h24) + 1,
    describe: (f) =>
      `${largeCountWithThis(f)} of ${get(f, counterparty.transactions.h24) + 1} payments to this counterparty in 24 hours are unusually large for their users`,
  },
  {
    name: 'structuring',
    meaning:
      'One sum split into parts: the user makes four or more payments in 24 hours, of $500 or more on average and over four times their daily number. Their largest payment ever is at most a tenth above that average.',
    on: 'transaction',
    active: isSplitSum,
    describe: (f) =>
      `${get(f, user.transactions.h24) + 1} payments of about ${usd(meanOfDay(f))} by this user in 24 hours, ${usd(get(f, user.amount.h24) + get(f, dollars))} in total`,
  },
  {
    name: 'structuring_spread',
    meaning:
      'The pattern of `structuring`, with payments of $1,000 or more on average to three or more counterparties.',
    on: 'transaction',
    active: (f, s) => hasCounterparty(s) && isSplitSum(f) && meanOfDay(f) >= 1000 && counterpartiesOfDay(f) >= 3,
    describe: (f) =>
      `Payments of about ${usd(meanOfDay(f))} by this user to ${counterpartiesOfDay(f)} counterparties in 24 hours`,
  },
  {
    name: 'collecting_counterparty',
    meaning:
      "One counterparty collects similar sums from many: four or more users paid it in 24 hours, $3,000 or more on average, and no payment to it ever was over a quarter above that. It was first seen less than 30 days ago, and this is the user's first payment to it.",
    on: 'transaction',
    active: (f) =>
      isFirstTimeWith(f, user.thisCounterparty) &&
      get(f, counterparty.age) < 30 * DAY_MS &&
      get(f, counterparty.users.h24) >= 4 &&
      meanCollected(f) >= 3000 &&
      Math.max(get(f, counterparty.max), get(f, dollars)) <= 1.25 * meanCollected(f),
    describe: (f) =>
      `${get(f, counterparty.transactions.h24) + 1} payments of about ${usd(meanCollected(f))} to this counterparty in 24 hours, by ${get(f, counterparty.users.h24) + 1} or more users`,
  },
  {
    name: 'postal_code_form',
    meaning: 'The postal code of the billing or shipping address does not have the format of its country.',
    on: 'transaction',
    active: (_, s) => findPostalMisfit(s) !== undefined,
    describe: (_, s) =>
      `The postal code of the ${findPostalMisfit(s)?.kind} address does not have the format of ${findPostalMisfit(s)?.country}`,
  },
  {
    name: 'address_mismatch',
    meaning: 'The billing and shipping addresses are in different countries.',
    on: 'transaction',
    active: (_, s) => {
      if (s.type !== 'transaction') return false;
      const billing = s.request.billing_address?.country;
      const shipping = s.request.shipping_address?.country;
      return billing !== undefined && shipping !== undefined && billing !== shipping;
    },
    describe: (_, s) =>
      s.type === 'transaction'
        ? `Billing address in ${s.request.billing_address?.country}, shipping address in ${s.request.shipping_address?.country}`
        : '',
  },
];
