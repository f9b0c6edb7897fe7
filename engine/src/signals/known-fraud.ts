import type { Facts } from '../history/facts.ts';
import { plural } from '../words.ts';
import { DAY_MS, get, hasField, hasNewProfile, hasTrustFacts, trustIn } from './conditions.ts';
import {
  counterparty,
  device,
  deviceProfile,
  email,
  type FraudPositions,
  fingerprint,
  ip,
  network,
  user,
} from './fact-positions.ts';
import type { Signal } from './signal.ts';

const countFrauds = (frauds: number): string => plural(frauds, 'confirmed fraud');
/** How many there were to choose from, if any were seen: ` (3 users)`. */
const among = (count: number, one: string): string => (count > 0 ? ` (${plural(count, one)})` : '');
const daysAgo = (ms: number): string => (ms < DAY_MS ? 'today' : `${plural(Math.floor(ms / DAY_MS), 'day')} ago`);
/** A decision of an earlier version counted every fraud that the entity took part in. */
const known = (f: Facts, blamed: number, all: number): number => get(f, Number.isNaN(get(f, blamed)) ? all : blamed);
const knownFrauds = (f: Facts, of: FraudPositions): number => known(f, of.knownFrauds, of.all.knownFrauds);
/** The age is unknown where there is no fraud, so the count tells the version. */
const fraudAge = (f: Facts, of: FraudPositions): number =>
  get(f, Number.isNaN(get(f, of.knownFrauds)) ? of.all.fraudAge : of.fraudAge);
const fraudsIn = (f: Facts, of: FraudPositions, window: 'd7' | 'd30'): number =>
  known(f, of.frauds[window], of.all.frauds[window]);
const describeFrauds = (f: Facts, of: FraudPositions, where: string): string =>
  `${countFrauds(knownFrauds(f, of))} ${where}, last reported ${daysAgo(fraudAge(f, of))}`;
/** Whether fraud is at least one in fifty payments. Every large counterparty or network has some fraud each week. */
const isFrequent = (f: Facts, of: FraudPositions & { transactions: { d7: number } }): boolean =>
  fraudsIn(f, of, 'd7') * 50 >= get(f, of.transactions.d7);
/** Whether the only frauds are disputes, which have a signal of their own. */
const areAllDisputes = (f: Facts): boolean => get(f, user.disputes) >= knownFrauds(f, user);

/** Whether the user disputed payments on three days, or on two and at least one in twenty payments. */
const areDisputesFrequent = (f: Facts): boolean =>
  get(f, user.disputeDays) >= (get(f, user.disputes) * 20 < get(f, user.payments) ? 3 : 2);

/**
 * Whether the entity is not clearly the user's own. Payments that nobody disputed clear the user, who may have been the
 * victim. Decisions of earlier versions do not tell.
 */
const isOfStranger = (f: Facts, thisAge: number): boolean => !hasTrustFacts(f, thisAge) || trustIn(f, thisAge) < 0.5;
/**
 * Whether few people use the entity, or fraud is at least one in three of its payments. Customers of a till or a library
 * computer share it with a thief.
 */
const isOfFew = (f: Facts, of: FraudPositions & { users: { d30: number }; transactions: { d30: number } }): boolean =>
  get(f, of.users.d30) <= 3 || fraudsIn(f, of, 'd30') * 3 >= get(f, of.transactions.d30);

/**
 * Confirmed fraud that the entities are to blame for. A fraud counts from when it was reported, not from when it
 * happened.
 */
