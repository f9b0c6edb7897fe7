import { type Facts, LARGE_TIMES } from '../history/facts.ts';
import { countryName } from '../subject/country-name.ts';
import { money } from '../subject/money.ts';
import { fitsPostalFormat } from '../subject/postal-code.ts';
import type { Subject } from '../subject/subject.ts';
import { ordinal, times } from '../words.ts';
import { countWithThis, DAY_MS, describeFirst, get, isBurst, isLarge, isUntrusted } from './conditions.ts';
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
/** The users who paid the counterparty in 24 hours, this one included. */
const payersOfDay = (f: Facts): number => countWithThis(f, counterparty.users.h24, user.thisCounterparty);
const counterpartiesOfDay = (f: Facts): number => countWithThis(f, user.counterparties.h24, user.thisCounterparty);

/** The fields of addresses, by kind: writing the name of a field for every subject takes longer than reading it. */
const ADDRESS_FIELDS = [
  ['billing', 'billing_address'],
  ['shipping', 'shipping_address'],
] as const;

const findPostalMisfit = (s: Subject): { readonly country: string; readonly kind: string } | undefined => {
  if (s.type !== 'transaction') return undefined;
  for (const [kind, field] of ADDRESS_FIELDS) {
    const address = s.request[field];
    if (address === undefined) continue;
    const { country, postal_code: code } = address;
    if (country !== undefined && code !== undefined && fitsPostalFormat(country, code) === false)
      return { country, kind };
  }
  return undefined;
};

const countryIn = (s: Subject, kind: 'billing' | 'shipping'): string =>
  s.type === 'transaction' ? countryName(s.request[`${kind}_address`]?.country ?? '') : '';

/**
 * A user pays too often when a window has at least `from` payments and they are more than `share` of the payments in the
 * `longer` window. The second condition excludes users who always pay this often.
 */
const PACES = [
  { window: user.transactions.m10, name: '10 minutes', from: 5, longer: user.transactions.d7, share: 1 / 4 },
  { window: user.transactions.h1, name: 'an hour', from: 10, longer: user.transactions.d7, share: 1 / 4 },
  { window: user.transactions.h24, name: '24 hours', from: 15, longer: user.transactions.d30, share: 4 / 30 },
] as const;
type Pace = (typeof PACES)[number];
const isTooFast = (f: Facts, { window, from, longer, share }: Pace): boolean =>
  get(f, window) + 1 >= from && get(f, window) + 1 > share * get(f, longer);
const findPace = (f: Facts): Pace | undefined => {
  for (let i = 0; i < PACES.length; i++) if (isTooFast(f, PACES[i] as Pace)) return PACES[i];
  return undefined;
};
/** 0.25 at the threshold, plus 0.25 each time the count doubles. */
const paceGrade = (f: Facts): number => {
  let grade = 0;
  for (let i = 0; i < PACES.length; i++) {
    const pace = PACES[i] as Pace;
    if (isTooFast(f, pace)) grade = Math.max(grade, 0.25 + 0.25 * Math.log2((get(f, pace.window) + 1) / pace.from));
  }
  return grade;
};
/** The number of the user's payments, this one included, in the shortest window that has too many. */
const mostPayments = (f: Facts): readonly [count: number, window: string] => {
  const { window, name } = findPace(f) ?? PACES[2];
  return [get(f, window) + 1, name];
};

