import type { Facts } from './facts.ts';
import {
  asn,
  DAY_MS,
  device,
  domain,
  get,
  HOUR_MS,
  ip,
  isFailedLogin,
  isLogin,
  isNo,
  isYes,
  known,
  network,
  ordinal,
  user,
} from './signal-facts.ts';
import type { Signal } from './signals.ts';
import type { Subject } from './subject.ts';

/** Failed logins of the user, with the one at hand if it failed. */
const failuresWithThis = (f: Facts, s: Subject, window: number): number => get(f, window) + (isFailedLogin(s) ? 1 : 0);

/** What the user's account and its past give away. */
export const ACCOUNT_SIGNALS: readonly Signal[] = [
  {
    name: 'new_account_spree',
    meaning: 'A third payment by a user first seen less than an hour ago.',
    on: 'transaction',
    active: (f) => get(f, user.age) < HOUR_MS && get(f, user.transactions.h1) >= 2,
    describe: (f) =>
      `The ${ordinal(get(f, user.transactions.h1) + 1)} payment of a user first seen ${Math.round(get(f, user.age) / 60_000)} minutes ago`,
  },
  {
    name: 'dormant_account',
    meaning: 'The user comes back after 60 days or more.',
    on: 'both',
    active: (f) => get(f, user.idle) >= 60 * DAY_MS,
    describe: (f) => `The user was not seen for ${Math.floor(get(f, user.idle) / DAY_MS)} days`,
  },
  {
    name: 'failed_logins',
    meaning: 'Three failed logins or more of the user within an hour.',
    on: 'both',
    active: (f) => get(f, user.failedLogins.h1) >= 3,
    describe: (f) => `${get(f, user.failedLogins.h1)} failed logins of this user in an hour`,
  },
  {
    name: 'login_after_failures',
    meaning: 'A login that worked after five failures or more within 10 minutes.',
    on: 'event',
    active: (f, s) => isLogin(s) && !isFailedLogin(s) && get(f, user.failedLogins.m10) >= 5,
    describe: (f) => `A login that worked after ${get(f, user.failedLogins.m10)} failures in 10 minutes`,
  },
  {
    name: 'brute_force',
    meaning: 'Ten failed logins or more of the user within 10 minutes, or twenty within an hour.',
    on: 'both',
    active: (f, s) =>
      failuresWithThis(f, s, user.failedLogins.m10) >= 10 || failuresWithThis(f, s, user.failedLogins.h1) >= 20,
    describe: (f, s) =>
      `${failuresWithThis(f, s, user.failedLogins.m10)} failed logins of this user in 10 minutes, ${failuresWithThis(f, s, user.failedLogins.h1)} in an hour`,
  },
  {
    name: 'credential_stuffing',
    meaning: 'A login from an address with nine failed logins or more and five users or more within 10 minutes.',
    on: 'event',
    active: (f, s) => isLogin(s) && get(f, ip.failedLogins.m10) >= 9 && get(f, ip.users.m10) >= 5,
    describe: (f) =>
      `${get(f, ip.failedLogins.m10)} failed logins and ${get(f, ip.users.m10)} users from this address in 10 minutes`,
  },
  {
    name: 'network_login_failures',
    meaning: 'Fifty failed logins or more from one network within 10 minutes.',
    on: 'event',
    active: (f) => get(f, network.failedLogins.m10) >= 50,
    describe: (f) => `${get(f, network.failedLogins.m10)} failed logins from this network in 10 minutes`,
  },
  {
    name: 'distributed_login_failures',
    meaning: 'A login from rented servers, after thirty failed logins or more from the same provider within an hour.',
    on: 'event',
    // Providers of access have that many users who mistype; servers for rent have none.
    active: (f, s) => isLogin(s) && isYes(f, known.hosting) && get(f, asn.failedLogins.h1) >= 30,
    describe: (f) =>
      `${get(f, asn.failedLogins.h1)} failed logins from the servers of AS${get(f, known.asn)} in an hour`,
  },
  {
    name: 'signup_farm',
    meaning:
      'A fourth signup from one address within an hour, a third on one device within 24 hours, or a tenth in one network within an hour.',
    on: 'event',
    active: (f, s) =>
      s.type === 'event' &&
      s.request.type === 'signup' &&
      (get(f, ip.signups.h1) >= 3 || get(f, device.signups.h24) >= 2 || get(f, network.signups.h1) >= 9),
    describe: (f) => {
      const device24h = get(f, device.signups.h24);
      if (device24h >= 2) return `The ${ordinal(device24h + 1)} signup on this device in 24 hours`;
      const where = get(f, ip.signups.h1) >= 3 ? 'address' : 'network';
      const count = where === 'address' ? get(f, ip.signups.h1) : get(f, network.signups.h1);
      return `The ${ordinal(count + 1)} signup from this ${where} in an hour`;
    },
  },
  {
    name: 'methods_added_burst',
    meaning: 'Three payment methods or more were added by the user within 24 hours.',
    on: 'both',
    active: (f) => get(f, user.methodsAdded.h24) >= 3,
    describe: (f) => `${get(f, user.methodsAdded.h24)} payment methods added by this user in 24 hours`,
  },
  {
    name: 'disposable_email',
    meaning: 'The e-mail address is of a domain that gives out throw-away addresses.',
    on: 'both',
    active: (f) => isYes(f, known.disposable),
    describe: () => 'The e-mail address is a throw-away one',
  },
  {
    name: 'fresh_email_domain',
    meaning:
      'The domain of the e-mail address was first seen less than a day ago, had three users or signups or more since, and is not one where anybody gets an address.',
    on: 'both',
    // Where nobody could tell which domains are free, the largest of all would look fresh to a new installation.
    active: (f) =>
      isNo(f, known.free) &&
      get(f, domain.age) < DAY_MS &&
      (get(f, domain.users.h24) >= 3 || get(f, domain.signups.h24) >= 3),
    describe: (f) =>
      `${get(f, domain.users.h24)} users and ${get(f, domain.signups.h24)} signups with an e-mail domain first seen ${(get(f, domain.age) / HOUR_MS).toFixed(1)} hours ago`,
  },
];
