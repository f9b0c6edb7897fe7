import type { LabelReason } from '@portcullis/contract';
import { checkSignals } from '../../test/signal-table.ts';
import { act, DAY, HOUR, label, pay, type Step, sdk, times } from '../../test/subjects.ts';
import { FRAUD_SIGNALS } from './known-fraud.ts';

const PHONE = { device_token: 'phone' };
const CARD = { payment_fingerprint: 'card' };
const MAIL = { email: 'ada@example.com' };
const HERE = { ip_address: '198.51.100.1' };
const SHOP = { counterparty_id: 'shop' };
const someone = (i: number) => ({ user_id: `user_${i}` });
const host = (i: number) => ({ ip_address: `198.51.100.${i}` });
type Fields = Parameters<typeof pay>[1];

/** Payments that are all labelled as fraud, or as legitimate. */
const labelled = (count: number, fields: (i: number) => Fields, fraud = true): Step[] => {
  const payments = times(count, (i) => pay(i * HOUR, { ...someone(i), ...fields(i) }));
  return [...payments, ...payments.map((payment) => label(2 * DAY, payment, fraud))];
};
const theft = (fields: Fields): Step[] => labelled(1, () => fields);
const another = { user_id: 'other' };
/** Payments without a label. */
const quiet = (count: number, fields: (i: number) => Fields) =>
  times(count, (i) => pay(i * 60_000, { user_id: `quiet_${i}`, ...fields(i) }));

/** A fraud on a device with a key, and the same machine with another key or none. */
const key = (i: number) => ({ device_token: `dvk_${i}` });
const stolen = pay(0, { ...someone(0), ...key(0) }, sdk('machine', 'a'));
const machine: Step[] = [stolen, label(2 * DAY, stolen)];
const onIt = (fields: Fields, looks = 'machine'): Step => pay(3 * DAY, { ...another, ...fields }, sdk(looks, 'b'));

/** A customer of twenty days, and disputes of their own payments on later days. */
const OWN = { ...PHONE, ...CARD };
const disputed = (days: readonly number[], reason?: LabelReason, fields: Fields = OWN, paid = 20): Step[] => [
  ...times(paid, (i) => pay((i * 20 * DAY) / paid, OWN)),
  ...days.flatMap((day) => {
    const paid = pay(day * DAY, fields);
    return [paid, label(day * DAY + HOUR, paid, true, reason)];
  }),
];
/** A user who paid with a thing some days before the last payment. Another committed a fraud with it. */
const trusting = (fields: Fields, days: number): Step[] => [
  ...theft(fields),
  pay(3 * DAY, { ...another, ...fields }),
  pay((3 + days) * DAY, { ...another, ...fields }),
];
/** Customers of one till, of whom one is a thief. */
const till = (users: number, fields: Fields): Step[] => [
  ...quiet(users - 1, () => fields),
  ...theft(fields),
  pay(3 * DAY, { ...another, ...fields }),
];

