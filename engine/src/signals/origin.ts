import { type Facts, travelSpeed } from '../history/facts.ts';
import { countryNumber, countryOf } from '../subject/lookup-facts.ts';
import type { Subject } from '../subject/subject.ts';
import {
  countWithThis,
  get,
  HOUR_MS,
  hasSteadyLocation,
  isEstablished,
  isLocated,
  isNewToUser,
  isRecent,
  isRecentDevice,
  isUsualForUser,
  isYes,
  plural,
} from './conditions.ts';
import { known, user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

const billingCountry = (s: Subject): string | undefined =>
  s.type === 'transaction' ? s.request.billing_address?.country : undefined;

const formatDuration = (ms: number): string =>
  ms < HOUR_MS ? `${Math.round(ms / 60_000)} minutes` : `${(ms / HOUR_MS).toFixed(1)} hours`;

const isImpossibleTravel = (f: Facts): boolean =>
  hasSteadyLocation(f) && get(f, user.travelKm) >= 200 && travelSpeed(f) >= 1000;
/**
 * A traveller with a roaming phone and a laptop in a hotel network is in two countries too, but on devices known
 * before.
 */
const isInTwoCountries = (f: Facts, s: Subject): boolean =>
  isLocated(f) &&
  isRecentDevice(f, s, HOUR_MS, user.devices.h1) &&
  isRecent(f, HOUR_MS, user.thisCountry, user.countries.h1);
const describeTwoCountries = (f: Facts): string =>
  `This user was in ${countWithThis(f, user.countries.h1, user.thisCountry)} countries on ${countWithThis(f, user.devices.h1, user.thisDevice)} devices in an hour, now in ${countryOf(get(f, known.country))}`;

/** A signal for a network type of the IP address. Its description includes the number of the network, if known. */
const addressFlag = (
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
  describe: (f) => (get(f, known.asn) > 0 ? `${what} (AS${get(f, known.asn)})` : what),
});

/** Patterns in the location and network type of the IP address. */
export const ORIGIN_SIGNALS: readonly Signal[] = [
  {
    name: 'impossible_travel',
    meaning:
      'The user is 200 km or more from where they were last seen, and would have travelled at 1,000 km/h or more. The accuracy radius of both locations is subtracted. Not raised for users seen in three or more countries in 30 days, or from a new network in nine of ten actions.',
    on: 'both',
    active: isImpossibleTravel,
    describe: (f) =>
      `This user moved at least ${Math.round(get(f, user.travelKm))} km in ${formatDuration(get(f, user.travelMs))}`,
  },
  {
    name: 'impossible_travel_new_device',
    meaning:
      'Impossible travel to a country and on a device that are both new to the user within the hour, in which they also used another device in another country. Not raised for hosting providers, VPNs, proxies and Tor.',
    on: 'both',
    active: (f, s) => isImpossibleTravel(f) && isInTwoCountries(f, s),
    describe: describeTwoCountries,
  },
  {
    name: 'two_countries_at_once',
    meaning:
      'The country and the device are both new to the user within the hour, in which they also used another device in another country, without impossible travel. Not raised for hosting providers, VPNs, proxies and Tor, nor for users seen in three or more countries in 30 days, or from a new network in nine of ten actions.',
    on: 'both',
    // With impossible travel, one journey would count twice.
    active: (f, s) => hasSteadyLocation(f) && !isImpossibleTravel(f) && isInTwoCountries(f, s),
    describe: describeTwoCountries,
  },
  {
    name: 'new_country',
    meaning:
      'The IP address is in a country new to this user, who has been known for a day or more. Not raised for hosting providers, VPNs, proxies and Tor, nor for users seen in three or more countries in 30 days, or from a new network in nine of ten actions.',
    on: 'both',
    active: (f) =>
      hasSteadyLocation(f) && isLocated(f) && isEstablished(f) && isNewToUser(f, user.thisCountry, user.countries),
    describe: (f) =>
      `First activity of this user in ${countryOf(get(f, known.country))}, after ${plural(get(f, user.countries.d30), 'other country', 'other countries')} in 30 days`,
  },
  {
    name: 'country_mismatch',
    meaning:
      'The IP address is not in the country of the billing address. Not raised for hosting providers, VPNs, proxies and Tor.',
    on: 'transaction',
    active: (f, s) => {
      const billing = billingCountry(s);
      return billing !== undefined && isLocated(f) && countryNumber(billing) !== get(f, known.country);
    },
    describe: (f, s) =>
      `Billing address in ${billingCountry(s)}, but the IP address is in ${countryOf(get(f, known.country))}`,
  },
  addressFlag(
    'hosting_network',
    known.hosting,
    'The IP address belongs to a hosting provider. Not raised for users seen in this network a day ago or earlier, or in three or more countries in 30 days.',
    'IP address of a hosting provider',
    isUsualForUser,
  ),
  addressFlag(
    'vpn_network',
    known.vpn,
    'The IP address belongs to a VPN. Not raised for users seen in this network a day ago or earlier, or in three or more countries in 30 days.',
    'IP address of a VPN',
    isUsualForUser,
  ),
  addressFlag('proxy_network', known.proxy, 'The IP address is an open or residential proxy.', 'IP address of a proxy'),
  addressFlag('tor_exit', known.tor, 'The IP address is a Tor exit node.', 'Tor exit node'),
];
