import { readFileSync } from 'node:fs';
import { isCountry } from '@portcullis/contract/values';
import { countryNumber, UNAVAILABLE } from '@portcullis/engine';
import { Reader, type Response } from 'mmdb-lib';
import type { Family } from './address.ts';

/** The facts of an address in a database: NaN if it has none, UNAVAILABLE if its value is impossible. */
export interface AddressFacts {
  readonly country: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusKm: number;
  readonly hosting: number;
  readonly vpn: number;
  readonly proxy: number;
  readonly tor: number;
  readonly isMalformed: boolean;
}
export interface IpDatabase {
  readonly type: string;
  readonly built: string;
  /** False for databases of anonymous addresses, which have no countries. */
  readonly hasCountries: boolean;
  find(family: Family, ip: string): AddressFacts;
}

/** Radius of a place without one: databases with places are accurate to the city. */
const CITY_RADIUS_KM = 50;
const FARTHEST_KM = 20_038;
/**
 * Cached addresses. Decoding a record with names in many languages takes twenty times as long as the rest of a
 * lookup.
 */
const MAX_CACHED = 4096;
const METADATA_MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const SEPARATOR = 16;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

const numberIn = (value: unknown, from: number, to: number): number => {
  if (value === undefined) return Number.NaN;
  return typeof value === 'number' && value >= from && value <= to ? value : UNAVAILABLE;
};
const countryIn = (value: unknown): number => {
  if (value === undefined) return Number.NaN;
  return typeof value === 'string' && isCountry(value) ? countryNumber(value.toUpperCase()) : UNAVAILABLE;
};

const allOf = (value: number): AddressFacts => ({
  country: value,
  latitude: value,
  longitude: value,
  radiusKm: value,
  hosting: value,
  vpn: value,
  proxy: value,
  tor: value,
  isMalformed: false,
});
/** Facts of an address if the database cannot be used, and if there is none. */
export const ALL_UNAVAILABLE = allOf(UNAVAILABLE);
export const ALL_UNKNOWN = allOf(Number.NaN);

type Place = Pick<AddressFacts, 'latitude' | 'longitude' | 'radiusKm'>;
const UNAVAILABLE_PLACE: Place = { latitude: UNAVAILABLE, longitude: UNAVAILABLE, radiusKm: UNAVAILABLE };
const placeIn = (record: Fields): Place => {
  const place = record.location === undefined ? record : fieldsOf(record.location);
  const latitude = numberIn(place.latitude, -90, 90);
  const longitude = numberIn(place.longitude, -180, 180);
  const radius = numberIn(place.accuracy_radius, 0, FARTHEST_KM);
  const isWrong = latitude === UNAVAILABLE || longitude === UNAVAILABLE || radius === UNAVAILABLE;
  if (isWrong) return UNAVAILABLE_PLACE;
  const radiusKm = Number.isNaN(latitude + longitude) || radius >= 0 ? radius : CITY_RADIUS_KM;
  return { latitude, longitude, radiusKm };
};

/** Databases of these types list only addresses with a flag, and only the flags that are set. */
const LISTS_FLAGS = /anonymous|privacy|proxy|vpn/i;

/** Reads a record. `missingFlag` is the value of a flag that the record does not have. */
const factsOf = (value: unknown, missingFlag: number): AddressFacts => {
  const record = fieldsOf(value);
  const traits = fieldsOf(record.traits);
  const flag = (...names: readonly string[]): number => {
    let result = missingFlag;
    for (const name of names) {
      const set = record[name] ?? traits[name];
      if (set === true) return 1;
      if (set === false) result = 0;
      else if (set !== undefined) return UNAVAILABLE;
    }
    return result;
  };
  const facts = {
    country: countryIn(fieldsOf(record.country).iso_code ?? record.country_code),
    ...placeIn(record),
    hosting: flag('is_hosting_provider'),
    vpn: flag('is_anonymous_vpn'),
    proxy: flag('is_public_proxy', 'is_anonymous_proxy', 'is_residential_proxy'),
    tor: flag('is_tor_exit_node'),
  };
  return { ...facts, isMalformed: Object.values(facts).includes(UNAVAILABLE) };
};

/** One address in each /8: shows whether a database has countries and whether it can be read at all. */
const PROBES = Array.from({ length: 223 }, (_, index) => `${index + 1}.100.100.100`);

/** Reads a whole MMDB file. Throws with the reason if it is not valid. */
export const openIpDatabase = (path: string): IpDatabase => {
  const file = readFileSync(path);
  const metadataAt = file.lastIndexOf(METADATA_MARK);
  if (metadataAt === -1) throw new Error('it is not a complete MMDB file');
  const reader = new Reader<Response>(file);
  const { databaseType, buildEpoch, ipVersion, searchTreeSize } = reader.metadata;
  if (!(searchTreeSize + SEPARATOR <= metadataAt)) throw new Error('its search tree is incomplete');
  const type = String(databaseType);
  const noRecord = factsOf(null, LISTS_FLAGS.test(type) ? 0 : Number.NaN);
  const read = (ip: string): AddressFacts => {
    const record = reader.get(ip);
    return record === null ? noRecord : factsOf(record, noRecord.hosting);
  };
  const probed = PROBES.map(read);
  if (probed.some(({ country }) => country === UNAVAILABLE)) throw new Error('some of its country codes are invalid');
  let cache = new Map<string, AddressFacts>();
  return {
    type,
    built: Number.isNaN(buildEpoch.getTime()) ? 'unknown' : buildEpoch.toISOString().slice(0, 10),
    hasCountries: probed.some(({ country }) => country >= 0),
    find(family, ip) {
      // In a tree of IPv4, an IPv6 address would find the record of another address.
      if (family === 6 && ipVersion === 4) return noRecord;
      const cached = cache.get(ip);
      if (cached !== undefined) return cached;
      const facts = read(ip);
      if (cache.size >= MAX_CACHED) cache = new Map();
      cache.set(ip, facts);
      return facts;
    },
  };
};