/** Patterns in the payment itself. */
export const PAYMENT_SIGNALS: readonly Signal[] = [
  {
    name: 'velocity_spike',
    meaning:
      'The user pays far more often than usual: 5 times in 10 minutes or 10 times in an hour, over a quarter of their payments in 7 days, or 15 times in 24 hours and over four times their daily average.',
    on: 'transaction',
    theme: 'pace',
    topics: ['user.pace'],
    active: (f) => findPace(f) !== undefined,
    grade: (f) => Math.min(1, paceGrade(f)),
    describe: (f) => {
      const [count, window] = mostPayments(f);
      const inDay = get(f, user.transactions.h24) + 1;
      return `${ordinal(count)} payment by this user in ${window}${inDay > count ? `, ${ordinal(inDay)} in 24 hours` : ''}`;
    },
    brief: (f) => `${mostPayments(f)[0]} payments in ${mostPayments(f)[1]}`,
  },
  {
    name: 'rapid_repeat',
    meaning: 'A third payment or more by the user in a minute.',
    on: 'transaction',
    theme: 'pace',
    topics: ['user.pace'],
    active: (f) => get(f, user.transactions.m1) >= 2,
    describe: (f) => `${ordinal(get(f, user.transactions.m1) + 1)} payment by this user in a minute`,
    brief: (f) => `${get(f, user.transactions.m1) + 1} payments within a minute`,
  },
  {
    name: 'amount_spike',
    meaning:
      "The amount is at least three times the user's mean and four standard deviations above it, after three or more payments.",
    on: 'transaction',
    theme: 'money',
    topics: ['amount'],
    active: (f) => {
      const mean = get(f, user.mean);
      const deviation = Math.max(get(f, user.deviation), mean * 0.1);
      return get(f, user.payments) >= 3 && get(f, dollars) >= mean * 3 && get(f, dollars) >= mean + 4 * deviation;
    },
    describe: (f, s) =>
      `${money(s, get(f, dollars))}, ${times(get(f, dollars) / get(f, user.mean))} the usual payment by this user (${money(s, get(f, user.mean))})`,
    brief: (f) => `amount ${times(get(f, dollars) / get(f, user.mean))} the usual`,
  },
  {
    name: 'amount_above_maximum',
    meaning: "The amount is over one and a half times the user's largest payment, after five or more payments.",
    on: 'transaction',
    theme: 'money',
    topics: ['amount'],
    active: (f) => get(f, user.payments) >= 5 && get(f, dollars) > get(f, user.max) * 1.5,
    describe: (f, s) =>
      `${money(s, get(f, dollars))}, but the largest payment by this user so far was ${money(s, get(f, user.max))}`,
    brief: (f) => `amount ${times(get(f, dollars) / get(f, user.max))} the largest so far`,
  },
  {
    name: 'first_payment_large',
    meaning: "The user's first payment is $500 or more.",
    on: 'transaction',
    theme: 'money',
    topics: ['amount'],
    active: (f) => get(f, user.payments) === 0 && get(f, dollars) >= 500,
    describe: (f, s) => `First payment by this user, of ${money(s, get(f, dollars))}`,
    brief: (f, s) => `first payment, of ${money(s, get(f, dollars))}`,
  },
  {
    name: 'new_counterparty_large',
    meaning:
      "A payment of at least $100, and twice the user's mean amount, to a counterparty that is new to the user. It stays new until use on three days, or a payment two days ago, has earned trust.",
    on: 'transaction',
    theme: 'money',
    topics: ['user.counterparty'],
    active: (f, s) =>
      hasCounterparty(s) &&
      get(f, user.payments) >= 3 &&
      get(f, dollars) >= Math.max(100, get(f, user.mean) * 2) &&
      isUntrusted(f, user.thisCounterparty),
    describe: (f, s) =>
      `${describeFirst(f, user.thisCounterparty, 'payment', 'to this counterparty', 'payment')}: ${money(s, get(f, dollars))}, ${times(get(f, dollars) / get(f, user.mean))} their usual payment (${money(s, get(f, user.mean))})`,
    brief: (f) => `amount ${times(get(f, dollars) / get(f, user.mean))} the usual to a new counterparty`,
  },
  {
    name: 'counterparty_burst',
    meaning:
      'A twentieth payment or more to one counterparty in an hour, over five times its hourly average of 7 days.',
    on: 'transaction',
    theme: 'pace',
    topics: ['counterparty.pace'],
    active: (f) =>
      get(f, counterparty.transactions.h1) >= 19 &&
      isBurst(f, counterparty.transactions.h1, counterparty.transactions.d7, 168, 5),
    describe: (f) => `${ordinal(get(f, counterparty.transactions.h1) + 1)} payment to this counterparty in an hour`,
    brief: (f) => `${get(f, counterparty.transactions.h1) + 1} payments to this counterparty in an hour`,
  },
  {
    name: 'mule_counterparty',
    meaning: `Three or more payments to a counterparty in 24 hours, at least half of all, are over ${LARGE_TIMES} times the mean of their users. The counterparty was first seen less than 30 days ago.`,
    on: 'transaction',
    theme: 'links',
    topics: ['counterparty.large'],
    // The share matters because any busy shop has three such customers a day, and all shops are new to a new
    // installation.
    active: (f) =>
      get(f, counterparty.age) < 30 * DAY_MS &&
      largeCountWithThis(f) >= 3 &&
      2 * largeCountWithThis(f) >= get(f, counterparty.transactions.h24) + 1,
    describe: (f) =>
      `${largeCountWithThis(f)} of ${get(f, counterparty.transactions.h24) + 1} payments to this counterparty in 24 hours are unusually large for their users`,
    brief: (f) => `counterparty with ${largeCountWithThis(f)} unusually large payments in 24 hours`,
  },
  {
    name: 'structuring',
    meaning:
      'One sum split into parts: the user makes four or more payments in 24 hours, of $500 or more on average and over four times their daily number. Their largest payment ever is at most a tenth above that average.',
    on: 'transaction',
    theme: 'money',
    topics: ['spent'],
    active: isSplitSum,
    describe: (f, s) =>
      `${get(f, user.transactions.h24) + 1} payments of about ${money(s, meanOfDay(f))} by this user in 24 hours, ${money(s, get(f, user.amount.h24) + get(f, dollars))} in total`,
    brief: (f, s) => `${get(f, user.transactions.h24) + 1} payments of about ${money(s, meanOfDay(f))} in 24 hours`,
  },
  {
    name: 'structuring_spread',
    meaning:
      'The pattern of `structuring`, with payments of $1,000 or more on average to three or more counterparties.',
    on: 'transaction',
    theme: 'money',
    topics: ['user.distinct_counterparty'],
    active: (f, s) => hasCounterparty(s) && isSplitSum(f) && meanOfDay(f) >= 1000 && counterpartiesOfDay(f) >= 3,
    describe: (f, s) =>
      `Payments of about ${money(s, meanOfDay(f))} by this user to ${counterpartiesOfDay(f)} counterparties in 24 hours`,
    brief: (f) => `similar payments to ${counterpartiesOfDay(f)} counterparties in 24 hours`,
  },
  {
    name: 'collecting_counterparty',
    meaning:
      'One counterparty collects similar sums from many: four or more other users paid it in 24 hours, $3,000 or more on average, and no payment to it ever was over a quarter above that. It was first seen less than 30 days ago, and it is new to the user.',
    on: 'transaction',
    theme: 'links',
    topics: ['counterparty.distinct_user'],
    assumedWeight: 1.5,
    active: (f) =>
      get(f, counterparty.age) < 30 * DAY_MS &&
      payersOfDay(f) >= 5 &&
      meanCollected(f) >= 3000 &&
      Math.max(get(f, counterparty.max), get(f, dollars)) <= 1.25 * meanCollected(f) &&
      isUntrusted(f, user.thisCounterparty),
    describe: (f, s) =>
      `${get(f, counterparty.transactions.h24) + 1} payments of about ${money(s, meanCollected(f))} to this counterparty in 24 hours, by ${payersOfDay(f)} or more users`,
    brief: (f) => `counterparty paid similar amounts by ${payersOfDay(f)} users in 24 hours`,
  },
  {
    name: 'postal_code_form',
    meaning: 'The postal code of the billing or shipping address does not have the format of its country.',
    on: 'transaction',
    theme: 'place',
    topics: [],
    active: (_, s) => findPostalMisfit(s) !== undefined,
    describe: (_, s) =>
      `The postal code of the ${findPostalMisfit(s)?.kind} address does not have the format of ${countryName(findPostalMisfit(s)?.country ?? '')}`,
    brief: (_, s) => `postal code without the format of ${countryName(findPostalMisfit(s)?.country ?? '')}`,
  },
  {
    name: 'address_mismatch',
    meaning: 'The billing and shipping addresses are in different countries.',
    on: 'transaction',
    theme: 'place',
    topics: ['shipping_country_is_not_billing'],
    active: (_, s) => {
      if (s.type !== 'transaction') return false;
      const billing = s.request.billing_address?.country;
      const shipping = s.request.shipping_address?.country;
      return billing !== undefined && shipping !== undefined && billing !== shipping;
    },
    describe: (_, s) =>
      `Billing address in ${countryIn(s, 'billing')}, shipping address in ${countryIn(s, 'shipping')}`,
    brief: (_, s) => `billing in ${countryIn(s, 'billing')}, shipping to ${countryIn(s, 'shipping')}`,
  },
];
