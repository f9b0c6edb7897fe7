import { AUTOMATION_HINTS } from '@portcullis/contract/values';
import type { Facts } from '../history/facts.ts';
import { nameOfCountry } from '../subject/country-name.ts';
import { DEVICE_STATES } from '../subject/lookup-facts.ts';
import type { Subject } from '../subject/subject.ts';
import { duration, plural } from '../words.ts';
import {
  countOthers,
  countWithThis,
  get,
  HOUR_MS,
  hasField,
  hasKnownProfile,
  hasOnlyFailedWith,
  isEstablished,
  isFirstTimeWith,
  isLocated,
  isNo,
  isUsualForUser,
} from './conditions.ts';
import { device, deviceProfile, known, token, user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

const MINUTE_MS = 60_000;
/** A shop may send the token of one page with a login, a card and a payment. */
const REUSED_MS = 10 * MINUTE_MS;
/** Browser clocks are often wrong, even by whole hours, so signals based on them have few points. */
const STALE_MS = HOUR_MS;

const { unkept: UNKEPT, unsigned: UNSIGNED, tampered: TAMPERED } = DEVICE_STATES;

/** How long ago the token was first seen. A device without a stored key is looked up by its device profile. */
const tokenSeenAgo = (f: Facts, s: Subject): number =>
  get(f, hasField(s, 'device_token') ? device.thisToken : deviceProfile.thisToken);
/**
 * Whether the user was first seen with the device after the token was. This holds for a thief even after their first
 * use of it. Who failed to log in and tries again has the same token, and a device without other users.
 */
const isAnotherUser = (f: Facts, s: Subject): boolean => {
  const [age, users] = hasField(s, 'device_token')
    ? [user.thisDevice, device.users.d30]
    : [user.thisDeviceProfile, deviceProfile.users.d30];
  if (hasOnlyFailedWith(f, age)) return get(f, users) > 1;
  return isFirstTimeWith(f, age) || get(f, age) < tokenSeenAgo(f, s);
};

const hintsIn = (f: Facts): string =>
  Object.values(AUTOMATION_HINTS)
    .filter((_, bit) => (get(f, token.automation) >>> bit) & 1)
    .join(', ');

/** Activity on devices with this profile. Unlike distinct users, it is not limited to 32. */
const actionsOn = (f: Facts, window: 'h1' | 'd30'): number =>
  get(f, deviceProfile.transactions[window]) +
  get(f, deviceProfile.signups[window]) +
  get(f, deviceProfile.failedLogins[window]);
/** Whether one hour has over a tenth of the activity of 30 days. That never holds for a popular phone model. */
const isSudden = (f: Facts): boolean => actionsOn(f, 'h1') * 10 > actionsOn(f, 'd30');
const usersInHour = (f: Facts): number => countWithThis(f, deviceProfile.users.h1, user.thisDeviceProfile);

/** Patterns in device SDK tokens. A caller's own device identifier raises none of these signals. */
export const DEVICE_TOKEN_SIGNALS: readonly Signal[] = [
  {
    name: 'tampered_token',
    meaning:
      'The device token was not made by the SDK: it was truncated, altered or forged, or its signature is invalid. It identifies no device.',
    on: 'both',
    theme: 'device',
    topics: [],
    assumedWeight: 1.5,
    active: (f) => get(f, token.state) === TAMPERED,
    describe: () => 'The device token is forged or was altered',
    brief: () => 'forged or altered device token',
  },
  {
    name: 'replayed_token',
    meaning:
      'The device token was used before: first more than 10 minutes ago, or at any time before this user was first seen with the device. The last 32 tokens are remembered for each device, or for each device profile if the device has no stored key.',
    on: 'both',
    theme: 'device',
    topics: [],
    assumedWeight: 1.5,
    active: (f, s) => {
      const ago = tokenSeenAgo(f, s);
      return ago >= 0 && (ago > REUSED_MS || isAnotherUser(f, s));
    },
    describe: (f, s) =>
      `This device token was first used ${duration(tokenSeenAgo(f, s))} ago${isAnotherUser(f, s) ? ', by another user' : ''}`,
    brief: (f, s) => (isAnotherUser(f, s) ? 'device token of another user' : 'device token used before'),
  },
  {
    name: 'old_token',
    meaning:
      'By the browser clock, the device token was made more than an hour before or after it arrived. Such clocks are often wrong.',
    on: 'both',
    theme: 'device',
    topics: [],
    assumedWeight: 0.2,
    active: (f) => Math.abs(get(f, token.age)) > STALE_MS,
    describe: (f) =>
      get(f, token.age) > 0
        ? `Device token made ${duration(get(f, token.age))} before it arrived`
        : `Device token dated ${duration(-get(f, token.age))} in the future`,
    brief: (f) => (get(f, token.age) > 0 ? 'old device token' : 'device token dated in the future'),
  },
  {
    name: 'automated_browser',
    meaning: 'The device SDK detected that a program controls the browser.',
    on: 'both',
    theme: 'device',
    topics: [],
    assumedWeight: 1.2,
    active: (f) => get(f, token.automation) > 0,
    describe: (f) => `Automated browser: ${hintsIn(f)}`,
    brief: () => 'automated browser',
  },
  {
    name: 'storage_cleared',
    meaning:
      'The device key is new to this user, but the device has the profile of one they used a day ago or earlier. Some browsers lose their key after a week or when closed.',
    on: 'both',
    theme: 'device',
    topics: ['user.device'],
    active: (f, s) =>
      hasField(s, 'device_token') &&
      isEstablished(f) &&
      isFirstTimeWith(f, user.thisDevice) &&
      countOthers(f, user.thisDevice, user.devices.d30) > 0 &&
      hasKnownProfile(f),
    describe: () => 'The browser storage was cleared: the device looks like one this user had before',
    brief: () => 'device with cleared storage',
  },
  {
    name: 'unproven_device',
    meaning:
      'A device SDK token without a stored key, from a device unlike any that this user had a day ago or earlier. The user has been known for a day or more and used a device in the last 30 days.',
    on: 'both',
    theme: 'device',
    topics: ['user.device'],
    assumedWeight: 0.3,
    active: (f) =>
      (get(f, token.state) === UNKEPT || get(f, token.state) === UNSIGNED) &&
      isEstablished(f) &&
      get(f, user.devices.d30) > 0 &&
      !hasKnownProfile(f),
    describe: () => 'The browser cannot be recognised, and looks like no device of this user',
    brief: () => 'unrecognised device',
  },
  {
    name: 'similar_device_burst',
    meaning:
      'Five or more users or device keys in an hour on devices with one profile, and more than a tenth of the payments, signups and failed logins on such devices in 30 days. All phones of one model look alike.',
    on: 'both',
    theme: 'links',
    topics: [],
    assumedWeight: 0.4,
    active: (f) => isSudden(f) && (usersInHour(f) >= 5 || get(f, deviceProfile.devices.h1) >= 5),
    describe: (f) =>
      `${plural(usersInHour(f), 'user')} in an hour on ${plural(get(f, deviceProfile.devices.h1), 'device')} that look like this one`,
    brief: (f) =>
      usersInHour(f) >= 5
        ? `${usersInHour(f)} users of similar devices in an hour`
        : `${get(f, deviceProfile.devices.h1)} similar devices in an hour`,
  },
  {
    name: 'time_zone_mismatch',
    meaning:
      'The browser time zone differs from the local time everywhere in the country of the IP address. Not raised for hosting providers, VPNs, proxies and Tor, nor for users who have earned trust in this network, or were seen in three or more countries in 30 days.',
    on: 'both',
    theme: 'place',
    topics: [],
    assumedWeight: 0.2,
    active: (f) => isNo(f, token.zoneFits) && isLocated(f) && !isUsualForUser(f),
    describe: (f) =>
      `Browser time zone of ${nameOfCountry(get(f, token.zoneCountry))}, but the IP address is in ${nameOfCountry(get(f, known.country))}`,
    brief: (f) =>
      `time zone of ${nameOfCountry(get(f, token.zoneCountry))}, IP address in ${nameOfCountry(get(f, known.country))}`,
  },
  {
    name: 'language_mismatch',
    meaning:
      'The first browser language is not English and is not spoken in the country of the IP address. The exceptions of `time_zone_mismatch` apply. People travel and move.',
    on: 'both',
    theme: 'place',
    topics: [],
    assumedWeight: 0.1,
    active: (f) => isNo(f, token.languageFits) && isLocated(f) && !isUsualForUser(f),
    describe: (f) =>
      `The browser language is not spoken in ${nameOfCountry(get(f, known.country))}, the country of the IP address`,
    brief: (f) => `browser language not spoken in ${nameOfCountry(get(f, known.country))}`,
  },
];
