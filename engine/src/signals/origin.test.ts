import { checkSignals } from '../../test/signal-table.ts';
import { act, DAY, HOUR, MINUTE, pay, times } from '../../test/subjects.ts';
import { countryNumber, type KnowledgeName, UNAVAILABLE } from '../subject/lookup-facts.ts';
import { ORIGIN_SIGNALS } from './origin.ts';

const BERLIN = { ip_address: '198.51.100.1' };
const NEW_YORK = { ip_address: '192.0.2.1' };
const BERLIN_PHONE = { ...BERLIN, device_token: 'phone' };
const NEW_YORK_LAPTOP = { ...NEW_YORK, device_token: 'laptop' };
const at = (time: number, fields: Parameters<typeof act>[2], extra?: Parameters<typeof act>[3]) =>
  act(time, 'login', fields, extra);
/** Only the country is known, so there is no distance. */
const NOWHERE = { ip_latitude: Number.NaN, ip_longitude: Number.NaN, ip_radius_km: Number.NaN };
/** A user seen in Berlin for three days. */
const known = times(3, (i) => act(i * DAY, 'login', BERLIN));
/** A place on the meridian of Berlin, so many degrees (111 km each) to the south. */
const south = (degrees: number, radius = 1) => ({
  ip_country: countryNumber('DE'),
  ip_latitude: 52.5 - degrees,
  ip_longitude: 13.4,
  ip_radius_km: radius,
});
const near = (time: number, degrees: number, radius = 1) =>
  act(time, 'login', { ip_address: '10.0.0.1' }, south(degrees, radius));
/** A user seen in so many countries, a week apart. */
const traveller = (countries: number) =>
  times(countries, (i) =>
    act(
      i * 7 * DAY,
      'login',
      { ip_address: `10.0.${i}.1` },
      { ...south(0), ip_country: countryNumber(`A${'DEFGH'[i]}`) },
    ),
  );
const billed = (country: string) => ({ billing_address: { country } });

/** The cases of a network type: set, and not set or unavailable. */
const flagCase = (name: KnowledgeName, description: string) => ({
  active: {
    'a payment from such an address': [pay(0, BERLIN, { [name]: 1 })],
    'a login, where the network has no number': [act(0, 'login', BERLIN, { [name]: 1, asn: Number.NaN })],
  },
  descriptions: [`${description} (AS64500)`, description],
  near: {
    'an address that is none': [pay(0, BERLIN, { [name]: 0 })],
    'one of which that is not known': [pay(0, BERLIN)],
    'a source that is out of order': [pay(0, BERLIN, { [name]: UNAVAILABLE })],
    'no address': [pay(0)],
  },
});

/** The cases of a network type that is not raised for users who usually come from there. */
const unlessUsual = (name: KnowledgeName, description: string) => {
  const { active, descriptions, near } = flagCase(name, description);
  return {
    active: {
      ...active,
      'a network the user paid in 36 hours ago': [pay(0, BERLIN, { [name]: 1 }), pay(1.5 * DAY, BERLIN, { [name]: 1 })],
      'a network of a login two weeks ago': [at(0, BERLIN, { [name]: 1 }), pay(14 * DAY, BERLIN, { [name]: 1 })],
    },
    descriptions: [...descriptions, `${description} (AS64500)`, `${description} (AS64500)`],
    near: {
      ...near,
      'a network the user paid in two days ago': [pay(0, BERLIN, { [name]: 1 }), pay(2 * DAY, BERLIN, { [name]: 1 })],
      'someone seen in three countries this month': [...traveller(3), pay(15 * DAY, BERLIN, { [name]: 1 })],
    },
  };
};

