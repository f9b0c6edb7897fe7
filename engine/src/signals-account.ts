import { DAY_MS, device, get, HOUR_MS, ip, network, newDevice, newNetwork, ordinal, user } from './signal-facts.ts';
import type { Signal } from './signals.ts';

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
    active: (f, s) =>
      s.type === 'event' &&
      s.request.type === 'login' &&
      s.request.outcome !== 'failed' &&
      get(f, user.failedLogins.m10) >= 5,
    describe: (f) => `A login that worked after ${get(f, user.failedLogins.m10)} failures in 10 minutes`,
  },
  {
    name: 'credential_stuffing',
    meaning: 'A login from an address with nine failed logins or more and five users or more within 10 minutes.',
    on: 'event',
    active: (f, s) =>
      s.type === 'event' && s.request.type === 'login' && get(f, ip.failedLogins.m10) >= 9 && get(f, ip.users.m10) >= 5,
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
    name: 'recent_credential_change',
    meaning:
      "The user's password, e-mail address, phone, address or second factor was changed or reset within 24 hours before a payment or payout.",
    on: 'both',
    active: (f, s) =>
      (s.type === 'transaction' || s.request.type === 'payout_request') && get(f, user.changes.h24) >= 1,
    describe: (f) => `${get(f, user.changes.h24)} change(s) to the user's credentials in 24 hours`,
  },
  {
    name: 'takeover_pattern',
    meaning:
      'A payment or payout within 24 hours of a change of credentials, from a device or network new to the user.',
    on: 'both',
    active: (f, s) =>
      (s.type === 'transaction' || s.request.type === 'payout_request') &&
      get(f, user.changes.h24) >= 1 &&
      (newDevice(f, s) || newNetwork(f, s)),
    describe: (f, s) =>
      `Credentials were changed within 24 hours, and the ${newDevice(f, s) ? 'device' : 'network'} is new to this user`,
  },
  {
    name: 'change_burst',
    meaning: 'Three changes or more to the credentials of the user within 24 hours.',
    on: 'both',
    active: (f) => get(f, user.changes.h24) >= 3,
    describe: (f) => `${get(f, user.changes.h24)} changes to the user's credentials in 24 hours`,
  },
  {
    name: 'methods_added_burst',
    meaning: 'Three payment methods or more were added by the user within 24 hours.',
    on: 'both',
    active: (f) => get(f, user.methodsAdded.h24) >= 3,
    describe: (f) => `${get(f, user.methodsAdded.h24)} payment methods added by this user in 24 hours`,
  },
];
