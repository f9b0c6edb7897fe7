import { checkSignals } from '../../test/signal-table.ts';
import { DAY, HOUR, MINUTE, pay, times } from '../../test/subjects.ts';
import { INSTRUMENT_SIGNALS } from './instrument.ts';

/** Payments of one dollar, a minute apart, by default each by another user. */
const small = (count: number, fields: (i: number) => Parameters<typeof pay>[1]) =>
  times(count, (i) => pay(i * MINUTE, { user_id: `user_${i}`, amount: 1, ...fields(i) }));
const card = (i: number) => ({ payment_fingerprint: `card_${i}` });
const ip_address = '198.51.100.1';
const shop = { counterparty_id: 'shop' };
/** Payments of one dollar, three hours apart: too slow to stand out in any hour. */
const slow = (count: number, fields: (i: number) => Parameters<typeof pay>[1]) =>
  times(count, (i) => pay(i * 3 * HOUR, { user_id: `user_${i}`, amount: 1, ...fields(i) }));
/** Payments of one dollar to one shop, with another card each, and so many cards per user. */
const tested = (count: number, minutes: number, cardsOfUser: number, fields: (i: number) => object = () => ({})) =>
  times(count, (i) =>
    pay(i * minutes * MINUTE, {
      user_id: `guest_${Math.floor(i / cardsOfUser)}`,
      amount: 1,
      ...shop,
      ...card(i),
      ...fields(i),
    }),
  );

