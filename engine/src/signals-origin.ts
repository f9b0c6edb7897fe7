import type { Facts } from './facts.ts';
import { travelSpeed } from './features-derived.ts';
import { countryNumber, countryOf, UNAVAILABLE } from './knowledge.ts';
import {
  cameWithin,
  DAY_MS,
  deviceCameWithin,
  established,
  get,
  HOUR_MS,
  isNew,
  isRoaming,
  isYes,
  known,
  user,
  withThis,
} from './signal-facts.ts';
import type { Signal } from './signals.ts';
import type { Subject } from './subject.ts';

/** Where such an address is, its user is not: neither at home nor abroad follows from it, and each has a signal of its own. */
const standsIn = (f: Facts): boolean =>
  isYes(f, known.hosting) || isYes(f, known.vpn) || isYes(f, known.proxy) || isYes(f, known.tor);
/** Someone seen in three countries or more within 30 days travels, or does not say where they are: one more tells nothing. */
const isSettled = (f: Facts): boolean => get(f, user.countries.d30) < 3;
const hasPlace = (f: Facts): boolean => isSettled(f) && !isRoaming(f);
/** Not while nobody can say whether it stands in for somebody: that is not a no. */
export const isPlaced = (f: Facts): boolean =>
  get(f, known.country) > 0 &&
  !standsIn(f) &&
  get(f, known.hosting) !== UNAVAILABLE &&
  get(f, known.vpn) !== UNAVAILABLE;
const billingCountry = (s: Subject): string | undefined =>
  s.type === 'transaction' ? s.request.billing_address?.country : undefined;

const howLong = (ms: number): string =>
  ms < HOUR_MS ? `${Math.round(ms / 60_000)} minutes` : `${(ms / HOUR_MS).toFixed(1)} hours`;

const isImpossibleTravel = (f: Facts): boolean => hasPlace(f) && get(f, user.travelKm) >= 200 && travelSpeed(f) >= 1000;
/** Who roams with a phone and sits in a hotel's network with a laptop is in two countries too, but on devices known before. */
const isInTwoCountries = (f: Facts, s: Subject): boolean =>
  isPlaced(f) &&
  deviceCameWithin(f, s, HOUR_MS, user.devices.h1) &&
  cameWithin(f, HOUR_MS, user.thisCountry, user.countries.h1);
const twoCountries = (f: Facts): string =>
  `${withThis(f, user.countries.h1, user.thisCountry)} countries and ${withThis(f, user.devices.h1, user.thisDevice)} devices of one user in an hour, now in ${countryOf(get(f, known.country))}`;

/** Whoever always comes by a VPN or relay of their own has it as their habit; the day is so that a thief gets none from their first visits. */
export const isHabit = (f: Facts): boolean => get(f, user.thisNetwork) >= DAY_MS || !isSettled(f);

/** A yes or no about the address, told with the number of the network where that is known. */
const flag = (
  name: string,
  at: number,
  meaning: string,
  what: string,
  excuse: (f: Facts) => boolean = () => false,
): Signal => ({
  name,
  meaning,
  on: 'both',
  active: (f) => isYes(f, at) && !excuse(f),
  describe: (f) => (get(f, known.asn) > 0 ? `${what}, AS${get(f, known.asn)}` : what),
});

/** What is known of the address itself: where it is, and what kind of network it is in. */
export const ORIGIN_SIGNALS: readonly Signal[] = [
  {
    name: 'impossible_travel',
    meaning:
      'The user is at least 200 km from where they were last seen, and must have come at 1,000 km/h or more. How far each address may be from its place is taken off. Not concluded of users seen in three countries or more within 30 days, or in as many networks as nine tenths of their actions.',
    on: 'both',
    active: isImpossibleTravel,
    describe: (f) => `At least ${Math.round(get(f, user.travelKm))} km in ${howLong(get(f, user.travelMs))}`,
  },
  {
    name: 'impossible_travel_new_device',
    meaning:
      'Impossible travel on a device, and to a country, that came to the user within the hour in which they were seen on another device in another country. Not concluded from rented servers, VPNs, proxies and Tor.',
    on: 'both',
    active: (f, s) => isImpossibleTravel(f) && isInTwoCountries(f, s),
    describe: twoCountries,
  },
  {
    name: 'two_countries_at_once',
    meaning:
      'A device and a country that both came to the user within the hour in which they were seen on another device in another country, and no impossible travel at this very moment, which has its own signals. Not concluded from rented servers, VPNs, proxies and Tor, nor of users seen in three countries or more within 30 days, or in as many networks as nine tenths of their actions.',
    on: 'both',
    // Not beside impossible travel: both would count one journey twice.
    active: (f, s) => hasPlace(f) && !isImpossibleTravel(f) && isInTwoCountries(f, s),
    describe: twoCountries,
  },
  {
    name: 'new_country',
    meaning:
      'The address is in a country this user was never seen in, although they have been known for a day or more. Not concluded from rented servers, VPNs, proxies and Tor, nor of users seen in three countries or more within 30 days, or in as many networks as nine tenths of their actions.',
    on: 'both',
    active: (f) => hasPlace(f) && isPlaced(f) && established(f) && isNew(f, user.thisCountry, user.countries),
    describe: (f) =>
      `First time this user is seen in ${countryOf(get(f, known.country))}, after ${get(f, user.countries.d30)} other country or countries in 30 days`,
  },
  {
    name: 'country_mismatch',
    meaning:
      'The address is not in the country of the billing address. Not concluded from rented servers, VPNs, proxies and Tor.',
    on: 'transaction',
    active: (f, s) => {
      const billing = billingCountry(s);
      return billing !== undefined && isPlaced(f) && countryNumber(billing) !== get(f, known.country);
    },
    describe: (f, s) => `Billed in ${billingCountry(s)}, sent from ${countryOf(get(f, known.country))}`,
  },
  flag(
    'hosting_network',
    known.hosting,
    'The address is of a network that rents out servers, and the user was neither seen in it a day ago or earlier nor in three countries or more within 30 days.',
    'An address of rented servers',
    isHabit,
  ),
  flag(
    'vpn_network',
    known.vpn,
    'The address is of a virtual private network, and the user was neither seen in it a day ago or earlier nor in three countries or more within 30 days.',
    'An address of a VPN',
    isHabit,
  ),
  flag('proxy_network', known.proxy, 'The address is an open or residential proxy.', 'An address of a proxy'),
  flag('tor_exit', known.tor, 'The address is an exit of Tor.', 'An exit of Tor'),
];
