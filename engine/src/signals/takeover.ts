import { type Facts, LARGE_TIMES } from '../history/facts.ts';
import type { Subject } from '../subject/subject.ts';
import { plural } from '../words.ts';
import {
  get,
  hasRecentOrigin,
  isEstablished,
  isKnownUserWithRecentOrigin,
  isLarge,
  isNewDevice,
  isNewNetwork,
  isPayout,
} from './conditions.ts';
import { user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

/**
 * Changes that lock the owner out. Owners often reset a password on a new device, and change their address after a
 * move.
 */
const LOCKOUT_CHANGES: ReadonlyMap<string, string> = new Map([
  ['email_change', 'E-mail address change'],
  ['phone_change', 'Phone change'],
  ['mfa_change', 'Second factor change'],
]);
/**
 * Whether the subject comes from a device or network new to the user. A recent device and network count only for
 * payouts and large payments: an owner who reset a password on a new phone makes ordinary payments, and many users
 * try several devices on their first day.
 */
const isFromNewOrigin = (f: Facts, s: Subject): boolean =>
  isNewDevice(f, s) ||
  isNewNetwork(f, s) ||
  (isPayout(s) ? hasRecentOrigin(f, s) : isLarge(f) && isKnownUserWithRecentOrigin(f, s));
const newOriginOf = (f: Facts, s: Subject): string => {
  if (hasRecentOrigin(f, s)) return 'device and network';
  return isNewDevice(f, s) ? 'device' : 'network';
};

/** The shortest window with the user's last credential change. */
const sinceChange = (f: Facts): string => {
  if (get(f, user.changes.m1) >= 1) return 'a minute';
  if (get(f, user.changes.m10) >= 1) return '10 minutes';
  return get(f, user.changes.h1) >= 1 ? 'an hour' : '24 hours';
};
const changesInWeek = (f: Facts): string => {
  const [changes, methods] = [get(f, user.changes.d7), get(f, user.methodsAdded.d7)];
  const parts = [
    ...(changes > 0 ? [plural(changes, 'credential change')] : []),
    ...(methods > 0 ? [plural(methods, 'new payment method')] : []),
  ];
  return parts.join(' and ');
};

/** Patterns of account takeover: changes to an account, and payments and payouts after them. */
export const TAKEOVER_SIGNALS: readonly Signal[] = [
  {
    name: 'recent_credential_change',
    meaning:
      "A payment or payout request within 24 hours of a change or reset of the user's password, e-mail address, phone, address or second factor.",
    on: 'both',
    theme: 'account',
    topics: ['user.changes'],
    active: (f, s) => (s.type === 'transaction' || isPayout(s)) && get(f, user.changes.h24) >= 1,
    describe: (f) => {
      const count = get(f, user.changes.h24);
      return `Credential change less than ${sinceChange(f)} ago${count > 1 ? `, ${count} in the last 24 hours` : ''}`;
    },
    brief: (f) => `within ${sinceChange(f)} of a credential change`,
  },
  {
    name: 'takeover_pattern',
    meaning: `A payment or payout request within 24 hours of a credential change, from a device or network new to the user. For payout requests, and payments over ${LARGE_TIMES} times the user's mean, also from a device and network that were both new to the user within 24 hours.`,
    on: 'both',
    theme: 'account',
    topics: ['user.changes'],
    active: (f, s) =>
      (s.type === 'transaction' || isPayout(s)) && get(f, user.changes.h24) >= 1 && isFromNewOrigin(f, s),
    describe: (f, s) =>
      `Credential change less than ${sinceChange(f)} ago, now from a ${newOriginOf(f, s)} new to this user`,
    brief: (f) => `within ${sinceChange(f)} of a credential change`,
  },
  {
    name: 'change_from_new_device',
    meaning:
      'A change of e-mail address, phone or second factor from a device and network that were both new to the user within 24 hours. The user has been known for two days or more.',
    on: 'event',
    theme: 'account',
    topics: ['user.device', 'user.network'],
    active: (f, s) => s.type === 'event' && LOCKOUT_CHANGES.has(s.request.type) && isKnownUserWithRecentOrigin(f, s),
    describe: (f, s) =>
      `${s.type === 'event' ? LOCKOUT_CHANGES.get(s.request.type) : ''} from a ${newOriginOf(f, s)} new to this user`,
    brief: (f, s) =>
      `${s.type === 'event' ? LOCKOUT_CHANGES.get(s.request.type)?.toLowerCase() : ''} from a new ${newOriginOf(f, s)}`,
  },
  {
    name: 'change_burst',
    meaning: 'Three or more credential changes of the user in the last 24 hours.',
    on: 'both',
    theme: 'account',
    topics: ['user.changes'],
    active: (f) => get(f, user.changes.h24) >= 3,
    describe: (f) => `${get(f, user.changes.h24)} credential changes in the last 24 hours`,
    brief: (f) => `${get(f, user.changes.h24)} credential changes in 24 hours`,
  },
  {
    name: 'payout_from_new_device',
    meaning:
      'A payout request from a device or network new to the user, who has been known for a day or more, or from a device and network that were both new to the user within 24 hours.',
    on: 'event',
    theme: 'account',
    topics: ['user.device', 'user.network'],
    active: (f, s) => isPayout(s) && isFromNewOrigin(f, s),
    describe: (f, s) => `Payout request from a ${newOriginOf(f, s)} new to this user`,
    brief: (f, s) => `payout from a new ${newOriginOf(f, s)}`,
  },
  {
    name: 'payout_after_change',
    meaning:
      'A payout request within 7 days of a credential change or a new payment method, by a user known for a day or more.',
    on: 'event',
    theme: 'account',
    topics: ['user.changes', 'user.methods_added'],
    active: (f, s) =>
      isPayout(s) && isEstablished(f) && (get(f, user.changes.d7) >= 1 || get(f, user.methodsAdded.d7) >= 1),
    describe: (f) => `Payout request after ${changesInWeek(f)} in the last 7 days`,
    brief: (f) =>
      `payout within 7 days of ${get(f, user.changes.d7) > 0 ? 'a credential change' : 'a new payment method'}`,
  },
];
