import { checkSignals } from '../../test/signal-table.ts';
import { act, DAY, failedLogin, HOUR, MINUTE, pay, SECOND, sdk, times } from '../../test/subjects.ts';
import { PLACE_SIGNALS } from './place.ts';

const HOME = { ip_address: '198.51.100.1', device_token: 'phone' };
/** A user seen at home for three days. */
const known = times(3, (i) => act(i * DAY, 'login', HOME));
const network = (i: number) => ({ ip_address: `10.0.${i}.1` });
const host = (i: number) => ({ ip_address: `198.51.100.${i % 250}` });
const someone = (i: number) => ({ user_id: `user_${i}` });
/** Payments from one network: in earlier days, and then all within minutes. */
const trade = (count: number) => times(count, (i) => pay(i * MINUTE, { ...host(i), ...someone(i % 99) }));
const rush = (count: number, gap = 10 * SECOND) =>
  times(count, (i) => pay(4 * DAY + i * gap, { ...host(i), ...someone(i) }));
const device = (i: number) => ({ device_token: `device_${i}` });

checkSignals(PLACE_SIGNALS, {
  ip_mismatch: {
    active: {
      'a login from a network never seen': [...known, act(3 * DAY, 'login', { ip_address: '192.0.2.1' })],
      'a payment from a network never seen': [...known, pay(3 * DAY, { ip_address: '2001:db8::1' })],
      'a user who comes from another network eight times of ten': [
        ...times(10, (i) => act(i * DAY, 'login', network(i % 8))),
        act(10 * DAY, 'login', network(20)),
      ],
      'a network of failed attempts alone': [
        ...known,
        failedLogin(3 * DAY, network(20)),
        act(3 * DAY + MINUTE, 'login', network(20)),
      ],
      'a network of one login an hour ago': [
        ...known,
        act(3 * DAY, 'login', network(20)),
        pay(3 * DAY + HOUR, network(20)),
      ],
    },
    descriptions: [
      'First activity by this user from this network, after 1 other network in 30 days',
      'First activity by this user from this network, after 1 other network in 30 days',
      'First activity by this user from this network, after 8 other networks in 30 days',
      'Only failed attempts by this user from this network so far, after 1 other network in 30 days',
      'First activity by this user from this network only 60 minutes ago, after 1 other network in 30 days',
    ],
    near: {
      'another host of the same network': [...known, act(3 * DAY, 'login', { ip_address: '198.51.100.200' })],
      'no address': [...known, act(3 * DAY, 'login')],
      'a user known for an hour': [
        ...times(3, (i) => act(i * MINUTE, 'login', HOME)),
        act(HOUR, 'login', { ip_address: '192.0.2.1' }),
      ],
      'a user seen twice': [...known.slice(0, 2), act(3 * DAY, 'login', { ip_address: '192.0.2.1' })],
      'a user who comes from another network nine times of ten': [
        ...times(10, (i) => act(i * DAY, 'login', network(i % 9))),
        act(10 * DAY, 'login', network(20)),
      ],
      'a user never seen with an address': [
        ...times(3, (i) => act(i * DAY, 'login')),
        act(3 * DAY, 'login', { ip_address: '192.0.2.1' }),
      ],
    },
  },
  many_networks: {
    active: { 'a fourth network in a day': times(4, (i) => act(i * HOUR, 'login', network(i))) },
    descriptions: ['4 networks used by this user in 24 hours'],
    near: {
      'a third network': times(4, (i) => act(i * HOUR, 'login', network(i % 3))),
      'a fourth network in two days': times(4, (i) => act(i * 12 * HOUR, 'login', network(i))),
      'no address after three networks': [
        ...times(3, (i) => act(i * HOUR, 'login', network(i))),
        act(4 * HOUR, 'login'),
      ],
    },
  },
  ip_velocity: {
    active: { 'a tenth payment in 9 minutes': times(10, (i) => pay(i * MINUTE, { ...HOME, ...someone(i) })) },
    descriptions: ['10th payment from this IP address in 10 minutes'],
    near: {
      'a ninth payment': times(9, (i) => pay(i * MINUTE, { ...HOME, ...someone(i) })),
      'a tenth payment in 18 minutes': times(10, (i) => pay(i * 2 * MINUTE, { ...HOME, ...someone(i) })),
      'a tenth login': times(10, (i) => act(i * MINUTE, 'login', { ...HOME, ...someone(i) })),
    },
  },
  shared_ip: {
    active: {
      'an IP address with ten users in a day': times(11, (i) => act(i * HOUR, 'login', { ...HOME, ...someone(i) })),
    },
    descriptions: ['10 users from this IP address in the last 24 hours'],
    near: {
      'an address with nine users in a day': times(10, (i) => act(i * HOUR, 'login', { ...HOME, ...someone(i) })),
      'an address with ten users in five days': times(11, (i) =>
        act(i * 12 * HOUR, 'login', { ...HOME, ...someone(i) }),
      ),
    },
  },
  network_velocity: {
    active: {
      'a fiftieth payment in 10 minutes': rush(50),
      'a fiftieth payment in 10 minutes, over ten times the weekly average': [...trade(4990), ...rush(50)],
    },
    descriptions: ['50th payment from this network in 10 minutes', '50th payment from this network in 10 minutes'],
    near: {
      'a forty-ninth payment': rush(49),
      'a fiftieth payment in 25 minutes': rush(50, 30 * SECOND),
      'a fiftieth payment in 10 minutes, ten times the weekly average': [...trade(4991), ...rush(50)],
    },
  },
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
    },
    descriptions: [
      'First activity by this user from this device',
      'First payment by this user from this device',
      'First activity by this user from this device',
      'First activity by this user from this device only 14 days ago',
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
      'a user not seen with a device for 30 days': [...known, act(33 * DAY, 'login', { device_token: 'laptop' })],
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
  shared_email: {
    active: {
      'an e-mail address of two users, in either case': times(3, (i) =>
        act(i * DAY, 'login', { email: i === 1 ? 'ADA@example.com' : 'ada@example.com', ...someone(i) }),
      ),
    },
    descriptions: ['2 users with this e-mail address in the last 30 days'],
    near: {
      'an e-mail address of one user': times(3, (i) =>
        act(i * DAY, 'login', { email: 'ada@example.com', ...someone(0) }),
      ),
      'no e-mail address': [
        ...times(2, (i) => act(i * DAY, 'login', { email: 'ada@example.com', ...someone(i) })),
        act(3 * DAY, 'login'),
      ],
    },
  },
});
