import { checkSignals } from '../test/signal-table.ts';
import { DAY, HOUR, MINUTE, pay, SECOND, times } from '../test/subjects.ts';
import { PAYMENT_SIGNALS } from './signals-payment.ts';

/** `count` payments, one every `gap`. */
const every = (gap: number, count: number) => times(count, (i) => pay(i * gap));
/** Payments in the weeks before, and then 15 in one day. */
const habit = (count: number) => times(count, (i) => pay(i * 3 * HOUR));
const hourly = times(15, (i) => pay(15 * DAY + i * HOUR));
const amounts = (...all: number[]) => all.map((amount, i) => pay(i * HOUR, { amount }));
/** Payments of one dollar, a minute apart, each by another user unless said otherwise. */
const small = (count: number, members: (i: number) => Parameters<typeof pay>[1]) =>
  times(count, (i) => pay(i * MINUTE, { user_id: `user_${i}`, amount: 1, ...members(i) }));
const card = (i: number) => ({ payment_fingerprint: `card_${i}` });
const ip_address = '198.51.100.1';
const shop = { counterparty_id: 'shop' };
/** Payments to one shop: in the days before, and then all within an hour. */
const trade = (count: number) => times(count, (i) => pay(i * 10 * MINUTE, { user_id: `user_${i}`, ...shop }));
const rush = (count: number) => times(count, (i) => pay(5 * DAY + i * 2 * MINUTE, { user_id: `user_${i}`, ...shop }));

