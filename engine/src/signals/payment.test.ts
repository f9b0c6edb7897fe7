import { checkSignals } from '../../test/signal-table.ts';
import { DAY, HOUR, MINUTE, pay, SECOND, times } from '../../test/subjects.ts';
import { PAYMENT_SIGNALS } from './payment.ts';

/** `count` payments, one every `gap`. */
const every = (gap: number, count: number) => times(count, (i) => pay(i * gap));
/** Payments in earlier weeks, and then 15 in one day. */
const habit = (count: number) => times(count, (i) => pay(i * 3 * HOUR));
const hourly = times(15, (i) => pay(15 * DAY + i * HOUR));
const amounts = (...all: number[]) => all.map((amount, i) => pay(i * HOUR, { amount }));
const shop = { counterparty_id: 'shop' };
/** Payments to one shop: in earlier days, and then all within an hour. */
const trade = (count: number) => times(count, (i) => pay(i * 10 * MINUTE, { user_id: `user_${i}`, ...shop }));
const rush = (count: number) => times(count, (i) => pay(5 * DAY + i * 2 * MINUTE, { user_id: `user_${i}`, ...shop }));

/** Users who pay $20 in their shop for three days. */
const customers = (count: number) =>
  times(count, (i) => pay((3 * DAY * i) / count, { user_id: `user_${i}`, counterparty_id: 'usual' }));
const drained = (count: number, amount: number) =>
  times(count, (i) => pay(3 * DAY + i * HOUR, { user_id: `user_${i}`, amount, counterparty_id: 'mule' }));
const mule = { user_id: 'user_3', counterparty_id: 'mule' };
const strangers = (count: number) =>
  times(count, (i) => pay(3 * DAY + i * MINUTE, { user_id: `stranger_${i}`, counterparty_id: 'mule' }));
const parts = (...all: number[]) => all.map((amount, i) => pay(40 * DAY + i * 2 * HOUR, { amount }));
/** Four equal payments to so many payees in turn. */
const spread = (amount: number, payees: number) =>
  times(4, (i) => pay(40 * DAY + i * HOUR, { amount, counterparty_id: `payee_${i % payees}` }));
/** Payments to one payee, each by another user. */
const collected = (...all: number[]) =>
  all.map((amount, i) => pay(i * HOUR, { user_id: `user_${i}`, amount, counterparty_id: 'payee' }));

/** So many payments of a busy user in five days, and some more in a row after them. */
const busy = (count: number) => times(count, (i) => pay((i * 5 * DAY) / count));
const burst = (count: number, everyMinutes = 1) => times(count, (i) => pay(6 * DAY + i * everyMinutes * MINUTE));

