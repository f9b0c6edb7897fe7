import type { Facts } from '../history/facts.ts';
import { DAY_MS, get, hasField, hasNewProfile, plural } from './conditions.ts';
import { counterparty, device, deviceProfile, email, fingerprint, ip, network, user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

const countFrauds = (frauds: number): string => plural(frauds, 'confirmed fraud');
const daysAgo = (ms: number): string => (ms < DAY_MS ? 'today' : `${plural(Math.floor(ms / DAY_MS), 'day')} ago`);
const describeFrauds = (f: Facts, of: { knownFrauds: number; fraudAge: number }, where: string): string =>
  `${countFrauds(get(f, of.knownFrauds))} ${where}, last reported ${daysAgo(get(f, of.fraudAge))}`;
/** Whether fraud is at least one in fifty payments. Every large counterparty or network has some fraud each week. */
const isFrequent = (f: Facts, of: { frauds: { d7: number }; transactions: { d7: number } }): boolean =>
  get(f, of.frauds.d7) * 50 >= get(f, of.transactions.d7);

/**
 * Confirmed fraud of the entities that take part. A fraud counts from when it was reported, not from when it
 * happened.
 */
export const FRAUD_SIGNALS: readonly Signal[] = [
  {
    name: 'fraud_on_user',
    meaning: "A confirmed fraud on this user's account was reported in the last 90 days.",
    on: 'both',
    // The signal ends after 90 days, because the user may be the victim and have regained the account.
    active: (f) => get(f, user.fraudAge) < 90 * DAY_MS,
    describe: (f) => describeFrauds(f, user, "on this user's account"),
  },
  {
    name: 'fraud_on_device',
    meaning: 'The device was used in a confirmed fraud.',
    on: 'both',
    active: (f) => get(f, device.knownFrauds) >= 1,
    describe: (f) => describeFrauds(f, device, 'on this device'),
  },
  {
    name: 'fraud_on_similar_device',
    meaning:
      'A confirmed fraud on another device with the same profile was reported in the last 30 days. Not raised if more than eight users had such a device in 30 days, nor for a user who had one a day ago or earlier: all phones of one model look alike.',
    on: 'both',
    active: (f, s) =>
      get(f, deviceProfile.frauds.d30) >= 1 &&
      get(f, deviceProfile.users.d30) <= 8 &&
      (get(f, device.knownFrauds) === 0 || !hasField(s, 'device_token')) &&
      hasNewProfile(f),
    describe: (f) =>
      `${countFrauds(get(f, deviceProfile.frauds.d30))} in 30 days on devices that look like this one (${plural(get(f, deviceProfile.users.d30), 'user')})`,
  },
  {
    name: 'fraud_on_address',
    meaning:
      'Confirmed fraud from the IP address was reported in the last 30 days, at least one for every ten users there.',
    on: 'both',
    // One thief in an office or behind a provider's gateway means little for the other users.
    active: (f) => get(f, ip.frauds.d30) >= 1 && get(f, ip.frauds.d30) * 10 >= get(f, ip.users.d30),
    describe: (f) =>
      `${countFrauds(get(f, ip.frauds.d30))} in 30 days from this IP address (${plural(get(f, ip.users.d30), 'user')})`,
  },
  {
    name: 'fraud_on_instrument',
    meaning: 'The payment instrument was used in a confirmed fraud.',
    on: 'transaction',
    active: (f) => get(f, fingerprint.knownFrauds) >= 1,
    describe: (f) => describeFrauds(f, fingerprint, 'with this instrument'),
  },
  {
    name: 'fraud_on_email',
    meaning: 'The e-mail address was used in a confirmed fraud on the account of another user.',
    on: 'both',
    // Fraud on this user's own account is covered by fraud_on_user.
    active: (f) => get(f, email.knownFrauds) > get(f, user.knownFrauds),
    describe: (f) => describeFrauds(f, email, 'with this e-mail address'),
  },
  {
    name: 'fraud_on_counterparty',
    meaning:
      'Two or more confirmed frauds with the counterparty were reported in the last 7 days, at least one for every fifty payments to it.',
    on: 'transaction',
    active: (f) => get(f, counterparty.frauds.d7) >= 2 && isFrequent(f, counterparty),
    describe: (f) =>
      `${countFrauds(get(f, counterparty.frauds.d7))} with this counterparty in 7 days (${plural(get(f, counterparty.transactions.d7), 'payment')})`,
  },
  {
    name: 'fraud_on_network',
    meaning:
      'Three or more confirmed frauds from the network were reported in the last 7 days, at least one for every fifty payments there.',
    on: 'both',
    active: (f) => get(f, network.frauds.d7) >= 3 && isFrequent(f, network),
    describe: (f) =>
      `${countFrauds(get(f, network.frauds.d7))} from this network in 7 days (${plural(get(f, network.transactions.d7), 'payment')})`,
  },
];