checkSignals(PAYMENT_SIGNALS, {
  velocity_spike: {
    active: {
      'a fifth payment in 10 minutes': every(MINUTE, 5),
      'a tenth payment in an hour': every(5 * MINUTE, 10),
      'a fifteenth payment in a day, over four times the daily average': [...habit(98), ...hourly],
    },
    says: [
      "The user's 5th payment in 24 hours, 5th in 10 minutes",
      "The user's 10th payment in 24 hours, 2nd in 10 minutes",
      "The user's 15th payment in 24 hours, 1st in 10 minutes",
    ],
    near: {
      'a fourth payment in 10 minutes': every(MINUTE, 4),
      'five payments in 12 minutes': every(3 * MINUTE, 5),
      'a ninth payment in an hour': every(5 * MINUTE, 9),
      'a fourteenth payment in a day': every(HOUR, 14),
      'a fifteenth payment in a day, not quite four times the daily average': [...habit(99), ...hourly],
    },
  },
  rapid_repeat: {
    active: { 'a third payment in 20 seconds': every(10 * SECOND, 3) },
    says: ["The user's 3rd payment within a minute"],
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
    says: [
      "$60.00 where this user's mean is $20.00",
      "$460.00 where this user's mean is $100.00",
      "$714.29 where this user's mean is $69.44",
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
    says: ["$60.01 where this user's largest payment was $40.00"],
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
    says: ['The first payment of this user is $500.00', 'The first payment of this user is $500.00'],
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
    },
    says: ['First payment to this counterparty, $100.00 against a mean of $50.00'],
    near: {
      'the same to someone known': times(4, (i) => pay(i * HOUR, { amount: i === 3 ? 100 : 50, ...shop })),
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
      'nobody named': [...times(3, (i) => pay(i * HOUR, { amount: 50, ...shop })), pay(DAY, { amount: 100 })],
    },
  },
  card_testing_pattern: {
    active: {
      'small payments with three cards from one address': small(4, (i) => ({ ip_address, ...card(i) })),
      'small payments with three cards from one device': small(4, (i) => ({ device_token: 'phone', ...card(i) })),
      'a fourth small payment with one card': small(4, () => card(0)),
      'a fourth small payment by one user': small(4, () => ({ user_id: 'u' })),
      'a sixth small payment with a sixth card in one shop': small(6, (i) => ({ ...shop, ...card(i) })),
    },
    says: [
      '4 payments under $5.00 in an hour on one address',
      '4 payments under $5.00 in an hour on one device',
      '4 payments under $5.00 in an hour on one instrument',
      '4 payments under $5.00 in an hour on one user',
      '6 payments under $5.00 in an hour on one counterparty',
    ],
    near: {
      'only two cards from one address': small(4, (i) => ({ ip_address, ...card(i % 2) })),
      'only two small payments among three from one address': [
        ...small(3, (i) => ({ ip_address, ...card(i), amount: i === 1 ? 20 : 1 })),
        pay(9 * MINUTE, { amount: 1, ip_address }),
      ],
      'only three payments from one address': small(3, (i) => ({ ip_address, ...card(i) })),
      'only two cards on one device': small(4, (i) => ({ device_token: 'phone', ...card(i % 2) })),
      'a third small payment with one card': small(3, () => card(0)),
      'a third small payment by one user': small(3, () => ({ user_id: 'u' })),
      'a sixth small payment with four cards in one shop': small(6, (i) => ({ ...shop, ...card(i % 4) })),
      'only four small payments among five in one shop': [
        ...small(5, (i) => ({ ...shop, ...card(i), amount: i === 1 ? 20 : 1 })),
        pay(9 * MINUTE, { amount: 1, ...shop }),
      ],
      'a fifth small payment in one shop': small(5, (i) => ({ ...shop, ...card(i) })),
      'a large payment after small ones': [...small(3, () => card(0)), pay(4 * MINUTE, { amount: 5, ...card(0) })],
      'payments of $5': small(4, () => ({ user_id: 'u', amount: 5 })),
      'small payments 20 minutes apart': times(4, (i) => pay(i * 20 * MINUTE, { amount: 1 })),
    },
  },
  many_instruments: {
    active: { 'a third card in a day': times(3, (i) => pay(i * HOUR, card(i))) },
    says: ['3 payment instruments of one user in 24 hours'],
    near: {
      'a second card': times(3, (i) => pay(i * HOUR, card(i % 2))),
      'a third card two days later': [...times(2, (i) => pay(i * HOUR, card(i))), pay(2 * DAY, card(2))],
      'no card named after two': [...times(2, (i) => pay(i * HOUR, card(i))), pay(2 * HOUR)],
    },
  },
  shared_instrument: {
    active: { 'a card three users paid with': times(4, (i) => pay(i * DAY, { user_id: `user_${i}`, ...card(0) })) },
    says: ['3 users paid with this instrument in 30 days'],
    near: {
      'a card two users paid with': times(3, (i) => pay(i * DAY, { user_id: `user_${i}`, ...card(0) })),
      'a card three users paid with long ago': times(4, (i) =>
        pay(i === 3 ? 40 * DAY : i, { user_id: `user_${i}`, ...card(0) }),
      ),
    },
  },
  instrument_velocity: {
    active: { 'a sixth payment in an hour': times(6, (i) => pay(i * 9 * MINUTE, card(0))) },
    says: ['The 6th payment with this instrument in an hour'],
    near: {
      'a fifth payment in an hour': times(5, (i) => pay(i * 9 * MINUTE, card(0))),
      'a sixth payment in an hour and a half': times(6, (i) => pay(i * 18 * MINUTE, card(0))),
      'a sixth payment with another card': times(6, (i) => pay(i * 9 * MINUTE, card(i === 5 ? 1 : 0))),
    },
  },
  counterparty_burst: {
    active: {
      'a twentieth payment in an hour': rush(20),
      'a twentieth payment in an hour, over five times the weekly average': [...trade(652), ...rush(20)],
    },
    says: ['The 20th payment to this counterparty in an hour', 'The 20th payment to this counterparty in an hour'],
    near: {
      'a nineteenth payment in an hour': rush(19),
      'a twentieth payment in an hour, five times the weekly average': [...trade(653), ...rush(20)],
    },
  },
  address_mismatch: {
    active: {
      'two countries': [pay(0, { billing_address: { country: 'DE' }, shipping_address: { country: 'FR' } })],
    },
    says: ['Billed in DE, shipped to FR'],
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
