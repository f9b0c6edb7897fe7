import type { Facts } from './facts.ts';
import {
  counterparty,
  DAY_MS,
  device,
  email,
  fingerprint,
  get,
  ip,
  isNewLook,
  likeness,
  names,
  network,
  user,
} from './signal-facts.ts';
import type { Signal } from './signals.ts';

const count = (frauds: number): string => (frauds === 1 ? 'A confirmed fraud' : `${frauds} confirmed frauds`);
const told = (f: Facts, of: { knownFrauds: number; fraudAge: number }, where: string): string =>
  `${count(get(f, of.knownFrauds))} ${where}, the last told of ${Math.floor(get(f, of.fraudAge) / DAY_MS)} days ago`;
/** One in fifty or more of the payments: whoever is large enough has some fraud every week. */
const isFrequent = (f: Facts, of: { frauds: { d7: number }; transactions: { d7: number } }): boolean =>
  get(f, of.frauds.d7) * 50 >= get(f, of.transactions.d7);

/** What people have confirmed as fraud, of those who take part again. Counted from the moment it was told, not from when it happened. */
export const FRAUD_SIGNALS: readonly Signal[] = [
  {
    name: 'fraud_on_user',
    meaning: 'A confirmed fraud of this user became known in the last 90 days.',
    on: 'both',
    // Not for ever: the user may have been the victim, whose account is their own again.
    active: (f) => get(f, user.fraudAge) < 90 * DAY_MS,
    describe: (f) => told(f, user, 'of this user'),
  },
  {
    name: 'fraud_on_device',
    meaning: 'The device was part of a confirmed fraud.',
    on: 'both',
    active: (f) => get(f, device.knownFrauds) >= 1,
    describe: (f) => told(f, device, 'on this device'),
  },
  {
    name: 'fraud_on_similar_device',
    meaning:
      'Confirmed fraud on a device that looks like this one, and holds another key if any, became known in 30 days. Not concluded where more than eight users had such a device in 30 days, nor of a user who had one a day ago or earlier: all phones of one model look alike.',
    on: 'both',
    active: (f, s) =>
      get(f, likeness.frauds.d30) >= 1 &&
      get(f, likeness.users.d30) <= 8 &&
      (get(f, device.knownFrauds) === 0 || !names(s, 'device_token')) &&
      isNewLook(f),
    describe: (f) =>
      `${count(get(f, likeness.frauds.d30))} in 30 days on a device that looks like this one, of ${get(f, likeness.users.d30)} user(s)`,
  },
  {
    name: 'fraud_on_address',
    meaning: 'Confirmed fraud from the address became known in 30 days, one or more for every ten users there.',
    on: 'both',
    // One thief in an office or behind a provider's gateway says little of the others.
    active: (f) => get(f, ip.frauds.d30) >= 1 && get(f, ip.frauds.d30) * 10 >= get(f, ip.users.d30),
    describe: (f) => `${count(get(f, ip.frauds.d30))} from this address in 30 days, of ${get(f, ip.users.d30)} user(s)`,
  },
  {
    name: 'fraud_on_instrument',
    meaning: 'The payment instrument was part of a confirmed fraud.',
    on: 'transaction',
    active: (f) => get(f, fingerprint.knownFrauds) >= 1,
    describe: (f) => told(f, fingerprint, 'with this instrument'),
  },
  {
    name: 'fraud_on_email',
    meaning: 'The e-mail address was part of a confirmed fraud of another user.',
    on: 'both',
    // What this very user did, or suffered, with their own e-mail address is told by fraud_on_user already.
    active: (f) => get(f, email.knownFrauds) > get(f, user.knownFrauds),
    describe: (f) => told(f, email, 'with this e-mail address'),
  },
  {
    name: 'fraud_on_counterparty',
    meaning:
      'Two confirmed frauds or more with the counterparty became known in 7 days, and one or more for every fifty payments to it.',
    on: 'transaction',
    active: (f) => get(f, counterparty.frauds.d7) >= 2 && isFrequent(f, counterparty),
    describe: (f) =>
      `${count(get(f, counterparty.frauds.d7))} with this counterparty in 7 days, of ${get(f, counterparty.transactions.d7)} payments`,
  },
  {
    name: 'fraud_on_network',
    meaning:
      'Three confirmed frauds or more from the network became known in 7 days, and one or more for every fifty payments there.',
    on: 'both',
    active: (f) => get(f, network.frauds.d7) >= 3 && isFrequent(f, network),
    describe: (f) =>
      `${count(get(f, network.frauds.d7))} from this network in 7 days, of ${get(f, network.transactions.d7)} payments`,
  },
];
