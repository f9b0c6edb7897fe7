import { type Facts, LARGE_TIMES } from './facts.ts';
import {
  cameLately,
  cameLatelyToKnown,
  established,
  get,
  isLarge,
  isPayout,
  newDevice,
  newNetwork,
  user,
} from './signal-facts.ts';
import type { Signal } from './signals.ts';
import type { Subject } from './subject.ts';

/** What locks the owner out. Passwords are forgotten, above all on a new device, and whoever moves changes an address from a new line. */
const WAYS_TO_OWNER: ReadonlySet<string> = new Set(['email_change', 'phone_change', 'mfa_change']);
/** Whoever forgot a password on a new phone buys as ever, and on their first day people try one device after another. */
const isElsewhere = (f: Facts, s: Subject): boolean =>
  newDevice(f, s) || newNetwork(f, s) || (isPayout(s) ? cameLately(f, s) : isLarge(f) && cameLatelyToKnown(f, s));
const whatIsNew = (f: Facts, s: Subject): string => {
  if (cameLately(f, s)) return 'device and network';
  return newDevice(f, s) ? 'device' : 'network';
};

/** What is done with an account by someone who may have taken it over: changes to it, and what follows them. */
export const TAKEOVER_SIGNALS: readonly Signal[] = [
  {
    name: 'recent_credential_change',
    meaning:
      "The user's password, e-mail address, phone, address or second factor was changed or reset within 24 hours before a payment or payout.",
    on: 'both',
    active: (f, s) => (s.type === 'transaction' || isPayout(s)) && get(f, user.changes.h24) >= 1,
    describe: (f) => `${get(f, user.changes.h24)} change(s) to the user's credentials in 24 hours`,
  },
  {
    name: 'takeover_pattern',
    meaning: `A payment or payout within 24 hours of a change of credentials, from a device or network new to the user, or, if it is a payout or over ${LARGE_TIMES} times the user's mean, from a device and network that both came to them within 24 hours.`,
    on: 'both',
    active: (f, s) => (s.type === 'transaction' || isPayout(s)) && get(f, user.changes.h24) >= 1 && isElsewhere(f, s),
    describe: (f, s) =>
      `Credentials were changed within 24 hours, and this comes from a ${whatIsNew(f, s)} new to the user`,
  },
  {
    name: 'change_from_new_device',
    meaning:
      'A change of e-mail address, phone or second factor from a device and network that both came to the user within 24 hours, who has been known for two days or more.',
    on: 'event',
    active: (f, s) => s.type === 'event' && WAYS_TO_OWNER.has(s.request.type) && cameLatelyToKnown(f, s),
    describe: (f, s) =>
      `The ${s.type === 'event' ? s.request.type.replace('_', ' ') : ''} comes from a ${whatIsNew(f, s)} new to this user`,
  },
  {
    name: 'change_burst',
    meaning: 'Three changes or more to the credentials of the user within 24 hours.',
    on: 'both',
    active: (f) => get(f, user.changes.h24) >= 3,
    describe: (f) => `${get(f, user.changes.h24)} changes to the user's credentials in 24 hours`,
  },
  {
    name: 'payout_from_new_device',
    meaning:
      'A payout asked for from a device or network new to the user, who has been known for a day or more, or from a device and network that both came to the user within 24 hours.',
    on: 'event',
    active: (f, s) => isPayout(s) && isElsewhere(f, s),
    describe: (f, s) => `A payout from a ${whatIsNew(f, s)} new to this user`,
  },
  {
    name: 'payout_after_change',
    meaning:
      'A payout asked for within 7 days of a change of credentials or a new payment method, by a user known for a day or more.',
    on: 'event',
    active: (f, s) =>
      isPayout(s) && established(f) && (get(f, user.changes.d7) >= 1 || get(f, user.methodsAdded.d7) >= 1),
    describe: (f) =>
      `${get(f, user.changes.d7)} change(s) to the user's credentials and ${get(f, user.methodsAdded.d7)} new payment method(s) in 7 days`,
  },
];
