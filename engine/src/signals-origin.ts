import type { Facts } from './facts.ts';
import { travelSpeed } from './features-derived.ts';
import { countryNumber, countryOf, UNAVAILABLE } from './knowledge.ts';
import { DAY_MS, established, get, HOUR_MS, isNew, isYes, known, user } from './signal-facts.ts';
import type { Signal } from './signals.ts';
import type { Subject } from './subject.ts';

/** Where such an address is, its user is not: neither at home nor abroad follows from it, and each has a signal of its own. */
const standsIn = (f: Facts): boolean =>
  isYes(f, known.hosting) || isYes(f, known.vpn) || isYes(f, known.proxy) || isYes(f, known.tor);
/** Someone seen in three countries or more within 30 days travels, or does not say where they are: one more tells nothing. */
const isSettled = (f: Facts): boolean => get(f, user.countries.d30) < 3;
/** Not while nobody can say whether it stands in for somebody: that is not a no. */
const isPlaced = (f: Facts): boolean =>
  get(f, known.country) > 0 &&
  !standsIn(f) &&
  get(f, known.hosting) !== UNAVAILABLE &&
  get(f, known.vpn) !== UNAVAILABLE;
const billingCountry = (s: Subject): string | undefined =>
  s.type === 'transaction' ? s.request.billing_address?.country : undefined;

const howLong = (ms: number): string =>
  ms < HOUR_MS ? `${Math.round(ms / 60_000)} minutes` : `${(ms / HOUR_MS).toFixed(1)} hours`;

/** Whoever always comes by a VPN or relay of their own has it as their habit; the day is so that a thief gets none from their first visits. */
const isHabit = (f: Facts): boolean => get(f, user.thisNetwork) >= DAY_MS || !isSettled(f);

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
      'The user is at least 200 km from where they were last seen, and must have come at 1,000 km/h or more. How far each address may be from its place is taken off. Not concluded of users seen in three countries or more within 30 days.',
    on: 'both',
    active: (f) => isSettled(f) && get(f, user.travelKm) >= 200 && travelSpeed(f) >= 1000,
    describe: (f) => `At least ${Math.round(get(f, user.travelKm))} km in ${howLong(get(f, user.travelMs))}`,
  },
  {
    name: 'new_country',
    meaning:
      'The address is in a country this user was never seen in, although they have been known for a day or more. Not concluded from rented servers, VPNs, proxies and Tor, nor of users seen in three countries or more within 30 days.',
    on: 'both',
    active: (f) => isSettled(f) && isPlaced(f) && established(f) && isNew(f, user.thisCountry, user.countries),
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
