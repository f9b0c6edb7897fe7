import { checkSignals } from '../../test/signal-table.ts';
import { act, DAY, failedLogin, HOUR, MINUTE, pay, times } from '../../test/subjects.ts';
import { UNAVAILABLE } from '../subject/lookup-facts.ts';
import { ACCOUNT_SIGNALS } from './account.ts';

const ip_address = '198.51.100.1';
const failures = (count: number, gap = MINUTE) => times(count, (i) => failedLogin(i * gap));
const someone = (i: number) => ({ user_id: `user_${i}` });
/** Failed logins from one address, for a number of users in turn. */
const stuffing = (count: number, users: number) =>
  times(count, (i) => failedLogin(i * 30_000, { ip_address, ...someone(i % users) }));
const signups = (count: number, fields: (i: number) => object, gap = 5 * MINUTE) =>
  times(count, (i) => act(i * gap, 'signup', { ...someone(i), ...fields(i) }));
const host = (i: number) => ({ ip_address: `198.51.100.${i}` });
const widely = (count: number) => times(count, (i) => failedLogin(i * 10_000, { ...host(i), ...someone(i) }));
const methods = (count: number, gap = HOUR) => times(count, (i) => act(i * gap, 'payment_method_added'));

const SERVERS = { ip_hosting: 1 };
/** Failed logins from many networks of one provider, most of them for other users. */
const fromServers = (count: number, gap = MINUTE, extra: object = SERVERS) =>
  times(count, (i) => failedLogin(i * gap, { ip_address: `192.0.2.${i}`, ...someone(i) }, extra));
const atServers = { ip_address: '192.0.2.99' };

