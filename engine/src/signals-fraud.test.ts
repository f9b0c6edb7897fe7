import { checkSignals } from '../test/signal-table.ts';
import { act, DAY, HOUR, pay, type Step, sdk, times, told } from '../test/subjects.ts';
import { FRAUD_SIGNALS } from './signals-fraud.ts';

const PHONE = { device_token: 'phone' };
const CARD = { payment_fingerprint: 'card' };
const MAIL = { email: 'ada@example.com' };
const HERE = { ip_address: '198.51.100.1' };
const SHOP = { counterparty_id: 'shop' };
const someone = (i: number) => ({ user_id: `user_${i}` });
const host = (i: number) => ({ ip_address: `198.51.100.${i}` });
type Members = Parameters<typeof pay>[1];

/** Payments of which some turn out as fraud, or as honest, a day later. */
const labelled = (count: number, members: (i: number) => Members, fraud = true): Step[] => {
  const payments = times(count, (i) => pay(i * HOUR, { ...someone(i), ...members(i) }));
  return [...payments, ...payments.map((payment) => told(2 * DAY, payment, fraud))];
};
const theft = (members: Members): Step[] => labelled(1, () => members);
const another = { user_id: 'other' };
/** Payments nobody complains of. */
const quiet = (count: number, members: (i: number) => Members) =>
  times(count, (i) => pay(i * 60_000, { user_id: `quiet_${i}`, ...members(i) }));

/** A theft on a device with a key, and the same machine with another or without one. */
const key = (i: number) => ({ device_token: `dvk_${i}` });
const stolen = pay(0, { ...someone(0), ...key(0) }, sdk('machine', 'a'));
const machine: Step[] = [stolen, told(2 * DAY, stolen)];
const onIt = (members: Members, looks = 'machine'): Step => pay(3 * DAY, { ...another, ...members }, sdk(looks, 'b'));

checkSignals(FRAUD_SIGNALS, {
  fraud_on_user: {
    active: {
      'a user with a fraud': [...theft({}), act(4 * DAY, 'login', someone(0))],
      'a user with two': [...theft({}), ...theft({}), act(91 * DAY, 'login', someone(0))],
    },
    says: [
      'A confirmed fraud of this user, the last told of 2 days ago',
      '2 confirmed frauds of this user, the last told of 89 days ago',
    ],
    near: {
      'another user': [...theft({}), act(4 * DAY, 'login', another)],
      'what was found honest': [...labelled(1, () => ({}), false), act(4 * DAY, 'login', someone(0))],
      'before it was told': [pay(0), act(DAY, 'login')],
      'ninety days later': [...theft({}), act(92 * DAY, 'login', someone(0))],
    },
  },
  fraud_on_device: {
    active: { 'another user on the device': [...theft(PHONE), act(200 * DAY, 'signup', { ...another, ...PHONE })] },
    says: ['A confirmed fraud on this device, the last told of 198 days ago'],
    near: {
      'another device': [...theft(PHONE), act(3 * DAY, 'signup', { ...another, device_token: 'laptop' })],
      'no device': [...theft(PHONE), act(3 * DAY, 'signup', another)],
      'what was found honest': [...labelled(1, () => PHONE, false), act(3 * DAY, 'signup', { ...another, ...PHONE })],
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
    says: [
      'A confirmed fraud in 30 days on a device that looks like this one, of 1 user(s)',
      'A confirmed fraud in 30 days on a device that looks like this one, of 1 user(s)',
      'A confirmed fraud in 30 days on a device that looks like this one, of 8 user(s)',
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
      "a caller's own name": [...machine, pay(3 * DAY, { ...another, ...key(1) })],
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
    says: [
      'A confirmed fraud from this address in 30 days, of 0 user(s)',
      'A confirmed fraud from this address in 30 days, of 10 user(s)',
    ],
    near: {
      'another address': [...theft(HERE), act(3 * DAY, 'signup', { ...another, ...host(2) })],
      'a month later': [...theft(HERE), act(32 * DAY, 'signup', { ...another, ...HERE })],
      'one thief in an office of eleven': [
        ...quiet(10, () => HERE),
        ...theft(HERE),
        act(3 * DAY, 'login', { ...another, ...HERE }),
      ],
    },
  },
  fraud_on_instrument: {
    active: { 'another user with the card': [...theft(CARD), pay(200 * DAY, { ...another, ...CARD })] },
    says: ['A confirmed fraud with this instrument, the last told of 198 days ago'],
    near: {
      'another card': [...theft(CARD), pay(3 * DAY, { ...another, payment_fingerprint: 'mine' })],
      'no card': [...theft(CARD), pay(3 * DAY, another)],
      'what was found honest': [...labelled(1, () => CARD, false), pay(3 * DAY, { ...another, ...CARD })],
    },
  },
  fraud_on_email: {
    active: {
      'another user with the e-mail address': [...theft(MAIL), act(3 * DAY, 'signup', { ...another, ...MAIL })],
    },
    says: ['A confirmed fraud with this e-mail address, the last told of 1 days ago'],
    near: {
      'the same user, who may be the victim': [...theft(MAIL), act(3 * DAY, 'login', { ...someone(0), ...MAIL })],
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
    says: [
      '2 confirmed frauds with this counterparty in 7 days, of 0 payments',
      '2 confirmed frauds with this counterparty in 7 days, of 100 payments',
    ],
    near: {
      'one fraud': [...labelled(1, () => SHOP), pay(3 * DAY, { ...another, ...SHOP })],
      'two in a hundred and one': [
        ...quiet(99, () => SHOP),
        ...labelled(2, () => SHOP),
        pay(3 * DAY, { ...another, ...SHOP }),
      ],
      'a week later': [...labelled(2, () => SHOP), pay(9 * DAY, { ...another, ...SHOP })],
      'nobody named': [...labelled(2, () => SHOP), pay(3 * DAY, another)],
    },
  },
  fraud_on_network: {
    active: {
      'three frauds in a network': [...labelled(3, host), act(3 * DAY, 'signup', { ...another, ...host(99) })],
    },
    says: ['3 confirmed frauds from this network in 7 days, of 3 payments'],
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
