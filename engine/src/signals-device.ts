import { AUTOMATION_HINTS } from '@portcullis/contract';
import type { Facts } from './facts.ts';
import { countryOf, DEVICE_STATES } from './knowledge.ts';
import {
  device,
  established,
  get,
  HOUR_MS,
  isNew,
  isNo,
  known,
  likeness,
  looksKnown,
  names,
  neverWith,
  token,
  user,
  withThis,
} from './signal-facts.ts';
import type { Signal } from './signals.ts';
import { isHabit, isPlaced } from './signals-origin.ts';
import type { Subject } from './subject.ts';

const MINUTE_MS = 60_000;
/** A shop may well send the token of one page with a login, a card and a payment. */
const REUSED_MS = 10 * MINUTE_MS;
/** Clocks of browsers are often wrong, by whole hours too: what follows from them must stay mild. */
const STALE_MS = HOUR_MS;

const { unkept: UNKEPT, unsigned: UNSIGNED, tampered: TAMPERED } = DEVICE_STATES;

/** How long ago the token was first seen. A device whose key is not followed has its likeness to remember it. */
const seenAgo = (f: Facts): number => {
  const byDevice = get(f, device.thisToken);
  return Number.isNaN(byDevice) ? get(f, likeness.thisToken) : byDevice;
};
/** The user came to the device after its token: also a thief who has used it once is none of its first. */
const isStranger = (f: Facts, s: Subject): boolean => {
  const age = names(s, 'device_token') ? user.thisDevice : user.thisLikeness;
  return neverWith(f, age) || get(f, age) < seenAgo(f);
};

const hintsIn = (f: Facts): string =>
  Object.values(AUTOMATION_HINTS)
    .filter((_, bit) => (get(f, token.automation) >>> bit) & 1)
    .join(', ');

/** What was counted on devices that look like this one: unlike users, not only up to 32. */
const doneOn = (f: Facts, window: 'h1' | 'd30'): number =>
  get(f, likeness.transactions[window]) + get(f, likeness.signups[window]) + get(f, likeness.failedLogins[window]);
/** Of a phone that everybody has, no hour holds a tenth of what is done with it in a month. */
const isSudden = (f: Facts): boolean => doneOn(f, 'h1') * 10 > doneOn(f, 'd30');
const usersInHour = (f: Facts): number => withThis(f, likeness.users.h1, user.thisLikeness);

const hours = (ms: number): string => `${(ms / HOUR_MS).toFixed(1)} hours`;

/** What a token of the device SDK says of itself and of its browser. A caller's own name for a device raises none of these. */
export const DEVICE_SIGNALS: readonly Signal[] = [
  {
    name: 'tampered_token',
    meaning:
      'The device token is not what the SDK made: it was cut or changed, its signature does not fit, or somebody made it up. No device is concluded from it.',
    on: 'both',
    active: (f) => get(f, token.state) === TAMPERED,
    describe: () => 'The device token was not made by the SDK, or was changed since',
  },
  {
    name: 'replayed_token',
    meaning:
      'The device token was used before: first more than ten minutes ago, or, at any time, before this user was seen with the device. The last 32 tokens of a device are remembered, and, for one without a kept key, of those that look like it.',
    on: 'both',
    active: (f, s) => {
      const ago = seenAgo(f);
      return ago >= 0 && (ago > REUSED_MS || isStranger(f, s));
    },
    describe: (f, s) =>
      `This very device token was used ${Math.round(seenAgo(f) / MINUTE_MS)} minutes ago${isStranger(f, s) ? ', by another user' : ''}`,
  },
  {
    name: 'old_token',
    meaning:
      'The device token was made more than an hour before it arrived, or more than an hour after that, by the clock of the browser. Mild, since such clocks are often wrong.',
    on: 'both',
    active: (f) => Math.abs(get(f, token.age)) > STALE_MS,
    describe: (f) =>
      get(f, token.age) > 0
        ? `The device token was made ${hours(get(f, token.age))} before it arrived`
        : `The device token is dated ${hours(-get(f, token.age))} ahead`,
  },
  {
    name: 'automated_browser',
    meaning: 'The device SDK found that a program steers the browser.',
    on: 'both',
    active: (f) => get(f, token.automation) > 0,
    describe: (f) => `A program steers the browser: ${hintsIn(f)}`,
  },
  {
    name: 'storage_cleared',
    meaning:
      'A key this user was never seen with, on a device that looks like one they had a day ago or earlier: a browser that forgot its key, as some do after a week or when closed.',
    on: 'both',
    active: (f, s) =>
      names(s, 'device_token') && established(f) && isNew(f, user.thisDevice, user.devices) && looksKnown(f),
    describe: () => "A device that looks like one of this user's, with a new key",
  },
  {
    name: 'unproven_device',
    meaning:
      'A token of the device SDK without a key that is kept, for a user known for a day or more and seen with devices in 30 days, none of which looked like this.',
    on: 'both',
    active: (f) =>
      (get(f, token.state) === UNKEPT || get(f, token.state) === UNSIGNED) &&
      established(f) &&
      get(f, user.devices.d30) > 0 &&
      !looksKnown(f),
    describe: () => 'The browser keeps no key to tell it by, and does not look like one of this user',
  },
  {
    name: 'similar_device_burst',
    meaning:
      'Five users or keys, or more, within an hour on devices that look alike, and more than a tenth of all payments, signups and failed logins on such devices in 30 days. Mild, since all phones of one model look alike.',
    on: 'both',
    active: (f) => isSudden(f) && (usersInHour(f) >= 5 || get(f, likeness.devices.h1) >= 5),
    describe: (f) =>
      `${usersInHour(f)} users and ${get(f, likeness.devices.h1)} keys in an hour on devices that look like this one`,
  },
  {
    name: 'time_zone_mismatch',
    meaning:
      'In the time zone of the browser it is another time than anywhere in the country of the address. Not concluded from rented servers, VPNs, proxies and Tor, nor of users seen in the network a day ago or earlier, or in three countries or more within 30 days.',
    on: 'both',
    active: (f) => isNo(f, token.zoneFits) && isPlaced(f) && !isHabit(f),
    describe: (f) =>
      `The time zone of the browser is that of ${countryOf(get(f, token.zoneCountry))}, the address is in ${countryOf(get(f, known.country))}`,
  },
  {
    name: 'language_mismatch',
    meaning:
      'The first language of the browser is not English and not spoken in the country of the address. Not concluded where the address or the user would excuse a `time_zone_mismatch`. Mild, since people travel and move.',
    on: 'both',
    active: (f) => isNo(f, token.languageFits) && isPlaced(f) && !isHabit(f),
    describe: (f) => `The first language of the browser is not one of ${countryOf(get(f, known.country))}`,
  },
];
