import { makeRandom } from '@portcullis/engine';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export type Members = Record<string, unknown>;
/** One request at `at`, in ms from the beginning of what it is part of. */
export interface Step {
  readonly at: number;
  readonly kind: 'transaction' | 'event';
  readonly members: Members;
  readonly fraud: boolean;
  /** What is unusual about it although it is honest. */
  readonly oddity?: string;
  /** Which of several victims or accounts of an attack it belongs to. */
  readonly campaign?: number;
}

/** First two octets that belong to access providers of a country: from, to. Two each: a line at home and one elsewhere. */
const ACCESS = {
  US: ['73.10', '73.190', '98.192', '98.255'],
  DE: ['79.192', '79.255', '91.0', '91.63'],
  GB: ['86.128', '86.190', '90.192', '90.223'],
  FR: ['90.0', '90.60', '86.192', '86.250'],
  ES: ['83.32', '83.63', '88.0', '88.31'],
  PL: ['83.0', '83.31', '79.184', '79.191'],
  BR: ['177.64', '177.110', '189.24', '189.40'],
  IN: ['49.32', '49.47', '106.192', '106.220'],
  NG: ['105.112', '105.119', '197.210', '197.210'],
  RU: ['95.24', '95.31', '178.64', '178.71'],
  VN: ['113.160', '113.190', '14.160', '14.190'],
  ID: ['36.64', '36.90', '180.240', '180.254'],
} as const;
export type Country = keyof typeof ACCESS;
const HOMES: readonly Country[] = ['US', 'US', 'US', 'DE', 'DE', 'GB', 'GB', 'FR', 'ES', 'PL', 'BR', 'IN'];
const FAR: readonly Country[] = ['NG', 'RU', 'VN', 'ID', 'BR', 'IN'];
export const HOSTING = ['3.85', '52.4', '159.65', '167.99', '51.68', '51.75', '88.198', '95.216', '45.76'] as const;
const CURRENCY: Partial<Record<Country, string>> = { US: 'USD', GB: 'GBP', PL: 'PLN', BR: 'BRL', IN: 'INR' };
/** What one dollar is there, roughly: people elsewhere pay other numbers. */
const UNITS: Readonly<Record<string, number>> = { USD: 1, EUR: 0.9, GBP: 0.8, PLN: 4, BRL: 5, INR: 85 };
const CITIES: Partial<Record<Country, readonly [string, string]>> = {
  US: ['Austin', '78701'],
  DE: ['Hamburg', '20095'],
  GB: ['Leeds', 'LS1 4AP'],
  FR: ['Lyon', '69001'],
  ES: ['Valencia', '46001'],
  PL: ['Gdynia', '81-300'],
  BR: ['Recife', '50010-000'],
  IN: ['Pune', '411001'],
};
const MAIL = ['gmail.com', 'gmail.com', 'outlook.com', 'yahoo.com', 'icloud.com', 'web.de', 'acme-trading.com'];
const NAMES = 'anna ben carla david emma felix grace hugo ines jan kate liam mia noah olga paul rosa sam tina will';

export interface Person {
  readonly id: string;
  readonly country: Country;
  readonly currency: string;
  ip: string;
  readonly away: string;
  devices: string[];
  card: string;
  readonly email: string;
  readonly meanDollars: number;
  readonly paymentsPerDay: number;
  readonly shops: readonly string[];
  readonly street: string;
}