export const FRAUD_SIGNALS: readonly Signal[] = [
  {
    name: 'fraud_on_user',
    meaning:
      'A confirmed fraud that this user is to blame for was reported in the last 90 days: on a new account, or with a reason that blames the user. The victim of an account takeover is not to blame.',
    on: 'both',
    theme: 'known_fraud',
    topics: ['user.frauds'],
    active: (f) => fraudAge(f, user) < 90 * DAY_MS && !areAllDisputes(f),
    describe: (f) => describeFrauds(f, user, 'attributed to this user'),
    brief: () => 'confirmed fraud attributed to this user',
  },
  {
    name: 'repeated_disputes',
    meaning:
      "Payments from the user's own device and instrument were reported as fraud, without a reason that clears the user, on three or more days, or on two if they are at least one in twenty of the user's payments. An honest customer can have one such dispute, or two among many payments. The last was reported in the last 90 days.",
    on: 'transaction',
    theme: 'known_fraud',
    topics: ['user.frauds'],
    active: (f) => areDisputesFrequent(f) && fraudAge(f, user) < 90 * DAY_MS,
    describe: (f) =>
      `Payments disputed on ${get(f, user.disputeDays)} days by this user, who made them on their own device`,
    brief: () => 'payments disputed again and again',
  },
  {
    name: 'fraud_on_device',
    meaning:
      'The device was used for a confirmed fraud, and was new to the user then. Up to three users used the device in 30 days, or fraud is at least one in three of its payments. This user has not yet earned trust in it.',
    on: 'both',
    theme: 'known_fraud',
    topics: ['device.frauds'],
    active: (f) => knownFrauds(f, device) >= 1 && isOfFew(f, device) && isOfStranger(f, user.thisDevice),
    describe: (f) => describeFrauds(f, device, 'on this device'),
    brief: () => 'confirmed fraud on this device',
  },
  {
    name: 'fraud_on_similar_device',
    meaning:
      'A confirmed fraud on another device with the same profile was reported in the last 30 days. Not raised if more than eight users had such a device in 30 days, nor for a user who had one a day ago or earlier: all phones of one model look alike.',
    on: 'both',
    theme: 'known_fraud',
    topics: [],
    assumedWeight: 1,
    active: (f, s) =>
      fraudsIn(f, deviceProfile, 'd30') >= 1 &&
      get(f, deviceProfile.users.d30) <= 8 &&
      (knownFrauds(f, device) === 0 || !hasField(s, 'device_token')) &&
      hasNewProfile(f),
    describe: (f) =>
      `${countFrauds(fraudsIn(f, deviceProfile, 'd30'))} in 30 days on devices that look like this one${among(get(f, deviceProfile.users.d30), 'user')}`,
    brief: () => 'confirmed fraud on a device that looks like this one',
  },
  {
    name: 'fraud_on_address',
    meaning:
      'Confirmed fraud from the IP address was reported in the last 30 days, at least one for every ten users there, and this user has not yet earned trust in it.',
    on: 'both',
    theme: 'known_fraud',
    topics: ['ip.frauds'],
    // One thief in an office or behind a provider's gateway means little for the other users.
    active: (f) =>
      fraudsIn(f, ip, 'd30') >= 1 &&
      fraudsIn(f, ip, 'd30') * 10 >= get(f, ip.users.d30) &&
      isOfStranger(f, user.thisIp),
    describe: (f) =>
      `${countFrauds(fraudsIn(f, ip, 'd30'))} in 30 days from this IP address${among(get(f, ip.users.d30), 'user')}`,
    brief: () => 'confirmed fraud from this IP address',
  },
  {
    name: 'fraud_on_instrument',
    meaning:
      'The payment instrument was used for a confirmed fraud, and was new to the user then or is known to be stolen. Up to three users used it in 30 days, or fraud is at least one in three of its payments. This user has not yet earned trust in it.',
    on: 'transaction',
    theme: 'known_fraud',
    topics: ['fingerprint.frauds'],
    active: (f) => knownFrauds(f, fingerprint) >= 1 && isOfFew(f, fingerprint) && isOfStranger(f, user.thisFingerprint),
    describe: (f) => describeFrauds(f, fingerprint, 'with this payment instrument'),
    brief: () => 'confirmed fraud with this payment instrument',
  },
  {
    name: 'fraud_on_email',
    meaning:
      'The e-mail address, or another spelling of its mailbox, was used for a confirmed fraud on the account of another user, and this user has not yet earned trust in it.',
    on: 'both',
    theme: 'known_fraud',
    topics: ['email.frauds'],
    // Fraud on this user's own account is covered by fraud_on_user.
    active: (f) => knownFrauds(f, email) > knownFrauds(f, user) && isOfStranger(f, user.thisEmail),
    describe: (f) => describeFrauds(f, email, 'with this e-mail address'),
    brief: () => 'confirmed fraud with this e-mail address',
  },
  {
    name: 'fraud_on_counterparty',
    meaning:
      'Two or more confirmed frauds with the counterparty were reported in the last 7 days, at least one for every fifty payments to it.',
    on: 'transaction',
    theme: 'known_fraud',
    topics: ['counterparty.frauds'],
    active: (f) => fraudsIn(f, counterparty, 'd7') >= 2 && isFrequent(f, counterparty),
    describe: (f) =>
      `${countFrauds(fraudsIn(f, counterparty, 'd7'))} with this counterparty in 7 days${among(get(f, counterparty.transactions.d7), 'payment')}`,
    brief: () => 'confirmed fraud with this counterparty',
  },
  {
    name: 'fraud_on_network',
    meaning:
      'Three or more confirmed frauds from the network were reported in the last 7 days, at least one for every fifty payments there.',
    on: 'both',
    theme: 'known_fraud',
    topics: ['network.frauds'],
    active: (f) => fraudsIn(f, network, 'd7') >= 3 && isFrequent(f, network),
    describe: (f) =>
      `${countFrauds(fraudsIn(f, network, 'd7'))} from this network in 7 days${among(get(f, network.transactions.d7), 'payment')}`,
    brief: () => 'confirmed fraud from this network',
  },
];
