import { checkSignals } from '../../test/signal-table.ts';
import { act, DAY, HOUR, MINUTE, pay, times } from '../../test/subjects.ts';
import { TAKEOVER_SIGNALS } from './takeover.ts';

const HOME = { ip_address: '198.51.100.1', device_token: 'phone' };
/** A user seen at home for three days, who then changed their e-mail address. */
const known = times(3, (i) => act(i * DAY, 'login', HOME));
const changed = [...known, act(3 * DAY, 'email_change', HOME)];
/** A thief logs in before the fraud. */
const THIEF = { ip_address: '192.0.2.1', device_token: 'stolen' };
const entered = [...known, act(3 * DAY, 'login', THIEF)];
/** Payments of the user, beside the logins. */
const pays = times(2, (i) => pay(i * DAY, HOME));
const changes = (count: number, gap = HOUR) => times(count, (i) => act(i * gap, 'password_change'));

checkSignals(TAKEOVER_SIGNALS, {
  recent_credential_change: {
    active: {
      'a payment an hour before seven days after a change': [act(0, 'email_change'), pay(7 * DAY - HOUR)],
      'a payout after a reset': [act(0, 'password_reset'), act(HOUR, 'payout_request')],
      'a payment minutes after the second change of a day': [
        act(0, 'password_reset'),
        act(2 * HOUR, 'email_change'),
        pay(2 * HOUR + 4 * MINUTE),
      ],
    },
    descriptions: [
      'Credential change in the last 7 days',
      'Credential change in the last hour',
      'Credential change in the last 4 minutes, 2 in the last 7 days',
    ],
    near: {
      'a payment seven days after a change': [act(0, 'email_change'), pay(7 * DAY)],
      'a login after a change': [act(0, 'email_change'), act(HOUR, 'login')],
      'a payment after a login': [act(0, 'login'), pay(HOUR)],
    },
  },
  takeover_pattern: {
    active: {
      'a payment from a new device after a change': [...changed, pay(3 * DAY + HOUR, { device_token: 'laptop' })],
      'a payment from a new network after a change': [...changed, pay(3 * DAY + HOUR, { ip_address: '192.0.2.1' })],
      'a payout from a new device after a change': [
        ...changed,
        act(3 * DAY + HOUR, 'payout_request', { device_token: 'laptop' }),
      ],
      'a payout after a login and a change by a thief': [
        ...entered,
        act(3 * DAY + MINUTE, 'email_change', THIEF),
        act(3 * DAY + 4 * HOUR, 'payout_request', THIEF),
      ],
      'a usual payment after a login and a change by a thief': [
        ...pays,
        ...entered,
        act(3 * DAY + MINUTE, 'password_reset', THIEF),
        pay(3 * DAY + HOUR, { ...THIEF, amount: 20 }),
      ],
      'a thief who waits for six days': [
        ...entered,
        act(3 * DAY + MINUTE, 'email_change', THIEF),
        pay(9 * DAY + MINUTE, THIEF),
      ],
      'a new phone at home': [
        ...known,
        act(3 * DAY, 'login', { ...HOME, device_token: 'laptop' }),
        act(3 * DAY + MINUTE, 'email_change', HOME),
        act(3 * DAY + HOUR, 'payout_request', { ...HOME, device_token: 'laptop' }),
      ],
    },
    descriptions: [
      'Credential change in the last hour, now from a device new to this user',
      'Credential change in the last hour, now from a network new to this user',
      'Credential change in the last hour, now from a device new to this user',
      'Credential change in the last 4 hours, now from a device and network new to this user',
      'Credential change in the last hour, now from a device and network new to this user',
      'Credential change in the last 7 days, now from a device and network new to this user',
      'Credential change in the last hour, now from a device new to this user',
    ],
    near: {
      'a payment from home after a change': [...changed, pay(3 * DAY + HOUR, HOME)],
      'a payment from a new device without a change': [...known, pay(3 * DAY + HOUR, { device_token: 'laptop' })],
      'a payment from a new device seven days after a change': [...changed, pay(10 * DAY, { device_token: 'laptop' })],
      'a login from a new device after a change': [
        ...changed,
        act(3 * DAY + HOUR, 'login', { device_token: 'laptop' }),
      ],
      'a payment from a device and network with a payment two days ago': [
        ...entered,
        pay(3 * DAY, THIEF),
        act(5 * DAY - HOUR, 'password_reset', THIEF),
        pay(5 * DAY, THIEF),
      ],
    },
  },
  change_from_new_device: {
    active: {
      'another e-mail address after a login': [...entered, act(3 * DAY + MINUTE, 'email_change', THIEF)],
      'another second factor at first sight': [...known, act(3 * DAY, 'mfa_change', THIEF)],
      'another phone two weeks after the login': [...entered, act(17 * DAY, 'phone_change', THIEF)],
    },
    descriptions: [
      'E-mail address change from a device and network new to this user',
      'Second factor change from a device and network new to this user',
      'Phone change from a device and network new to this user',
    ],
    near: {
      'another e-mail address from home': [...known, act(3 * DAY, 'email_change', HOME)],
      'a new phone at home': [...known, act(3 * DAY, 'email_change', { ...HOME, device_token: 'laptop' })],
      'the old phone elsewhere': [...known, act(3 * DAY, 'email_change', { ...THIEF, device_token: 'phone' })],
      'a forgotten password': [...known, act(3 * DAY, 'password_reset', THIEF)],
      'a change of address': [...known, act(3 * DAY, 'address_change', THIEF)],
      'two days after a payment there': [...entered, pay(3 * DAY, THIEF), act(5 * DAY, 'email_change', THIEF)],
      'a user known for less than two days': [
        ...times(3, (i) => act(i * HOUR, 'login', HOME)),
        act(2 * DAY - 1, 'email_change', THIEF),
      ],
      'no device': [...known, act(3 * DAY, 'email_change', { ip_address: THIEF.ip_address })],
      'a user who always comes from a new network': [
        ...times(5, (i) => act(i * DAY, 'login', { ip_address: `10.0.${i}.1`, device_token: 'phone' })),
        act(5 * DAY, 'email_change', THIEF),
      ],
    },
  },
  change_burst: {
    active: { 'anything after three changes': [...changes(3), act(4 * HOUR, 'login')], 'a fourth change': changes(4) },
    descriptions: ['3 credential changes in the last 24 hours', '3 credential changes in the last 24 hours'],
    near: {
      'two changes': [...changes(2), act(4 * HOUR, 'login')],
      'three changes in two days': [...changes(3, DAY), act(2 * DAY + HOUR, 'login')],
    },
  },
  payout_from_new_device: {
    active: {
      'a payout from a device never seen': [...known, act(3 * DAY, 'payout_request', { device_token: 'laptop' })],
      'a payout from a network never seen': [...known, act(3 * DAY, 'payout_request', { ip_address: '192.0.2.1' })],
      'a payout after a login there': [...entered, act(3 * DAY + 4 * HOUR, 'payout_request', THIEF)],
      'a payout two weeks after a login there': [...entered, act(17 * DAY, 'payout_request', THIEF)],
    },
    descriptions: [
      'Payout request from a device new to this user',
      'Payout request from a network new to this user',
      'Payout request from a device and network new to this user',
      'Payout request from a device and network new to this user',
    ],
    near: {
      'a payout from home': [...known, act(3 * DAY, 'payout_request', HOME)],
      'a login from there': [...known, act(3 * DAY, 'login', { device_token: 'laptop' })],
      'a payment from there': [...known, pay(3 * DAY, { device_token: 'laptop' })],
      'a user seen twice': [...known.slice(0, 2), act(3 * DAY, 'payout_request', { device_token: 'laptop' })],
      'neither device nor network': [...known, act(3 * DAY, 'payout_request')],
      'the first device the user was ever seen with': [
        ...times(3, (i) => act(i * DAY, 'login', { ip_address: HOME.ip_address })),
        act(3 * DAY, 'login', HOME),
        act(3 * DAY + HOUR, 'payout_request', HOME),
      ],
      'a payout two days after a payment there': [
        ...entered,
        pay(3 * DAY, THIEF),
        act(5 * DAY, 'payout_request', THIEF),
      ],
      'a payout on the first day of the user': [
        ...times(3, (i) => act(i * MINUTE, 'login', HOME)),
        act(4 * MINUTE, 'login', THIEF),
        act(5 * MINUTE, 'payout_request', THIEF),
      ],
      'the first device and network of a new user': times(4, (i) => act(i * MINUTE, 'payout_request', HOME)),
      'a second device of a new user, at home': [
        ...times(3, (i) => act(i * MINUTE, 'login', HOME)),
        act(5 * MINUTE, 'payout_request', { ...HOME, device_token: 'laptop' }),
      ],
    },
  },
  payout_after_change: {
    active: {
      'a payout six days after a change': [...changed, act(9 * DAY, 'payout_request', HOME)],
      'a payout after a new payment method': [
        ...known,
        act(3 * DAY, 'payment_method_added', HOME),
        act(4 * DAY, 'payout_request', HOME),
      ],
    },
    descriptions: [
      'Payout request after 1 credential change in the last 7 days',
      'Payout request after 1 new payment method in the last 7 days',
    ],
    near: {
      'a payout seven days after a change': [...changed, act(10 * DAY, 'payout_request', HOME)],
      'a payout without a change': [...known, act(4 * DAY, 'payout_request', HOME)],
      'a payment after a change': [...changed, pay(4 * DAY, HOME)],
      'a user known for an hour': [
        act(0, 'signup'),
        act(HOUR, 'payment_method_added'),
        act(2 * HOUR, 'payout_request'),
      ],
    },
  },
});