checkSignals(ACCOUNT_SIGNALS, {
  new_account_spree: {
    active: { 'a third payment within an hour of the first': times(3, (i) => pay(i * 20 * MINUTE)) },
    descriptions: ['3rd payment by a user first seen 40 minutes ago'],
    near: {
      'a second payment': times(2, (i) => pay(i * 20 * MINUTE)),
      'a third payment an hour after the signup': [
        act(0, 'signup'),
        ...times(3, (i) => pay(50 * MINUTE + i * 5 * MINUTE)),
      ],
    },
  },
  dormant_account: {
    active: {
      'a login after 60 days': [act(0, 'login'), act(60 * DAY, 'login')],
      'a payment after 60 days': [pay(0), pay(60 * DAY)],
    },
    descriptions: ['First activity by this user in 60 days', 'First activity by this user in 60 days'],
    near: {
      'a login a millisecond before that': [act(0, 'login'), act(60 * DAY - 1, 'login')],
      'a user never seen': [act(60 * DAY, 'login')],
    },
  },
  failed_logins: {
    active: {
      'a login after three failures': [...failures(3), act(5 * MINUTE, 'login')],
      'a payment after three failures': [...failures(3), pay(30 * MINUTE)],
    },
    descriptions: ['3 failed logins for this user in the last hour', '3 failed logins for this user in the last hour'],
    near: {
      'two failures': [...failures(2), act(5 * MINUTE, 'login')],
      'three failures in 100 minutes': [...failures(3, 50 * MINUTE), act(101 * MINUTE, 'login')],
      'three successful logins': [...times(3, (i) => act(i, 'login')), act(5 * MINUTE, 'login')],
      'three failures of another user': [...failures(3), act(5 * MINUTE, 'login', someone(1))],
    },
  },
  login_after_failures: {
    active: { 'a successful login after five failures': [...failures(5), act(6 * MINUTE, 'login')] },
    descriptions: ['Successful login after 5 failed logins in the last 10 minutes'],
    near: {
      'four failures': [...failures(4), act(6 * MINUTE, 'login')],
      'one more failure': [...failures(5), failedLogin(6 * MINUTE)],
      'another action': [...failures(5), act(6 * MINUTE, 'password_reset')],
      'five failures in 15 minutes': [...failures(5, 3 * MINUTE), act(15 * MINUTE, 'login')],
    },
  },
  brute_force: {
    active: {
      'a tenth failure in 10 minutes': failures(10, 50_000),
      'a twentieth failure in an hour': failures(20, 2.5 * MINUTE),
      'a payment after ten failures': [...failures(10, 50_000), pay(9 * MINUTE)],
    },
    descriptions: [
      '10 failed logins for this user in an hour, 10 of them in 10 minutes',
      '20 failed logins for this user in an hour, 4 of them in 10 minutes',
      '10 failed logins for this user in an hour, 10 of them in 10 minutes',
    ],
    near: {
      'a ninth failure in 10 minutes': failures(9, 50_000),
      'a successful login after nine failures': [...failures(9, 50_000), act(8 * MINUTE, 'login')],
      'a nineteenth failure in an hour': failures(19, 2.5 * MINUTE),
      'ten failures of ten users': times(10, (i) => failedLogin(i * MINUTE, someone(i))),
    },
  },
  credential_stuffing: {
    active: {
      'a login from an address with nine failures for five users': [
        ...stuffing(9, 5),
        act(5 * MINUTE, 'login', { ip_address, ...someone(9) }),
      ],
      'one more failure there': stuffing(10, 5),
    },
    descriptions: [
      '9 failed logins and 5 users from this IP address in the last 10 minutes',
      '9 failed logins and 5 users from this IP address in the last 10 minutes',
    ],
    near: {
      'eight failures': stuffing(9, 5),
      'four users': stuffing(10, 4),
      'a signup': [...stuffing(9, 5), act(5 * MINUTE, 'signup', { ip_address, ...someone(9) })],
      'another address': [...stuffing(9, 5), act(5 * MINUTE, 'login', { ...host(2), ...someone(9) })],
      'twenty minutes later': [...stuffing(9, 5), act(25 * MINUTE, 'login', { ip_address, ...someone(9) })],
    },
  },
  network_login_failures: {
    active: { 'fifty failures in one network': [...widely(50), act(9 * MINUTE, 'login', host(99))] },
    descriptions: ['50 failed logins from this network in the last 10 minutes'],
    near: {
      'forty-nine failures': [...widely(49), act(9 * MINUTE, 'login', host(99))],
      'another network': [...widely(50), act(9 * MINUTE, 'login', { ip_address: '192.0.2.1' })],
    },
  },
  distributed_login_failures: {
    active: {
      'a login after thirty failures from one provider': [
        ...fromServers(30),
        act(31 * MINUTE, 'login', atServers, SERVERS),
      ],
    },
    descriptions: ['30 failed logins from this hosting provider (AS64501) in the last hour'],
    near: {
      'twenty-nine failures': [...fromServers(29), act(31 * MINUTE, 'login', atServers, SERVERS)],
      'thirty in two hours': [...fromServers(30, 4 * MINUTE), act(2 * HOUR, 'login', atServers, SERVERS)],
      'an internet provider': [...fromServers(30, MINUTE, { ip_hosting: 0 }), act(31 * MINUTE, 'login', atServers)],
      'an unavailable network type': [
        ...fromServers(30),
        act(31 * MINUTE, 'login', atServers, { ip_hosting: UNAVAILABLE }),
      ],
      'another provider': [...fromServers(30), act(31 * MINUTE, 'login', { ip_address }, SERVERS)],
      'a signup': [...fromServers(30), act(31 * MINUTE, 'signup', atServers, SERVERS)],
    },
  },
  signup_farm: {
    active: {
      'a fourth signup from one address': signups(4, () => ({ ip_address })),
      'a third signup on one device in a day': signups(3, () => ({ device_token: 'phone' }), 8 * HOUR),
      'a tenth signup in one network': signups(10, host),
    },
    descriptions: [
      '4th signup from this IP address in an hour',
      '3rd signup on this device in 24 hours',
      '10th signup from this network in an hour',
    ],
    near: {
      'a third signup from one address': signups(3, () => ({ ip_address })),
      'a fourth signup from one address in two hours': signups(4, () => ({ ip_address }), 40 * MINUTE),
      'a second signup on one device': signups(2, () => ({ device_token: 'phone' })),
      'a ninth signup in one network': signups(9, host),
      'a login after three signups': [...signups(3, () => ({ ip_address })), act(20 * MINUTE, 'login', { ip_address })],
    },
  },
  methods_added_burst: {
    active: { 'a payment after three payment methods': [...methods(3), pay(4 * HOUR)] },
    descriptions: ['3 payment methods added by this user in the last 24 hours'],
    near: {
      'two payment methods': [...methods(2), pay(4 * HOUR)],
      'three payment methods in two days': [...methods(3, DAY), pay(2 * DAY + HOUR)],
    },
  },
});
