import { type Facts, travelSpeed } from '../history/facts.ts';
import { countryName, nameOfCountry } from '../subject/country-name.ts';
import { countryNumber } from '../subject/lookup-facts.ts';
import type { Subject } from '../subject/subject.ts';
import { duration, rounded } from '../words.ts';
import {
  countWithThis,
  describeFirst,
  describeOthers,
  doubtIn,
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
} from './conditions.ts';
import { known, user } from './fact-positions.ts';
import type { Signal } from './signal.ts';

const billingCountry = (s: Subject): string | undefined =>
  s.type === 'transaction' ? s.request.billing_address?.country : undefined;

const isImpossibleTravel = (f: Facts): boolean =>
  get(f, user.travelKm) >= 200 && travelSpeed(f) >= 1000 && hasSteadyLocation(f);
/**
 * A traveller with a roaming phone and a laptop in a hotel network is in two countries too, but on devices known
 * before.
 */
const isInTwoCountries = (f: Facts, s: Subject): boolean =>
  isLocated(f) &&
  isRecentDevice(f, s, HOUR_MS, user.devices.h1) &&
  isRecent(f, HOUR_MS, user.thisCountry, user.countries.h1);
const describeTwoCountries = (f: Facts): string =>
  `This user was in ${countWithThis(f, user.countries.h1, user.thisCountry)} countries on ${countWithThis(f, user.devices.h1, user.thisDevice)} devices in an hour, now in ${nameOfCountry(get(f, known.country))}`;

const canHaveNewCountry = (f: Facts): boolean => isLocated(f) && isEstablished(f) && hasSteadyLocation(f);

/** A signal for a network type of the IP address. Its description includes the number of the network, if known. */
const addressFlag = (
  name: string,
  flag: 'hosting' | 'vpn' | 'proxy' | 'tor',
  meaning: string,
  what: string,
  excuse: (f: Facts) => boolean = () => false,
): Signal => ({
  name,
  meaning,
  on: 'both',
  theme: 'place',
  topics: [`ip_${flag}`],
  active: (f) => isYes(f, known[flag]) && !excuse(f),
  describe: (f) => (get(f, known.asn) > 0 ? `${what} (AS${get(f, known.asn)})` : what),
  brief: () => what,
});

/** Patterns in the location and network type of the IP address. */
export const ORIGIN_SIGNALS: readonly Signal[] = [
  {
    name: 'impossible_travel',
    meaning:
      'The user is 200 km or more from where they were last seen, and would have travelled at 1,000 km/h or more. The accuracy radius of both locations is subtracted. A journey counts until they have been there for a day, and failed attempts are no journeys. Not raised for users seen in three or more countries in 30 days, or from a new network in nine of ten actions.',
    on: 'both',
    theme: 'place',
    topics: ['travel'],
    active: isImpossibleTravel,
    describe: (f) =>
      `This user moved at least ${rounded(get(f, user.travelKm))} km in ${duration(get(f, user.travelMs))}`,
    brief: (f) =>
      `at least ${rounded(get(f, user.travelKm))} km from the last place ${duration(get(f, user.travelMs))} ago`,
  },
  {
    name: 'impossible_travel_new_device',
    meaning:
      'Impossible travel to a country and on a device that are both new to the user within the hour, in which they also used another device in another country. Not raised for hosting providers, VPNs, proxies and Tor.',
    on: 'both',
    theme: 'place',
    topics: ['user.distinct_country'],
    active: (f, s) => isImpossibleTravel(f) && isInTwoCountries(f, s),
    describe: describeTwoCountries,
    brief: (f) =>
      `${countWithThis(f, user.countries.h1, user.thisCountry)} countries on ${countWithThis(f, user.devices.h1, user.thisDevice)} devices in an hour`,
  },
  {
    name: 'two_countries_at_once',
    meaning:
      'The country and the device are both new to the user within the hour, in which they also used another device in another country, without impossible travel. Not raised for hosting providers, VPNs, proxies and Tor, nor for users seen in three or more countries in 30 days, or from a new network in nine of ten actions.',
    on: 'both',
    theme: 'place',
    topics: ['user.distinct_country'],
    // With impossible travel, one journey would count twice.
    active: (f, s) => isInTwoCountries(f, s) && hasSteadyLocation(f) && !isImpossibleTravel(f),
    describe: describeTwoCountries,
    brief: (f) =>
      `${countWithThis(f, user.countries.h1, user.thisCountry)} countries on ${countWithThis(f, user.devices.h1, user.thisDevice)} devices in an hour`,
  },
  {
    name: 'new_country',
    meaning:
      'The IP address is in a country new to this user, who has been known for a day or more. Not raised for hosting providers, VPNs, proxies and Tor, nor for users seen in three or more countries in 30 days, or from a new network in nine of ten actions.',
    on: 'both',
    theme: 'place',
    topics: ['user.place'],
    active: (f) => canHaveNewCountry(f) && isNewToUser(f, user.thisCountry, user.countries),
    grade: (f) => (canHaveNewCountry(f) ? doubtIn(f, user.thisCountry, user.countries) : 0),
    describe: (f) =>
      `${describeFirst(f, user.thisCountry, 'activity', `in ${nameOfCountry(get(f, known.country))}`)}, ${describeOthers(f, user.thisCountry, user.countries, 'country', 'countries')}`,
    brief: (f) => `new country (${nameOfCountry(get(f, known.country))})`,
  },
  {
    name: 'country_mismatch',
    meaning:
      'The IP address is not in the country of the billing address. Not raised for hosting providers, VPNs, proxies and Tor.',
    on: 'transaction',
    theme: 'place',
    topics: ['ip_country_is_not_billing'],
    active: (f, s) => {
      const billing = billingCountry(s);
      return billing !== undefined && isLocated(f) && countryNumber(billing) !== get(f, known.country);
    },
    describe: (f, s) =>
      `Billing address in ${countryName(billingCountry(s) ?? '')}, but the IP address is in ${nameOfCountry(get(f, known.country))}`,
    brief: (f, s) =>
      `billing in ${countryName(billingCountry(s) ?? '')}, IP address in ${nameOfCountry(get(f, known.country))}`,
  },
  addressFlag(
    'hosting_network',
    'hosting',
    'The IP address belongs to a hosting provider. Not raised for users who have earned trust in this network, or were seen in three or more countries in 30 days.',
    'IP address of a hosting provider',
    isUsualForUser,
  ),
  addressFlag(
    'vpn_network',
    'vpn',
    'The IP address belongs to a VPN. Not raised for users who have earned trust in this network, or were seen in three or more countries in 30 days.',
    'IP address of a VPN',
    isUsualForUser,
  ),
  {
    ...addressFlag(
      'proxy_network',
      'proxy',
      'The IP address is an open or residential proxy.',
      'IP address of a proxy',
    ),
    assumedWeight: 1.2,
  },
  { ...addressFlag('tor_exit', 'tor', 'The IP address is a Tor exit node.', 'Tor exit node'), assumedWeight: 1.9 },
];
