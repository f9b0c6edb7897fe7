import { checkSignals } from '../../test/signal-table.ts';
import { act, DAY, failedLogin, HOUR, MINUTE, pay, sdk, times } from '../../test/subjects.ts';
import { DEVICE_SIGNALS } from './device.ts';

const HOME = { ip_address: '198.51.100.1', device_token: 'phone' };
/** A user seen at home for three days. */
const known = times(3, (i) => act(i * DAY, 'login', HOME));
const someone = (i: number) => ({ user_id: `user_${i}` });
const device = (i: number) => ({ device_token: `device_${i}` });

checkSignals(DEVICE_SIGNALS, {
  new_device: {
    active: {
      'a device never seen': [...known, act(3 * DAY, 'login', { device_token: 'laptop' })],
      'a payment from a device never seen': [...known, pay(3 * DAY, { device_token: 'laptop' })],
      'a user known for exactly a day': [
        ...times(3, (i) => act(i * HOUR, 'login', HOME)),
        act(DAY, 'login', { device_token: 'laptop' }),
      ],
      'a device of one login two weeks ago': [
        ...known,
        act(3 * DAY, 'login', { device_token: 'laptop' }),
        pay(17 * DAY, { device_token: 'laptop' }),
      ],
      'a device never seen, after two months without activity': [...known, pay(63 * DAY, { device_token: 'laptop' })],
    },
    descriptions: [
      'First activity by this user from this device',
      'First payment by this user from this device',
      'First activity by this user from this device',
      'First activity by this user from this device only 14 days ago',
      'First payment by this user from this device',
    ],
    near: {
      'the usual device': [...known, act(3 * DAY, 'login', { device_token: 'phone' })],
      'no device': [...known, act(3 * DAY, 'login')],
      'a user known for less than a day': [
        ...times(3, (i) => act(i * HOUR, 'login', HOME)),
        act(DAY - 1, 'login', { device_token: 'laptop' }),
      ],
      'a user never seen with a device': [
        ...times(3, (i) => act(i * DAY, 'login')),
        act(3 * DAY, 'login', { device_token: 'laptop' }),
      ],
      'a user who only failed with another device': [
        ...times(3, (i) => act(i * DAY, 'login')),
        failedLogin(3 * DAY, { device_token: 'phone' }),
        act(63 * DAY, 'login', { device_token: 'laptop' }),
      ],
      'a device never seen, after five months without activity': [...known, pay(153 * DAY, { device_token: 'laptop' })],
      'the usual device, after two months without activity': [
        ...known,
        act(63 * DAY, 'login', { device_token: 'phone' }),
      ],
      'a new key on a device with the profile of an earlier one': [
        ...times(3, (i) => act(i * DAY, 'login', { device_token: 'dvk_a' }, sdk('laptop', `${i}`))),
        act(3 * DAY, 'login', { device_token: 'dvk_b' }, sdk('laptop', 'new')),
      ],
    },
  },
  device_switching: {
    active: { 'a third device in a day': times(3, (i) => act(i * HOUR, 'login', device(i))) },
    descriptions: ['3 devices used by this user in 24 hours'],
    near: {
      'a second device': times(3, (i) => act(i * HOUR, 'login', device(i % 2))),
      'a third device in two days': times(3, (i) => act(i * DAY, 'login', device(i))),
      'a key for each private window of one laptop': times(6, (i) =>
        act(i * 5 * HOUR, 'login', device(i), sdk('laptop', `${i}`)),
      ),
      'no device after two': [...times(2, (i) => act(i * HOUR, 'login', device(i))), act(3 * HOUR, 'login')],
    },
  },
  shared_device: {
    active: { 'a device of four users': times(5, (i) => act(i * DAY, 'login', { ...device(0), ...someone(i) })) },
    descriptions: ['4 users on this device in the last 30 days'],
    near: {
      'a device of three users': times(4, (i) => act(i * DAY, 'login', { ...device(0), ...someone(i) })),
      'a device of four users in 60 days': times(5, (i) => act(i * 15 * DAY, 'login', { ...device(0), ...someone(i) })),
    },
  },
  device_many_users: {
    active: {
      'a third user in an hour': times(3, (i) => act(i * 20 * MINUTE, 'login', { ...device(0), ...someone(i) })),
      'the third user again': times(4, (i) => act(i * 10 * MINUTE, 'login', { ...device(0), ...someone(i % 3) })),
    },
    descriptions: ['3 users on this device in an hour', '3 users on this device in an hour'],
    near: {
      'a second user': times(3, (i) => act(i * 20 * MINUTE, 'login', { ...device(0), ...someone(i % 2) })),
      'a third user in two hours': times(3, (i) => act(i * HOUR, 'login', { ...device(0), ...someone(i) })),
      'three users without a device': times(3, (i) => act(i * MINUTE, 'login', someone(i))),
    },
  },
  device_velocity: {
    active: { 'an eighth payment in an hour': times(8, (i) => pay(i * 6 * MINUTE, { ...device(0), ...someone(i) })) },
    descriptions: ['8th payment from this device in an hour'],
    near: {
      'a seventh payment in an hour': times(7, (i) => pay(i * 6 * MINUTE, { ...device(0), ...someone(i) })),
      'an eighth payment in two hours': times(8, (i) => pay(i * 16 * MINUTE, { ...device(0), ...someone(i) })),
    },
  },
});