/** Chance, and those it makes. The same seed gives the same of all. */
export const makeWorld = (seed: number, size: number) => {
  const random = makeRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const between = (low: number, high: number): number => low + random() * (high - low);
  const oneOf = <T>(of: readonly T[]): T => of[below(of.length)] as T;
  const chance = (share: number): boolean => random() < share;
  const hex = (length: number): string => Array.from({ length }, () => below(16).toString(16)).join('');
  const bell = (): number => random() + random() + random() + random() - 2;

  const within = (prefix: string): string => `${prefix}.${below(256)}.${1 + below(254)}`;
  const lineIn = (country: Country, second = false): string => {
    const [from, to] = second ? ACCESS[country].slice(2) : ACCESS[country];
    const [first = '', low = ''] = (from as string).split('.');
    const high = Number((to as string).split('.')[1]);
    return within(`${first}.${Math.floor(between(Number(low), high + 1))}`);
  };
  const hostingIp = (): string => within(oneOf(HOSTING));
  const anyPublicIp = (): string => {
    const first = 1 + below(222);
    return [10, 100, 127, 169, 172, 192, 198, 203].includes(first) ? anyPublicIp() : within(`${first}.${below(256)}`);
  };
  const device = (): string => `dev_${hex(16)}`;
  const card = (): string => `card_${hex(12)}`;
  const emailOf = (domain = oneOf(MAIL)): string => `${oneOf(NAMES.split(' '))}.${hex(5)}@${domain}`;
  const shops = Array.from({ length: 60 }, (_, i) => `merchant_${i + 1}`);
  const cents = (amount: number): number => Math.max(0.01, Math.round(amount * 100) / 100);
  const inCurrency = (dollars: number, currency: string): number => cents(dollars * (UNITS[currency] ?? 1));

  const makePerson = (id: string, country = oneOf(HOMES)): Person => ({
    id,
    country,
    currency: CURRENCY[country] ?? 'EUR',
    ip: lineIn(country),
    away: lineIn(country, true),
    devices: chance(0.4) ? [device(), device()] : [device()],
    card: card(),
    email: emailOf(),
    meanDollars: Math.exp(between(2.5, 5)),
    paymentsPerDay: Math.exp(between(-1.2, 0.7)),
    shops: Array.from({ length: 3 + below(6) }, () => oneOf(shops)),
    street: `${1 + below(200)} ${oneOf(['High', 'Station', 'Mill', 'Park'])} Street`,
  });
  const people = Array.from({ length: size }, (_, i) => makePerson(`user_${1000 + i}`));
  /** One more, after the others have lived. */
  const newcomer = (id: string, country?: Country): Person => {
    const person = makePerson(id, country);
    people.push(person);
    return person;
  };
  /** Those who pay often enough to have habits, each once. */
  const victims = (count: number): Person[] => {
    const known = people.filter(({ paymentsPerDay }) => paymentsPerDay > 0.7);
    return Array.from({ length: count }, () => known.splice(below(known.length), 1)[0] as Person);
  };
  const addressOf = ({ country, street }: Person): Members => {
    const [city, postal_code] = CITIES[country] ?? ['Metropolis', '1000'];
    return { line1: street, city, postal_code, country };
  };
  const far = (from?: Country): Country => oneOf(FAR.filter((country) => country !== from));

  return {
    random,
    below,
    between,
    oneOf,
    chance,
    hex,
    bell,
    within,
    lineIn,
    hostingIp,
    anyPublicIp,
    device,
    card,
    emailOf,
    shops,
    cents,
    inCurrency,
    makePerson,
    newcomer,
    people,
    victims,
    addressOf,
    far,
  };
};
export type World = ReturnType<typeof makeWorld>;

export const pay = (at: number, members: Members, more: Partial<Step> = {}): Step => ({
  at,
  kind: 'transaction',
  members,
  fraud: false,
  ...more,
});
export const event = (at: number, members: Members, more: Partial<Step> = {}): Step => ({
  at,
  kind: 'event',
  members,
  fraud: false,
  ...more,
});

/** What attacks are put into. `empty` is nothing at all: the attack is the first thing a new installation sees. */
export const BACKGROUNDS = ['plain', 'rich', 'rush', 'empty'] as const;
export type Background = (typeof BACKGROUNDS)[number];

export interface Attack {
  readonly name: string;
  /** Under way after so many items, or so large a share of them, of each campaign: what comes before looks like anybody. */
  readonly afterItems?: number;
  readonly afterShare?: number;
  /** Where it is none: nobody can tell what is unusual of a user without a past, nor sleep for months in ten minutes. */
  readonly notIn?: readonly Background[];
  /** Has only the members that must be there. */
  readonly isBare?: boolean;
  /** In ms from the beginning of the attack; what is before that is the honest past. */
  readonly make: (world: World) => Step[];
}
