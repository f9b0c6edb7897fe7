import { makeDraw } from '../../server/src/simulate/random.ts';
import { addressIn, homeNetwork, mobileNetwork, type Network } from './addresses.ts';
import type { Business } from './businesses.ts';
import { type Country, countryNamed } from './countries.ts';

export interface PostalAddress {
  readonly line1: string;
  readonly city: string;
  readonly postal_code: string;
  readonly country: string;
}
export interface Customer {
  readonly id: string;
  readonly country: Country;
  /** Index of the city in its country. */
  city: number;
  email: string;
  address: PostalAddress;
  /** The main device first. */
  devices: string[];
  cards: string[];
  payees: string[];
  homeNetwork: Network;
  /** The current address at home. */
  homeAddress: string;
  /** Phones get a different address of the carrier's networks in the city nearly every time. */
  carrierNetworks: readonly Network[];
  workAddress: string;
  /** Median payment in dollars, its spread, and payments per day. */
  dollars: number;
  readonly spread: number;
  perDay: number;
  readonly peakHour: number;
}

const FIRST_NAMES = 'maya oskar lena tomas ruth ivan sara noel petra hugo aisha karl dora emil nina yusuf'.split(' ');
const LAST_NAMES = 'berg costa dahl evans ferro gupta horak ilves jansen kovac lopez meyer novak okoye park'.split(' ');
const MAIL = ['gmail.com', 'gmail.com', 'outlook.com', 'yahoo.com', 'icloud.com', 'proton.me', 'web.de'];
const STREETS = 'Mill Station Garden Church North River Linden School Market Harbour'.split(' ');

/**
 * The people and things of one business. The same business and seed give the same place. A second place with the payees
 * of the first adds people to the same business.
 */
export const makePlace = (business: Business, seed: number, payeesBefore?: readonly string[]) => {
  const draw = makeDraw(seed);
  let made = 0;
  const newDevice = (): string => `device-${draw.hex(16)}`;
  const newCard = (): string => `instrument-${draw.hex(12)}`;
  const newPayee = (): string => `payee-${draw.hex(8)}`;
  const newEmail = (): string =>
    `${draw.pick(FIRST_NAMES)}.${draw.pick(LAST_NAMES)}${draw.whole(1, 9999)}@${draw.pick(MAIL)}`;
  const newPostalAddress = (country: Country, city: number): PostalAddress => {
    const { name, postalCode } = country.cities[city] as Country['cities'][number];
    return {
      line1: `${draw.whole(1, 180)} ${draw.pick(STREETS)} Street`,
      city: name,
      postal_code: postalCode,
      country: country.code,
    };
  };
  const payees = payeesBefore ?? Array.from({ length: business.payees }, newPayee);
  const newCustomer = (country = countryNamed(draw.pickEarly(business.countries, 3))): Customer => {
    const city = draw.whole(0, 2);
    const network = homeNetwork(draw, country, city);
    return {
      id: `customer-${seed}-${++made}`,
      country,
      city,
      email: newEmail(),
      address: newPostalAddress(country, city),
      devices: Array.from({ length: draw.weighted([1, 2, 3], [5, 3, 1]) }, newDevice),
      cards: Array.from({ length: draw.weighted([1, 2], [4, 1]) }, newCard),
      payees: payees.length === 0 ? [] : Array.from({ length: draw.whole(2, 8) }, () => draw.pick(payees)),
      homeNetwork: network,
      homeAddress: addressIn(draw, network),
      carrierNetworks: Array.from({ length: 4 }, () => mobileNetwork(draw, country, city)),
      workAddress: addressIn(draw, homeNetwork(draw, country, city)),
      dollars: draw.logNormal(business.dollars, 0.5),
      spread: business.spread * draw.between(0.6, 1.3),
      perDay: draw.logNormal(business.perDay, 0.5),
      peakHour: draw.pick([9, 12, 13, 18, 20, 21]),
    };
  };
  return { business, draw, newDevice, newCard, newPayee, newEmail, newPostalAddress, newCustomer, payees };
};
export type Place = ReturnType<typeof makePlace>;
