import type { Facts } from '../history/facts.ts';
import type { Subject } from '../subject/subject.ts';
import { duration, ordinal } from '../words.ts';
import { DAY_MS, get, HOUR_MS, isFailedLogin, isLogin, isYes } from './conditions.ts';
import { asn, device, ip, known, network, user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

/** Failed logins of the user, this one included. */
const failureCountWithThis = (f: Facts, s: Subject, window: number): number =>
  get(f, window) + (isFailedLogin(s) ? 1 : 0);

const describeSignups = (f: Facts): string => {
  const onDevice = get(f, device.signups.h24);
  if (onDevice >= 2) return `${ordinal(onDevice + 1)} signup on this device in 24 hours`;
  const fromAddress = get(f, ip.signups.h1);
  return fromAddress >= 3
    ? `${ordinal(fromAddress + 1)} signup from this IP address in an hour`
    : `${ordinal(get(f, network.signups.h1) + 1)} signup from this network in an hour`;
};

/** Patterns in the user's account and its history. */
export const ACCOUNT_SIGNALS: readonly Signal[] = [
  {
    name: 'new_account_spree',
    meaning: 'A third payment or more by a user first seen less than an hour ago.',
    on: 'transaction',
    theme: 'account',
    topics: ['user.age'],
    active: (f) => get(f, user.age) < HOUR_MS && get(f, user.transactions.h1) >= 2,
    describe: (f) =>
      `${ordinal(get(f, user.transactions.h1) + 1)} payment by a user first seen ${duration(get(f, user.age))} ago`,
    brief: (f) => `${get(f, user.transactions.h1) + 1} payments by a user first seen ${duration(get(f, user.age))} ago`,
  },
  {
    name: 'dormant_account',
    meaning: 'The user returns after 60 days or more without activity.',
    on: 'both',
    theme: 'account',
    topics: ['user.idle'],
    active: (f) => get(f, user.idle) >= 60 * DAY_MS,
    describe: (f) => `First activity by this user in ${duration(get(f, user.idle))}`,
    brief: (f) => `first activity in ${duration(get(f, user.idle))}`,
  },
  {
    name: 'failed_logins',
    meaning: 'The user had three or more failed logins in the last hour.',
    on: 'both',
    theme: 'account',
    topics: ['user.failed_logins'],
    active: (f) => get(f, user.failedLogins.h1) >= 3,
    describe: (f) => `${get(f, user.failedLogins.h1)} failed logins for this user in the last hour`,
    brief: (f) => `${get(f, user.failedLogins.h1)} failed logins in an hour`,
  },
  {
    name: 'login_after_failures',
    meaning: 'A successful login after five or more failed logins in the last 10 minutes.',
    on: 'event',
    theme: 'account',
    topics: ['user.failed_logins'],
    active: (f, s) => isLogin(s) && !isFailedLogin(s) && get(f, user.failedLogins.m10) >= 5,
    describe: (f) => `Successful login after ${get(f, user.failedLogins.m10)} failed logins in the last 10 minutes`,
    brief: (f) => `login after ${get(f, user.failedLogins.m10)} failed ones in 10 minutes`,
  },
  {
    name: 'brute_force',
    meaning: 'Ten or more failed logins of the user in 10 minutes, or twenty or more in an hour.',
    on: 'both',
    theme: 'account',
    topics: ['user.failed_logins'],
    active: (f, s) =>
      failureCountWithThis(f, s, user.failedLogins.m10) >= 10 || failureCountWithThis(f, s, user.failedLogins.h1) >= 20,
    describe: (f, s) =>
      `${failureCountWithThis(f, s, user.failedLogins.h1)} failed logins for this user in an hour, ${failureCountWithThis(f, s, user.failedLogins.m10)} of them in 10 minutes`,
    brief: (f, s) => `${failureCountWithThis(f, s, user.failedLogins.h1)} failed logins in an hour`,
  },
  {
    name: 'credential_stuffing',
    meaning:
      'A login from an IP address with nine or more failed logins and five or more users in the last 10 minutes.',
    on: 'event',
    theme: 'links',
    topics: ['ip.failed_logins'],
    active: (f, s) => isLogin(s) && get(f, ip.failedLogins.m10) >= 9 && get(f, ip.users.m10) >= 5,
    describe: (f) =>
      `${get(f, ip.failedLogins.m10)} failed logins and ${get(f, ip.users.m10)} users from this IP address in the last 10 minutes`,
    brief: (f) => `${get(f, ip.failedLogins.m10)} failed logins from this IP address in 10 minutes`,
  },
  {
    name: 'network_login_failures',
    meaning: 'Fifty or more failed logins from the network in the last 10 minutes.',
    on: 'event',
    theme: 'links',
    topics: ['network.failed_logins'],
    active: (f) => get(f, network.failedLogins.m10) >= 50,
    describe: (f) => `${get(f, network.failedLogins.m10)} failed logins from this network in the last 10 minutes`,
    brief: (f) => `${get(f, network.failedLogins.m10)} failed logins from this network in 10 minutes`,
  },
  {
    name: 'distributed_login_failures',
    meaning: 'A login from a hosting provider that had thirty or more failed logins in the last hour.',
    on: 'event',
    theme: 'links',
    topics: ['asn.failed_logins'],
    // An internet provider has that many customers who mistype a password; a hosting provider has none.
    active: (f, s) => isLogin(s) && isYes(f, known.hosting) && get(f, asn.failedLogins.h1) >= 30,
    describe: (f) =>
      `${get(f, asn.failedLogins.h1)} failed logins from this hosting provider (AS${get(f, known.asn)}) in the last hour`,
    brief: (f) => `${get(f, asn.failedLogins.h1)} failed logins from this hosting provider in an hour`,
  },
  {
    name: 'signup_farm',
    meaning:
      'A fourth signup from one IP address in an hour, a third on one device in 24 hours, or a tenth from one network in an hour.',
    on: 'event',
    theme: 'links',
    topics: ['ip.signups', 'device.signups', 'network.signups'],
    active: (f, s) =>
      s.type === 'event' &&
      s.request.type === 'signup' &&
      (get(f, ip.signups.h1) >= 3 || get(f, device.signups.h24) >= 2 || get(f, network.signups.h1) >= 9),
    describe: describeSignups,
    brief: describeSignups,
  },
  {
    name: 'methods_added_burst',
    meaning: 'The user added three or more payment methods in the last 24 hours.',
    on: 'both',
    theme: 'account',
    topics: ['user.methods_added'],
    active: (f) => get(f, user.methodsAdded.h24) >= 3,
    describe: (f) => `${get(f, user.methodsAdded.h24)} payment methods added by this user in the last 24 hours`,
    brief: (f) => `${get(f, user.methodsAdded.h24)} payment methods added in 24 hours`,
  },
];
