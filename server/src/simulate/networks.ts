import { HOSTS, PLACES } from './places.ts';
import type { Draw } from './random.ts';

/** A block of IPv4 addresses. */
export interface Prefix {
  readonly first: number;
  readonly size: number;
  readonly country: string;
}
export interface Country {
  readonly code: string;
  readonly currency: string;
  readonly offsetHours: number;
  /** Relative probability that a world has customers in this country. */
  readonly weight: number;
  readonly home: readonly Prefix[];
  readonly mobile: readonly Prefix[];
  readonly v6: readonly string[];
}

const prefixOf = (text: string, country: string): Prefix => {
  const [address = '', bits] = text.split('/');
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return { first, size: 1 << (32 - Number(bits)), country };
};
const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '');
const rowsOf = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split('|'));

export const COUNTRIES: readonly Country[] = rowsOf(PLACES).map(([head = '', homes = '', mobiles = '', v6 = '']) => {
  const [code = '', currency = '', offset, weight] = wordsOf(head);
  const home = wordsOf(homes).map((text) => prefixOf(text, code));
  const mobile = wordsOf(mobiles).map((text) => prefixOf(text, code));
  return {
    code,
    currency,
    offsetHours: Number(offset),
    weight: Number(weight),
    home,
    // Some carriers serve homes and phones from the same blocks.
    mobile: mobile.length > 0 ? mobile : home.slice(-2),
    v6: wordsOf(v6),
  };
});

/** Prefixes of hosting companies, one list per company. */
export const HOSTING: readonly (readonly Prefix[])[] = rowsOf(HOSTS).map(([, line = '']) => {
  const words = wordsOf(line);
  return words.flatMap((word, i) => (i % 2 === 0 ? [prefixOf(word, words[i + 1] as string)] : []));
});

const dotted = (n: number): string =>
  `${Math.floor(n / 16777216)}.${Math.floor(n / 65536) % 256}.${Math.floor(n / 256) % 256}.${n % 256}`;

/** A random host address of a block. */
export const addressIn = (draw: Draw, { first, size }: Prefix): string =>
  dotted(first + Math.floor((draw.random() * size) / 256) * 256 + draw.whole(1, 254));

/** `count` neighbouring addresses, spread over `networks` /24 networks. */
export const poolIn = (draw: Draw, prefix: Prefix, count: number, networks: number): string[] => {
  const firsts = Array.from(
    { length: networks },
    () => prefix.first + Math.floor((draw.random() * prefix.size) / 256) * 256,
  );
  return Array.from({ length: count }, () => dotted(draw.pick(firsts) + draw.whole(1, 254)));
};

/** Internet access of a person: one address that changes sometimes, a shared pool, or an IPv6 network. */
export interface Access {
  readonly country: string;
  readonly prefix?: Prefix;
  readonly pool?: readonly string[];
  /** The first 64 bits. */
  readonly v6?: string;
  /** Probability that the next request comes from a new address. */
  readonly churn: number;
  address: string;
}

export const fixedAccess = (country: string, address: string): Access => ({ country, churn: 0, address });

export const homeAccess = (draw: Draw, country: Country, v6Share: number, churn: number): Access => {
  if (country.v6.length > 0 && draw.chance(v6Share)) {
    const v6 = `${draw.pick(country.v6)}:${draw.whole(1, 0xfffe).toString(16)}:${draw.whole(1, 0xff00).toString(16)}`;
    return { country: country.code, v6, churn: Math.max(churn, 0.3), address: hostIn(draw, v6) };
  }
  const prefix = draw.pick(country.home);
  return { country: country.code, prefix, churn, address: addressIn(draw, prefix) };
};

/** A full IPv6 address in a /64 network. No group starts with a zero, so the address has only one spelling. */
const hostIn = (draw: Draw, v6: string): string => {
  let host = '';
  for (let i = 0; i < 4; i++) host += `:${draw.whole(0x1000, 0xffff).toString(16)}`;
  return v6 + host;
};

export const pooledAccess = (country: string, pool: readonly string[]): Access => ({
  country,
  pool,
  churn: 1,
  address: pool[0] as string,
});

/** The current address of this access, after a possible change. */
export const addressOf = (draw: Draw, access: Access): string => {
  if (access.churn === 0 || !draw.chance(access.churn)) return access.address;
  if (access.pool !== undefined) access.address = draw.pick(access.pool);
  else if (access.v6 !== undefined) access.address = hostIn(draw, access.v6);
  else if (access.prefix !== undefined) access.address = addressIn(draw, access.prefix);
  return access.address;
};

/** Addresses of a network that covers about one city of a carrier. */
const CITY_SIZE = 4096;
/** An address close to another: the same carrier in the same city. Undefined if the access has no block of its own. */
export const neighbourAddress = (draw: Draw, { prefix, v6, address }: Access): string | undefined => {
  if (v6 !== undefined)
    return hostIn(draw, `${v6.slice(0, v6.lastIndexOf(':'))}:${draw.whole(1, 0xff00).toString(16)}`);
  if (prefix === undefined) return undefined;
  const own = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return addressIn(draw, { ...prefix, first: own - (own % CITY_SIZE), size: CITY_SIZE });
};