checkSignals(INSTRUMENT_SIGNALS, {
  card_testing_pattern: {
    active: {
      'small payments with three cards from one address': small(4, (i) => ({ ip_address, ...card(i) })),
      'small payments with three cards from one device': small(4, (i) => ({ device_token: 'phone', ...card(i) })),
      'a fourth small payment with one card': small(4, () => card(0)),
      'a fourth small payment by one user': small(4, () => ({ user_id: 'u' })),
      'a sixth small payment with a sixth card in one shop': small(6, (i) => ({ ...shop, ...card(i) })),
      'small payments in another currency': small(4, () => ({ user_id: 'u', currency: 'EUR' })),
    },
    descriptions: [
      '4 payments under USD 5.00 in an hour from this IP address',
      '4 payments under USD 5.00 in an hour from this device',
      '4 payments under USD 5.00 in an hour with this payment instrument',
      '4 payments under USD 5.00 in an hour by this user',
      '6 payments under USD 5.00 in an hour to this counterparty',
      '4 payments under EUR 4.32 in an hour by this user',
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
  card_testing_spread: {
    active: {
      'a fifth small payment of a user with four cards': slow(5, (i) => ({ user_id: 'u', ...card(i) })),
      'a fifth small payment on a device with four cards': slow(5, (i) => ({ device_token: 'phone', ...card(i) })),
      'a fifth small payment from an address with four cards of two users': slow(5, (i) => ({
        ip_address,
        user_id: `user_${i % 2}`,
        ...card(i),
      })),
    },
    descriptions: [
      '5 payments under USD 5.00 with 4 or more payment instruments in 24 hours by this user',
      '5 payments under USD 5.00 with 4 or more payment instruments in 24 hours from this device',
      '5 payments under USD 5.00 with 4 or more payment instruments in 24 hours from this IP address',
    ],
    near: {
      'a fourth small payment': slow(4, (i) => ({ user_id: 'u', ...card(i) })),
      'three cards': slow(5, (i) => ({ user_id: 'u', ...card(i % 3) })),
      'four cards, but one of the payments large': slow(5, (i) => ({
        user_id: 'u',
        ...card(i),
        amount: i === 1 ? 20 : 1,
      })),
      'three cards on a device': slow(5, (i) => ({ device_token: 'phone', ...card(i % 3) })),
      'a payment of $5': slow(5, (i) => ({ user_id: 'u', ...card(i), amount: i === 4 ? 5 : 1 })),
      'five small payments in five days': times(5, (i) => pay(i * DAY, { amount: 1, ...card(i) })),
      'an office whose people each have a card': slow(5, (i) => ({ ip_address, ...card(i) })),
      'a shop with small prices': slow(8, (i) => ({ ...shop, ...card(i) })),
    },
  },
  card_testing_at_counterparty: {
    active: {
      'a seventh small payment with a seventh card by a fourth user in an hour': tested(7, 8, 2),
      'the same within a day': tested(7, 120, 2),
    },
    descriptions: [
      '7 payments under USD 5.00 to this counterparty in an hour, with 6 or more payment instruments and 3 users or more',
      '7 payments under USD 5.00 to this counterparty in 24 hours, with 6 or more payment instruments and 3 users or more',
    ],
    near: {
      'customers of a shop with small prices, each with a card': tested(20, 20, 1),
      'one customer in three with a second card': times(20, (i) =>
        pay(i * 20 * MINUTE, { user_id: `guest_${i - (i % 4 === 3 ? 1 : 0)}`, amount: 1, ...shop, ...card(i) }),
      ),
      'a fifth': tested(5, 120, 2),
      'four cards of two users': tested(8, 120, 1, (i) => ({ user_id: `guest_${i % 2}`, ...card(i % 4) })),
      'a payment of $5 after it': [...tested(6, 120, 2), pay(13 * HOUR, { amount: 5, ...shop, ...card(9) })],
      'a shop where most pay more': [
        ...times(8, (i) => pay((i - 10) * MINUTE, { user_id: `customer_${i % 3}`, ...shop, ...card(20 + i) })),
        ...tested(7, 60, 2),
      ],
      'payments spread over a week': tested(7, 24 * 60, 2),
      'no instruments': tested(7, 120, 2, () => ({ payment_fingerprint: undefined })),
    },
  },
  many_instruments: {
    active: { 'a third card in a day': times(3, (i) => pay(i * HOUR, card(i))) },
    descriptions: ['3 payment instruments used by this user in 24 hours'],
    near: {
      'a second card': times(3, (i) => pay(i * HOUR, card(i % 2))),
      'a third card two days later': [...times(2, (i) => pay(i * HOUR, card(i))), pay(2 * DAY, card(2))],
      'no card named after two': [...times(2, (i) => pay(i * HOUR, card(i))), pay(2 * HOUR)],
    },
  },
  shared_instrument: {
    active: { 'a card three users paid with': times(4, (i) => pay(i * DAY, { user_id: `user_${i}`, ...card(0) })) },
    descriptions: ['3 users paid with this payment instrument in 30 days'],
    near: {
      'a card two users paid with': times(3, (i) => pay(i * DAY, { user_id: `user_${i}`, ...card(0) })),
      'a card three users paid with long ago': times(4, (i) =>
        pay(i === 3 ? 40 * DAY : i, { user_id: `user_${i}`, ...card(0) }),
      ),
    },
  },
  instrument_new_users: {
    active: {
      'a third user in a day': times(3, (i) => pay(i * 8 * HOUR, { user_id: `user_${i}`, ...card(0) })),
    },
    descriptions: ['3rd user of this payment instrument in 24 hours'],
    near: {
      'a second user': times(3, (i) => pay(i * 8 * HOUR, { user_id: `user_${i % 2}`, ...card(0) })),
      'a third user in two days': times(3, (i) => pay(i * 20 * HOUR, { user_id: `user_${i}`, ...card(0) })),
      'three users with cards of their own': times(3, (i) => pay(i * HOUR, { user_id: `user_${i}`, ...card(i) })),
      'the third user again': times(4, (i) => pay(i * HOUR, { user_id: `user_${i % 3}`, ...card(0) })),
      'three users without a card': times(3, (i) => pay(i * HOUR, { user_id: `user_${i}` })),
    },
  },
  instrument_velocity: {
    active: { 'a sixth payment in an hour': times(6, (i) => pay(i * 9 * MINUTE, card(0))) },
    descriptions: ['6th payment with this payment instrument in an hour'],
    near: {
      'a fifth payment in an hour': times(5, (i) => pay(i * 9 * MINUTE, card(0))),
      'a sixth payment in an hour and a half': times(6, (i) => pay(i * 18 * MINUTE, card(0))),
      'a sixth payment with another card': times(6, (i) => pay(i * 9 * MINUTE, card(i === 5 ? 1 : 0))),
    },
  },
});