checkSignals(PAYMENT_SIGNALS, {
  velocity_spike: {
    active: {
      'a fifth payment in 10 minutes': every(MINUTE, 5),
      'a tenth payment in an hour': every(5 * MINUTE, 10),
      'a fifteenth payment in a day, over four times the daily average': [...habit(98), ...hourly],
      'a fifth payment in 10 minutes, just over a quarter of 7 days': [...busy(15), ...burst(5)],
    },
    descriptions: [
      '5th payment by this user in 10 minutes',
      '10th payment by this user in an hour',
      '15th payment by this user in 24 hours',
      '5th payment by this user in 10 minutes',
    ],
    near: {
      'a fourth payment in 10 minutes': every(MINUTE, 4),
      'five payments in 12 minutes': every(3 * MINUTE, 5),
      'a ninth payment in an hour': every(5 * MINUTE, 9),
      'a fourteenth payment in a day': every(HOUR, 14),
      'a fifth payment in 10 minutes, a quarter of 7 days': [...busy(16), ...burst(5)],
      'the payment run of every day, in 10 minutes': times(9, (day) =>
        times(20, (i) => pay(day * DAY + i * 20 * SECOND)),
      ).flat(),
      'a tenth payment in an hour, a quarter of 7 days': [...busy(31), ...burst(10, 5)],
      'a fifteenth payment in a day, not quite four times the daily average': [...habit(99), ...hourly],
    },
  },
  rapid_repeat: {
    active: { 'a third payment in 20 seconds': every(10 * SECOND, 3) },
    descriptions: ['3rd payment by this user in a minute'],
    near: { 'a third payment in a minute and a bit': every(31 * SECOND, 3), 'a second payment': every(SECOND, 2) },
  },
  amount_spike: {
    active: {
      'three times the mean of three equal payments': amounts(20, 20, 20, 60),
      'four deviations above a mean that varies': amounts(10, 100, 190, 460),
      'ten times the usual, in another currency': [
        ...times(3, (i) => pay(i, { amount: 60, currency: 'EUR' })),
        pay(3, { amount: 110_000, currency: 'JPY' }),
      ],
    },
    descriptions: [
      'USD 60.00, 3 times the usual payment by this user (USD 20.00)',
      'USD 460.00, 4.6 times the usual payment by this user (USD 100.00)',
      'JPY 110,000, 10 times the usual payment by this user (JPY 10,694)',
    ],
    near: {
      'a cent less than three times the mean': amounts(20, 20, 20, 59.99),
      'a dollar less than four deviations': amounts(10, 100, 190, 459),
      'the third payment': amounts(20, 20, 2000),
      'ten thousand yen after payments of 60 euros': [
        ...times(3, (i) => pay(i, { amount: 60, currency: 'EUR' })),
        pay(3, { amount: 10_000, currency: 'JPY' }),
      ],
      'an amount without a market rate': [...amounts(20, 20, 20), pay(DAY, { amount: 1e9, currency: 'XTS' })],
    },
  },
  amount_above_maximum: {
    active: { 'over one and a half times the largest of five': amounts(20, 20, 40, 20, 20, 60.01) },
    descriptions: ['USD 60.01, but the largest payment by this user so far was USD 40.00'],
    near: {
      'exactly one and a half times the largest': amounts(20, 20, 40, 20, 20, 60),
      'the fifth payment': amounts(20, 20, 40, 20, 61),
    },
  },
  first_payment_large: {
    active: {
      '$500 at once': amounts(500),
      'the same in yen': [pay(0, { amount: 77_000, currency: 'JPY' })],
    },
    descriptions: ['First payment by this user, of USD 500.00', 'First payment by this user, of JPY 77,000'],
    near: {
      'a cent less': amounts(499.99),
      'a second payment': amounts(1, 500),
      '500 yen': [pay(0, { amount: 500, currency: 'JPY' })],
      'an amount without a market rate': [pay(0, { amount: 1e6, currency: 'XTS' })],
    },
  },
  new_counterparty_large: {
    active: {
      'twice the mean to someone new': [
        ...times(3, (i) => pay(i * HOUR, { amount: 50, ...shop })),
        pay(DAY, { amount: 100, counterparty_id: 'other' }),
      ],
      'the same 36 hours after the first payment to them': times(4, (i) =>
        pay(i * 12 * HOUR, { amount: i === 3 ? 100 : 50, ...(i % 3 === 0 ? shop : {}) }),
      ),
    },
    descriptions: [
      'First payment by this user to this counterparty: USD 100.00, twice their usual payment (USD 50.00)',
      'First payment by this user to this counterparty only 36 hours ago: USD 100.00, twice their usual payment (USD 50.00)',
    ],
    near: {
      'the same two days after the first payment to them': times(4, (i) =>
        pay(i * 16 * HOUR, { amount: i === 3 ? 100 : 50, ...shop }),
      ),
      'a cent less than $100': [
        ...times(3, (i) => pay(i * HOUR, { amount: 40, ...shop })),
        pay(DAY, { amount: 99.99, counterparty_id: 'other' }),
      ],
      'less than twice the mean': [
        ...times(3, (i) => pay(i * HOUR, { amount: 100, ...shop })),
        pay(DAY, { amount: 199, counterparty_id: 'other' }),
      ],
      'the third payment': [
        ...times(2, (i) => pay(i * HOUR, { amount: 50, ...shop })),
        pay(DAY, { amount: 100, counterparty_id: 'other' }),
      ],
      'no counterparty': [...times(3, (i) => pay(i * HOUR, { amount: 50, ...shop })), pay(DAY, { amount: 100 })],
    },
  },
  mule_counterparty: {
    active: {
      'a third payment large for its user': [...customers(3), ...drained(3, 51)],
      'a small payment after three large ones': [...customers(4), ...drained(3, 51), pay(3 * DAY + 4 * HOUR, mule)],
      'a shop known for a second less than 30 days': [
        pay(-27 * DAY + 2 * HOUR + SECOND, mule),
        ...customers(3),
        ...drained(3, 51),
      ],
      'half of its payments': [...customers(3), ...strangers(3), ...drained(3, 51)],
    },
    descriptions: [
      '3 of 3 payments to this counterparty in 24 hours are unusually large for their users',
      '3 of 4 payments to this counterparty in 24 hours are unusually large for their users',
      '3 of 3 payments to this counterparty in 24 hours are unusually large for their users',
      '3 of 6 payments to this counterparty in 24 hours are unusually large for their users',
    ],
    near: {
      'a second one': [...customers(3), ...drained(2, 51)],
      'two and a half times the mean of each': [...customers(3), ...drained(3, 50)],
      'users without a past': drained(3, 5000),
      'a shop known for 30 days': [pay(-27 * DAY + 2 * HOUR, mule), ...customers(3), ...drained(3, 51)],
      'less than half of its payments': [...customers(3), ...strangers(4), ...drained(3, 51)],
      'no counterparty': [
        ...customers(3),
        ...drained(2, 51),
        pay(3 * DAY + 3 * HOUR, { user_id: 'user_2', amount: 51 }),
      ],
    },
  },
  structuring: {
    active: {
      'four of $500': parts(500, 500, 500, 500),
      'a sum in five parts after weeks of little': [...amounts(20, 30, 25), ...parts(950, 1000, 980, 990, 1000)],
    },
    descriptions: [
      '4 payments of about USD 500.00 by this user in 24 hours, USD 2,000.00 in total',
      '5 payments of about USD 984.00 by this user in 24 hours, USD 4,920.00 in total',
    ],
    near: {
      'three alike': parts(900, 900, 900),
      'less than $500 each': parts(499, 499, 499, 499),
      'one over a tenth larger': parts(900, 900, 900, 1040),
      'no larger than earlier payments of the user': [pay(0, { amount: 1000 }), ...parts(900, 900, 900, 900)],
      'four in two days': times(4, (i) => pay(i * 12 * HOUR, { amount: 900 })),
      'as many as every day': times(40, (i) => pay(i * 6 * HOUR, { amount: 900 })),
      'amounts without a market rate': times(4, (i) => pay(i * HOUR, { amount: 900, currency: 'XTS' })),
    },
  },
  structuring_spread: {
    active: { 'four of $1,000 to three': spread(1000, 3) },
    descriptions: ['Payments of about USD 1,000.00 by this user to 3 counterparties in 24 hours'],
    near: {
      'four of $1,000 to two': spread(1000, 2),
      'four of $1,000 without a counterparty': parts(1000, 1000, 1000, 1000),
      'four of $999 to three': spread(999, 3),
      'bills of a month, each of another size': [1800, 1200, 60, 2900].map((amount, i) =>
        pay(40 * DAY + i * HOUR, { amount, counterparty_id: `payee_${i}` }),
      ),
    },
  },
  collecting_counterparty: {
    active: {
      'a fifth user with a like sum': collected(9000, 9900, 9500, 9200, 9400),
      'a quarter more than the mean': collected(3000, 3000, 3000, 3000, 4000),
      'a second payment of one of them': [
        ...collected(9000, 9900, 9500, 9200, 9400),
        pay(6 * HOUR, { user_id: 'user_0', amount: 9000, counterparty_id: 'payee' }),
      ],
    },
    descriptions: [
      '5 payments of about USD 9,400.00 to this counterparty in 24 hours, by 5 or more users',
      '5 payments of about USD 3,200.00 to this counterparty in 24 hours, by 5 or more users',
      '6 payments of about USD 9,333.33 to this counterparty in 24 hours, by 5 or more users',
    ],
    near: {
      'a fourth user': collected(9000, 9900, 9500, 9200),
      'a second payment of one of four': [
        ...collected(9000, 9900, 9500, 9200),
        pay(6 * HOUR, { user_id: 'user_0', amount: 9000, counterparty_id: 'payee' }),
      ],
      'less than $3,000 on average': collected(2999, 2999, 2999, 2999, 2999),
      'a shop with prices of all sizes': collected(3000, 6000, 3500, 8000, 4000),
      'a user who first paid there two days before': [
        pay(-1.75 * DAY, { user_id: 'user_0', amount: 9000, counterparty_id: 'payee' }),
        ...collected(9000, 9900, 9500, 9200, 9400),
        pay(6 * HOUR, { user_id: 'user_0', amount: 9000, counterparty_id: 'payee' }),
      ],
      'a counterparty known for 30 days': [
        pay(-25 * DAY, { user_id: 'first', amount: 9000, counterparty_id: 'payee' }),
        ...times(5, (i) => pay(5 * DAY + i * HOUR, { user_id: `user_${i}`, amount: 9000, counterparty_id: 'payee' })),
      ],
      'five users in five days': times(5, (i) =>
        pay(i * DAY, { user_id: `user_${i}`, amount: 9000, counterparty_id: 'payee' }),
      ),
      'no counterparty': times(5, (i) => pay(i * HOUR, { user_id: `user_${i}`, amount: 9000 })),
    },
  },
  postal_code_form: {
    active: {
      'four letters in Germany': [pay(0, { billing_address: { country: 'DE', postal_code: 'ABCD' } })],
      'six digits shipped to the United States': [
        pay(0, {
          billing_address: { country: 'DE', postal_code: '10115' },
          shipping_address: { country: 'US', postal_code: '123456' },
        }),
      ],
    },
    descriptions: [
      'The postal code of the billing address does not have the format of Germany',
      'The postal code of the shipping address does not have the format of the United States',
    ],
    near: {
      'the format of the country': [pay(0, { billing_address: { country: 'GB', postal_code: 'sw1a1aa' } })],
      'no country': [pay(0, { billing_address: { postal_code: 'ABCD' } })],
      'no code': [pay(0, { billing_address: { country: 'DE' } })],
      'a country without a known format': [pay(0, { billing_address: { country: 'HK', postal_code: 'ABCD' } })],
      'no address': [pay(0)],
    },
  },
  counterparty_burst: {
    active: {
      'a twentieth payment in an hour': rush(20),
      'a twentieth payment in an hour, over five times the weekly average': [...trade(652), ...rush(20)],
    },
    descriptions: ['20th payment to this counterparty in an hour', '20th payment to this counterparty in an hour'],
    near: {
      'a nineteenth payment in an hour': rush(19),
      'a twentieth payment in an hour, five times the weekly average': [...trade(653), ...rush(20)],
    },
  },
  address_mismatch: {
    active: {
      'two countries': [pay(0, { billing_address: { country: 'DE' }, shipping_address: { country: 'FR' } })],
    },
    descriptions: ['Billing address in Germany, shipping address in France'],
    near: {
      'one country': [
        pay(0, { billing_address: { country: 'DE' }, shipping_address: { country: 'DE', city: 'Bonn' } }),
      ],
      'no country to ship to': [pay(0, { billing_address: { country: 'DE' }, shipping_address: { city: 'Paris' } })],
      'no country to bill': [pay(0, { billing_address: {}, shipping_address: { country: 'FR' } })],
      'one address': [pay(0, { billing_address: { country: 'DE' } })],
    },
  },
});