checkSignals(FRAUD_SIGNALS, {
  fraud_on_user: {
    active: {
      'a user with a fraud': [...theft({}), act(4 * DAY, 'login', someone(0))],
      'a user with two': [...theft({}), ...theft({}), act(91 * DAY, 'login', someone(0))],
    },
    descriptions: [
      '1 confirmed fraud attributed to this user, last reported 2 days ago',
      '2 confirmed frauds attributed to this user, last reported 89 days ago',
    ],
    near: {
      'another user': [...theft({}), act(4 * DAY, 'login', another)],
      'a label of legitimate': [...labelled(1, () => ({}), false), act(4 * DAY, 'login', someone(0))],
      'before the fraud was reported': [pay(0), act(DAY, 'login')],
      'ninety days later': [...theft({}), act(92 * DAY, 'login', someone(0))],
    },
  },
  repeated_disputes: {
    active: {
      'own payments disputed on two days': [...disputed([20, 21]), pay(60 * DAY, OWN)],
      'a dispute from elsewhere, on the own device with the own card': [
        ...disputed([20, 21], undefined, { ...OWN, ...HERE }),
        pay(111 * DAY - HOUR, OWN),
      ],
      'two of 40 payments': [...disputed([20, 21], undefined, OWN, 38), pay(60 * DAY, OWN)],
      'three of a thousand payments': [...disputed([20, 21, 22], undefined, OWN, 1000), pay(60 * DAY, OWN)],
    },
    descriptions: [
      'Payments disputed on 2 days by this user, who made them on their own device',
      'Payments disputed on 2 days by this user, who made them on their own device',
      'Payments disputed on 2 days by this user, who made them on their own device',
      'Payments disputed on 3 days by this user, who made them on their own device',
    ],
    near: {
      'two of 41 payments': [...disputed([20, 21], undefined, OWN, 39), pay(60 * DAY, OWN)],
      'two disputes of one day': [...disputed([20, 20.5]), pay(60 * DAY, OWN)],
      'a reason that clears the user': [...disputed([20, 21], 'takeover'), pay(60 * DAY, OWN)],
      'a reason that blames the user at once': [...disputed([20, 21], 'mule'), pay(60 * DAY, OWN)],
      'payments from a new device': [
        ...disputed([20, 21], undefined, { ...OWN, device_token: 'laptop' }),
        pay(60 * DAY, OWN),
      ],
      'ninety days later': [...disputed([20, 21]), pay(112 * DAY, OWN)],
      'a login': [...disputed([20, 21]), act(60 * DAY, 'login', PHONE)],
    },
  },
  fraud_on_device: {
    active: {
      'another user on the device': [...theft(PHONE), act(200 * DAY, 'signup', { ...another, ...PHONE })],
      'one who first paid there five days ago': trusting(PHONE, 5),
      'one of three users': till(3, PHONE),
    },
    descriptions: [
      '1 confirmed fraud on this device, last reported 198 days ago',
      '1 confirmed fraud on this device, last reported 6 days ago',
      '1 confirmed fraud on this device, last reported 1 day ago',
    ],
    near: {
      'one who first paid there six days ago': trusting(PHONE, 6),
      'one of four users': till(4, PHONE),
      'another device': [...theft(PHONE), act(3 * DAY, 'signup', { ...another, device_token: 'laptop' })],
      'no device': [...theft(PHONE), act(3 * DAY, 'signup', another)],
      'a label of legitimate': [...labelled(1, () => PHONE, false), act(3 * DAY, 'signup', { ...another, ...PHONE })],
    },
  },
  fraud_on_similar_device: {
    active: {
      'another user and another key': [...machine, onIt(key(1))],
      'no key': [...machine, onIt({})],
      'eight users with such a device': [
        ...times(7, (i) => pay(i * HOUR, { ...someone(i + 1), ...key(i + 1) }, sdk('machine', `${i}`))),
        ...machine,
        onIt(key(9)),
      ],
    },
    descriptions: [
      '1 confirmed fraud in 30 days on devices that look like this one (1 user)',
      '1 confirmed fraud in 30 days on devices that look like this one (1 user)',
      '1 confirmed fraud in 30 days on devices that look like this one (8 users)',
    ],
    near: {
      'the very key, which has a signal of its own': [...machine, onIt(key(0))],
      'a device that looks otherwise': [...machine, onIt(key(1), 'other')],
      'nine users with such a device': [
        ...times(8, (i) => pay(i * HOUR, { ...someone(i + 1), ...key(i + 1) }, sdk('machine', `${i}`))),
        ...machine,
        onIt(key(9)),
      ],
      'a user who had such a device before': [
        pay(0, { ...another, ...key(1) }, sdk('machine', 'c')),
        ...machine,
        onIt(key(2)),
      ],
      'a month later': [...machine, pay(33 * DAY, { ...another, ...key(1) }, sdk('machine', 'b'))],
      "a caller's own identifier": [...machine, pay(3 * DAY, { ...another, ...key(1) })],
    },
  },
  fraud_on_address: {
    active: {
      'another user from the address': [...theft(HERE), act(30 * DAY, 'signup', { ...another, ...HERE })],
      'one in ten users there': [
        ...quiet(9, () => HERE),
        ...theft(HERE),
        act(3 * DAY, 'login', { ...another, ...HERE }),
      ],
    },
    descriptions: [
      '1 confirmed fraud in 30 days from this IP address',
      '1 confirmed fraud in 30 days from this IP address (10 users)',
    ],
    near: {
      'another address': [...theft(HERE), act(3 * DAY, 'signup', { ...another, ...host(2) })],
      'a month later': [...theft(HERE), act(32 * DAY, 'signup', { ...another, ...HERE })],
      'one who first paid there six days ago': trusting(HERE, 6),
      'one thief in an office of eleven': [
        ...quiet(10, () => HERE),
        ...theft(HERE),
        act(3 * DAY, 'login', { ...another, ...HERE }),
      ],
    },
  },
  fraud_on_instrument: {
    active: {
      'another user with the card': [...theft(CARD), pay(200 * DAY, { ...another, ...CARD })],
      'one who first paid with it five days ago': trusting(CARD, 5),
      'one of three users': till(3, CARD),
    },
    descriptions: [
      '1 confirmed fraud with this payment instrument, last reported 198 days ago',
      '1 confirmed fraud with this payment instrument, last reported 6 days ago',
      '1 confirmed fraud with this payment instrument, last reported 1 day ago',
    ],
    near: {
      'one who first paid with it six days ago': trusting(CARD, 6),
      'one of four users': till(4, CARD),
      'another card': [...theft(CARD), pay(3 * DAY, { ...another, payment_fingerprint: 'mine' })],
      'no card': [...theft(CARD), pay(3 * DAY, another)],
      'a label of legitimate': [...labelled(1, () => CARD, false), pay(3 * DAY, { ...another, ...CARD })],
    },
  },
  fraud_on_email: {
    active: {
      'another user with the e-mail address': [...theft(MAIL), act(3 * DAY, 'signup', { ...another, ...MAIL })],
    },
    descriptions: ['1 confirmed fraud with this e-mail address, last reported 1 day ago'],
    near: {
      'the same user, who may be the victim': [...theft(MAIL), act(3 * DAY, 'login', { ...someone(0), ...MAIL })],
      'one who first paid with it six days ago': trusting(MAIL, 6),
      'another e-mail address': [...theft(MAIL), act(3 * DAY, 'signup', { ...another, email: 'b@example.com' })],
      'no e-mail address': [...theft(MAIL), act(3 * DAY, 'signup', another)],
    },
  },
  fraud_on_counterparty: {
    active: {
      'two frauds': [...labelled(2, () => SHOP), pay(8 * DAY, { ...another, ...SHOP })],
      'two in a hundred payments': [
        ...quiet(98, () => SHOP),
        ...labelled(2, () => SHOP),
        pay(3 * DAY, { ...another, ...SHOP }),
      ],
    },
    descriptions: [
      '2 confirmed frauds with this counterparty in 7 days',
      '2 confirmed frauds with this counterparty in 7 days (100 payments)',
    ],
    near: {
      'one fraud': [...labelled(1, () => SHOP), pay(3 * DAY, { ...another, ...SHOP })],
      'two in a hundred and one': [
        ...quiet(99, () => SHOP),
        ...labelled(2, () => SHOP),
        pay(3 * DAY, { ...another, ...SHOP }),
      ],
      'a week later': [...labelled(2, () => SHOP), pay(9 * DAY, { ...another, ...SHOP })],
      'no counterparty': [...labelled(2, () => SHOP), pay(3 * DAY, another)],
    },
  },
  fraud_on_network: {
    active: {
      'three frauds in a network': [...labelled(3, host), act(3 * DAY, 'signup', { ...another, ...host(99) })],
    },
    descriptions: ['3 confirmed frauds from this network in 7 days (3 payments)'],
    near: {
      'two frauds': [...labelled(2, host), act(3 * DAY, 'signup', { ...another, ...host(99) })],
      'three in a hundred and fifty-one payments': [
        ...quiet(148, host),
        ...labelled(3, host),
        act(3 * DAY, 'signup', { ...another, ...host(250) }),
      ],
      'another network': [...labelled(3, host), act(3 * DAY, 'signup', { ...another, ip_address: '192.0.2.1' })],
      'a week later': [...labelled(3, host), act(9 * DAY, 'signup', { ...another, ...host(99) })],
    },
  },
});
