import { type Facts, LARGE_TIMES } from '../history/facts.ts';
import type { Subject } from '../subject/subject.ts';
import {
  get,
  hasRecentOrigin,
  isEstablished,
  isKnownUserWithRecentOrigin,
  isLarge,
  isNewDevice,
  isNewNetwork,
  isPayout,
  plural,
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

/** Patterns of account takeover: changes to an account, and payments and payouts after them. */
export const TAKEOVER_SIGNALS: readonly Signal[] = [
  {
    name: 'recent_credential_change',
    meaning:
      "A payment or payout request within 24 hours of a change or reset of the user's password, e-mail address, phone, address or second factor.",
    on: 'both',
    active: (f, s) => (s.type === 'transaction' || isPayout(s)) && get(f, user.changes.h24) >= 1,
    describe: (f) => `${plural(get(f, user.changes.h24), 'credential change')} in the last 24 hours`,
  },
  {
    name: 'takeover_pattern',
    meaning: `A payment or payout request within 24 hours of a credential change, from a device or network new to the user. For payout requests, and payments over ${LARGE_TIMES} times the user's mean, also from a device and network that were both new to the user within 24 hours.`,
    on: 'both',
    active: (f, s) =>
      (s.type === 'transaction' || isPayout(s)) && get(f, user.changes.h24) >= 1 && isFromNewOrigin(f, s),
    describe: (f, s) => `Credential change in the last 24 hours, now from a ${newOriginOf(f, s)} new to this user`,
  },
  {
    name: 'change_from_new_device',
    meaning:
      'A change of e-mail address, phone or second factor from a device and network that were both new to the user within 24 hours. The user has been known for two days or more.',
    on: 'event',
    active: (f, s) => s.type === 'event' && LOCKOUT_CHANGES.has(s.request.type) && isKnownUserWithRecentOrigin(f, s),
    describe: (f, s) =>
      `${s.type === 'event' ? LOCKOUT_CHANGES.get(s.request.type) : ''} from a ${newOriginOf(f, s)} new to this user`,
  },
  {
    name: 'change_burst',
    meaning: 'Three or more credential changes of the user in the last 24 hours.',
    on: 'both',
    active: (f) => get(f, user.changes.h24) >= 3,
    describe: (f) => `${get(f, user.changes.h24)} credential changes in the last 24 hours`,
  },
  {
    name: 'payout_from_new_device',
    meaning:
      'A payout request from a device or network new to the user, who has been known for a day or more, or from a device and network that were both new to the user within 24 hours.',
    on: 'event',
    active: (f, s) => isPayout(s) && isFromNewOrigin(f, s),
    describe: (f, s) => `Payout request from a ${newOriginOf(f, s)} new to this user`,
  },
  {
    name: 'payout_after_change',
    meaning:
      'A payout request within 7 days of a credential change or a new payment method, by a user known for a day or more.',
    on: 'event',
    active: (f, s) =>
      isPayout(s) && isEstablished(f) && (get(f, user.changes.d7) >= 1 || get(f, user.methodsAdded.d7) >= 1),
    describe: (f) =>
      `Payout request after ${plural(get(f, user.changes.d7), 'credential change')} and ${plural(get(f, user.methodsAdded.d7), 'new payment method')} in the last 7 days`,
  },
];
