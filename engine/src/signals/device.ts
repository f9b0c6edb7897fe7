import { AUTOMATION_HINTS } from '@portcullis/contract';
import type { Facts } from '../history/facts.ts';
import { countryOf, DEVICE_STATES } from '../subject/lookup-facts.ts';
import type { Subject } from '../subject/subject.ts';
import {
  countWithThis,
  get,
  HOUR_MS,
  hasField,
  hasKnownProfile,
  isEstablished,
  isFirstTimeWith,
  isLocated,
  isNewToUser,
  isNo,
  isUsualForUser,
  plural,
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
const tokenSeenAgo = (f: Facts): number => {
  const byDevice = get(f, device.thisToken);
  return Number.isNaN(byDevice) ? get(f, deviceProfile.thisToken) : byDevice;
};
/**
 * Whether the user was first seen with the device after the token was. This holds for a thief even after their first
 * use of it.
 */
const isAnotherUser = (f: Facts, s: Subject): boolean => {
  const age = hasField(s, 'device_token') ? user.thisDevice : user.thisDeviceProfile;
  return isFirstTimeWith(f, age) || get(f, age) < tokenSeenAgo(f);
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

const hours = (ms: number): string => `${(ms / HOUR_MS).toFixed(1)} hours`;

/** Patterns in device SDK tokens. A caller's own device identifier raises none of these signals. */
export const DEVICE_SIGNALS: readonly Signal[] = [
  {
    name: 'tampered_token',
    meaning:
      'The device token was not made by the SDK: it was truncated, altered or forged, or its signature is invalid. It identifies no device.',
    on: 'both',
    active: (f) => get(f, token.state) === TAMPERED,
    describe: () => 'The device token is forged or was altered',
  },
  {
    name: 'replayed_token',
    meaning:
      'The device token was used before: first more than 10 minutes ago, or at any time before this user was first seen with the device. The last 32 tokens are remembered for each device, or for each device profile if the device has no stored key.',
    on: 'both',
    active: (f, s) => {
      const ago = tokenSeenAgo(f);
      return ago >= 0 && (ago > REUSED_MS || isAnotherUser(f, s));
    },
    describe: (f, s) =>
      `This device token was first used ${plural(Math.round(tokenSeenAgo(f) / MINUTE_MS), 'minute')} ago${isAnotherUser(f, s) ? ', by another user' : ''}`,
  },
  {
    name: 'old_token',
    meaning:
      'By the browser clock, the device token was made more than an hour before or after it arrived. It has few points because such clocks are often wrong.',
    on: 'both',
    active: (f) => Math.abs(get(f, token.age)) > STALE_MS,
    describe: (f) =>
      get(f, token.age) > 0
        ? `Device token made ${hours(get(f, token.age))} before it arrived`
        : `Device token dated ${hours(-get(f, token.age))} in the future`,
  },
  {
    name: 'automated_browser',
    meaning: 'The device SDK detected that a program controls the browser.',
    on: 'both',
    active: (f) => get(f, token.automation) > 0,
    describe: (f) => `Automated browser: ${hintsIn(f)}`,
  },
  {
    name: 'storage_cleared',
    meaning:
      'The device key is new to this user, but the device has the profile of one they used a day ago or earlier. Some browsers lose their key after a week or when closed.',
    on: 'both',
    active: (f, s) =>
      hasField(s, 'device_token') &&
      isEstablished(f) &&
      isNewToUser(f, user.thisDevice, user.devices) &&
      hasKnownProfile(f),
    describe: () => 'New device key on a device that looks like one this user had before',
  },
  {
    name: 'unproven_device',
    meaning:
      'A device SDK token without a stored key, from a device unlike any that this user had a day ago or earlier. The user has been known for a day or more and used a device in the last 30 days.',
    on: 'both',
    active: (f) =>
      (get(f, token.state) === UNKEPT || get(f, token.state) === UNSIGNED) &&
      isEstablished(f) &&
      get(f, user.devices.d30) > 0 &&
      !hasKnownProfile(f),
    describe: () => 'The browser stores no device key and looks like no device of this user',
  },
  {
    name: 'similar_device_burst',
    meaning:
      'Five or more users or device keys in an hour on devices with one profile, and more than a tenth of the payments, signups and failed logins on such devices in 30 days. It has few points because all phones of one model look alike.',
    on: 'both',
    active: (f) => isSudden(f) && (usersInHour(f) >= 5 || get(f, deviceProfile.devices.h1) >= 5),
    describe: (f) =>
      `${plural(usersInHour(f), 'user')} and ${plural(get(f, deviceProfile.devices.h1), 'device key')} in an hour on devices that look like this one`,
  },
  {
    name: 'time_zone_mismatch',
    meaning:
      'The browser time zone differs from the local time everywhere in the country of the IP address. Not raised for hosting providers, VPNs, proxies and Tor, nor for users seen in this network a day ago or earlier, or in three or more countries in 30 days.',
    on: 'both',
    active: (f) => isNo(f, token.zoneFits) && isLocated(f) && !isUsualForUser(f),
    describe: (f) =>
      `Browser time zone of ${countryOf(get(f, token.zoneCountry))}, but the IP address is in ${countryOf(get(f, known.country))}`,
  },
  {
    name: 'language_mismatch',
    meaning:
      'The first browser language is not English and is not spoken in the country of the IP address. The exceptions of `time_zone_mismatch` apply. It has few points because people travel and move.',
    on: 'both',
    active: (f) => isNo(f, token.languageFits) && isLocated(f) && !isUsualForUser(f),
    describe: (f) =>
      `The browser language is not spoken in ${countryOf(get(f, known.country))}, the country of the IP address`,
  },
];
