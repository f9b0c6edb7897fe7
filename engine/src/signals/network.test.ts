import { checkSignals } from '../../test/signal-table.ts';
import { act, DAY, failedLogin, HOUR, MINUTE, pay, SECOND, times } from '../../test/subjects.ts';
import { NETWORK_SIGNALS } from './network.ts';

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

checkSignals(NETWORK_SIGNALS, {
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
      'a network never seen, after two months without activity': [...known, pay(62 * DAY, network(20))],
    },
    descriptions: [
      'First activity by this user from this network, after 1 other network in 30 days',
      'First activity by this user from this network, after 1 other network in 30 days',
      'First activity by this user from this network, after 8 other networks in 30 days',
      'Only failed attempts by this user from this network so far, after 1 other network in 30 days',
      'First activity by this user from this network only 60 minutes ago, after 1 other network in 30 days',
      'First activity by this user from this network, after another network 60 days ago',
    ],
    near: {
      'a network never seen, after five months without activity': [...known, pay(153 * DAY, network(20))],
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
});