checkSignals(ORIGIN_SIGNALS, {
  impossible_travel: {
    active: {
      'an ocean in six hours': [act(0, 'login', BERLIN), pay(6 * HOUR, NEW_YORK)],
      'a thousand kilometres in a quarter of an hour': [near(0, 0), near(15 * MINUTE, 10)],
      'an ocean in three hours, after a login there': [
        act(0, 'login', BERLIN),
        act(2 * HOUR, 'login', NEW_YORK),
        pay(3 * HOUR, NEW_YORK),
      ],
    },
    descriptions: [
      'This user moved at least 6,255 km in 6 hours',
      'This user moved at least 1,107 km in 15 minutes',
      'This user moved at least 6,255 km in 3 hours',
    ],
    near: {
      'an ocean in seven hours, and a login on arrival': [
        act(0, 'login', BERLIN),
        act(7 * HOUR, 'login', NEW_YORK),
        pay(7 * HOUR + MINUTE, NEW_YORK),
      ],
      'an ocean in seven hours': [act(0, 'login', BERLIN), pay(7 * HOUR, NEW_YORK)],
      'less than 200 km at once': [near(0, 0), near(0, 1.8)],
      'places that may be one': [near(0, 0), near(15 * MINUTE, 10, 1000)],
      'someone seen in three countries this month': [
        ...traveller(3),
        act(14 * DAY + HOUR, 'login', BERLIN),
        pay(14 * DAY + 2 * HOUR, NEW_YORK),
      ],
      'someone else there': [act(0, 'login', BERLIN), pay(HOUR, { user_id: 'other', ...NEW_YORK })],
      'someone who comes from another network every time': [
        ...times(4, (i) => act(i * DAY, 'login', { ip_address: `10.0.${i}.1` }, south(0))),
        pay(3 * DAY + HOUR, NEW_YORK),
      ],
      'an unavailable place': [
        act(0, 'login', BERLIN),
        pay(HOUR, NEW_YORK, { ip_latitude: UNAVAILABLE, ip_longitude: UNAVAILABLE, ip_radius_km: UNAVAILABLE }),
      ],
      'no address': [act(0, 'login', BERLIN), pay(HOUR)],
    },
  },
  impossible_travel_new_device: {
    active: {
      'another device across an ocean, 20 minutes later': [at(0, BERLIN_PHONE), at(20 * MINUTE, NEW_YORK_LAPTOP)],
      'a payment there after a login': [
        at(0, BERLIN_PHONE),
        at(20 * MINUTE, NEW_YORK_LAPTOP),
        pay(26 * MINUTE, NEW_YORK_LAPTOP),
      ],
    },
    descriptions: [
      'This user was in 2 countries on 2 devices in an hour, now in the United States',
      'This user was in 2 countries on 2 devices in an hour, now in the United States',
    ],
    near: {
      'the same device': [at(0, BERLIN_PHONE), at(20 * MINUTE, { ...NEW_YORK, device_token: 'phone' })],
      'a device not named': [at(0, BERLIN_PHONE), at(20 * MINUTE, NEW_YORK)],
      'two hours later': [at(0, BERLIN_PHONE), at(2 * HOUR, NEW_YORK_LAPTOP)],
      'a laptop known since yesterday': [
        at(0, { ...BERLIN, device_token: 'laptop' }),
        at(DAY, BERLIN_PHONE),
        at(DAY + 20 * MINUTE, NEW_YORK_LAPTOP),
      ],
      'a country known since yesterday': [
        at(0, { ...NEW_YORK, device_token: 'phone' }),
        at(DAY, BERLIN_PHONE),
        at(DAY + 20 * MINUTE, NEW_YORK_LAPTOP),
      ],
      'a VPN': [at(0, BERLIN_PHONE), at(20 * MINUTE, NEW_YORK_LAPTOP, { ip_vpn: 1 })],
      'an unavailable network type': [
        at(0, BERLIN_PHONE),
        at(20 * MINUTE, NEW_YORK_LAPTOP, { ip_hosting: UNAVAILABLE }),
      ],
    },
  },
  two_countries_at_once: {
    active: {
      'an unavailable place': [at(0, BERLIN_PHONE), pay(20 * MINUTE, NEW_YORK_LAPTOP, NOWHERE)],
    },
    descriptions: ['This user was in 2 countries on 2 devices in an hour, now in the United States'],
    near: {
      'the journey itself': [at(0, BERLIN_PHONE), at(20 * MINUTE, NEW_YORK_LAPTOP)],
      'an hour later': [at(0, BERLIN_PHONE), at(20 * MINUTE, NEW_YORK_LAPTOP), pay(80 * MINUTE, NEW_YORK_LAPTOP)],
      'the owner, on the device and in the country of always': [
        at(0, BERLIN_PHONE),
        at(20 * MINUTE, NEW_YORK_LAPTOP, NOWHERE),
        pay(26 * MINUTE, BERLIN_PHONE),
      ],
      'two devices in one country': [at(0, BERLIN_PHONE), pay(20 * MINUTE, { ...BERLIN, device_token: 'laptop' })],
      'one device in two countries': [
        at(0, BERLIN_PHONE),
        pay(20 * MINUTE, { ...NEW_YORK, device_token: 'phone' }, NOWHERE),
      ],
      'rented servers': [at(0, BERLIN_PHONE), pay(20 * MINUTE, NEW_YORK_LAPTOP, { ...NOWHERE, ip_hosting: 1 })],
      'a user never seen': [pay(0, NEW_YORK_LAPTOP)],
    },
  },
  new_country: {
    active: {
      'a country never seen': [...known, pay(3 * DAY, NEW_YORK)],
      'a third country': [...traveller(2), act(10 * DAY, 'logout'), pay(14 * DAY, NEW_YORK)],
      'a country of a login two weeks ago': [...known, at(3 * DAY, NEW_YORK), pay(17 * DAY, NEW_YORK)],
      'a country never seen, after a year without activity': [...known, pay(367 * DAY, NEW_YORK)],
    },
    descriptions: [
      'First activity by this user in the United States, after 1 other country in 30 days',
      'First activity by this user in the United States, after 2 other countries in 30 days',
      'First activity by this user in the United States only 14 days ago, after 1 other country in 30 days',
      'First activity by this user in the United States, after another country 365 days ago',
    ],
    near: {
      'another network of the same country': [...known, pay(3 * DAY, { ip_address: '10.0.0.1' }, south(0))],
      'a fourth country': [...traveller(3), pay(15 * DAY, NEW_YORK)],
      'a country with a payment two days ago': [...known, pay(3 * DAY, NEW_YORK), pay(5 * DAY, NEW_YORK)],
      'someone who comes from another network every time': [
        ...times(4, (i) => act(i * DAY, 'login', { ip_address: `10.0.${i}.1` }, south(0))),
        pay(4 * DAY, NEW_YORK),
      ],
      'a user seen twice': [...known.slice(0, 2), pay(3 * DAY, NEW_YORK)],
      'a user never seen with an address': [...times(3, (i) => act(i * DAY, 'login')), pay(3 * DAY, NEW_YORK)],
      'a VPN, which shows the location of its servers': [...known, pay(3 * DAY, NEW_YORK, { ip_vpn: 1 })],
      'an unavailable country': [...known, pay(3 * DAY, NEW_YORK, { ip_country: UNAVAILABLE })],
    },
  },
  country_mismatch: {
    active: { 'billed elsewhere': [pay(0, { ...NEW_YORK, ...billed('DE') })] },
    descriptions: ['Billing address in Germany, but the IP address is in the United States'],
    near: {
      'billed there': [pay(0, { ...NEW_YORK, ...billed('US') })],
      'no country billed': [pay(0, { ...NEW_YORK, billing_address: {} })],
      'a hosting provider': [pay(0, { ...NEW_YORK, ...billed('DE') }, { ip_hosting: 1 })],
      'an exit of Tor': [pay(0, { ...NEW_YORK, ...billed('DE') }, { ip_tor: 1 })],
      'a proxy': [pay(0, { ...NEW_YORK, ...billed('DE') }, { ip_proxy: 1 })],
      'an unavailable country': [pay(0, { ...NEW_YORK, ...billed('DE') }, { ip_country: UNAVAILABLE })],
      'no address': [pay(0, billed('DE'))],
    },
  },
  hosting_network: unlessUsual('ip_hosting', 'IP address of a hosting provider'),
  vpn_network: unlessUsual('ip_vpn', 'IP address of a VPN'),
  proxy_network: flagCase('ip_proxy', 'IP address of a proxy'),
  tor_exit: flagCase('ip_tor', 'Tor exit node'),
});
