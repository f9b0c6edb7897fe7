import type { Facts } from '../history/facts.ts';
import type { Subject } from '../subject/subject.ts';
import { inTheLast, plural, spanOf } from '../words.ts';
import {
  DAY_MS,
  doubtInDevice,
  doubtInNetwork,
  get,
  hasNewOrigin,
  isEstablished,
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
const isFromNewOrigin = (f: Facts, s: Subject): boolean => isNewDevice(f, s) || isNewNetwork(f, s);
const newOriginOf = (f: Facts, s: Subject): string => {
  if (hasNewOrigin(f, s)) return 'device and network';
  return isNewDevice(f, s) ? 'device' : 'network';
};

const isSpending = (s: Subject): boolean => s.type === 'transaction' || isPayout(s);
/** How long ago the last credential change was. Decisions of earlier versions only count the changes of a day. */
const changeAge = (f: Facts): number => {
  const age = get(f, user.changeAge);
  return Number.isNaN(age) && get(f, user.changes.h24) >= 1 ? DAY_MS : age;
};
const CHANGE_MS = 7 * DAY_MS;
const hasRecentChange = (f: Facts): boolean => changeAge(f) < CHANGE_MS;
const HALF_LIFE_MS = 4 * DAY_MS;
/** From 1 at the time of a credential change, falling by half every four days. */
const recencyOfChange = (f: Facts): number => (changeAge(f) >= 0 ? 2 ** (-changeAge(f) / HALF_LIFE_MS) : 0);
const spanOfChange = (f: Facts): string => spanOf(changeAge(f));
type Windows = typeof user.changes;
const SPANS: readonly (readonly [keyof Windows, string])[] = [
  ['m1', 'a minute'],
  ['m10', '10 minutes'],
  ['h1', 'an hour'],
  ['h24', '24 hours'],
];
/** The shortest time that the last of the counted events was within, of a week. */
const narrowestOf = (f: Facts, counted: Windows): string =>
  SPANS.find(([window]) => get(f, counted[window]) > 0)?.[1] ?? '7 days';
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
      "A payment or payout request within 7 days of a change or reset of the user's password, e-mail address, phone, address or second factor.",
    on: 'both',
    theme: 'account',
    topics: ['user.changes'],
    active: (f, s) => isSpending(s) && hasRecentChange(f),
    grade: (f, s) => (isSpending(s) ? recencyOfChange(f) : 0),
    describe: (f) => {
      const count = get(f, user.changes.d7);
      return `Credential change ${inTheLast(spanOfChange(f))}${count > 1 ? `, ${count} in the last 7 days` : ''}`;
    },
    brief: (f) => `within ${spanOfChange(f)} of a credential change`,
  },
  {
    name: 'takeover_pattern',
    meaning:
      'A payment or payout request within 7 days of a credential change, from a device or network new to the user.',
    on: 'both',
    theme: 'account',
    topics: ['user.changes'],
    active: (f, s) => isSpending(s) && hasRecentChange(f) && isFromNewOrigin(f, s),
    grade: (f, s) => (isSpending(s) ? recencyOfChange(f) * Math.max(doubtInDevice(f, s), doubtInNetwork(f, s)) : 0),
    describe: (f, s) =>
      `Credential change ${inTheLast(spanOfChange(f))}, now from a ${newOriginOf(f, s)} new to this user`,
    brief: (f) => `within ${spanOfChange(f)} of a credential change`,
  },
  {
    name: 'change_from_new_device',
    meaning:
      'A change of e-mail address, phone or second factor from a device and network that are both new to the user, who has been known for two days or more.',
    on: 'event',
    theme: 'account',
    topics: ['user.device', 'user.network'],
    active: (f, s) =>
      s.type === 'event' && LOCKOUT_CHANGES.has(s.request.type) && get(f, user.age) >= 2 * DAY_MS && hasNewOrigin(f, s),
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
    meaning: 'A payout request from a device or network new to the user, who has been known for a day or more.',
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
      get(f, user.changes.d7) > 0
        ? `payout within ${narrowestOf(f, user.changes)} of a credential change`
        : `payout within ${narrowestOf(f, user.methodsAdded)} of a new payment method`,
  },
];
