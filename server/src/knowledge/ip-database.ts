import { readFileSync } from 'node:fs';
import { isCountry } from '@portcullis/contract';
import { countryNumber, UNAVAILABLE } from '@portcullis/engine';
import { Reader, type Response } from 'mmdb-lib';
import type { Family } from './address.ts';

/** What a database says of an address: NaN where it says nothing, UNAVAILABLE where what it says cannot be. */
export interface Finding {
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
  /** Whether it tells countries at all. One of anonymous addresses does not. */
  readonly hasCountries: boolean;
  find(family: Family, ip: string): Finding;
}

/** Of a place without a radius: databases of cities know the city. */
const CITY_RADIUS_KM = 50;
const FARTHEST_KM = 20_038;
/** Decoding a record with names in many languages costs twenty times what all the rest does. */
const RECENT = 4096;
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

const allOf = (value: number): Finding => ({
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
/** Of an address whose source is out of order, and where there is no source. */
export const OUT_OF_ORDER = allOf(UNAVAILABLE);
export const NOTHING = allOf(Number.NaN);

type Place = Pick<Finding, 'latitude' | 'longitude' | 'radiusKm'>;
const WRONG_PLACE: Place = { latitude: UNAVAILABLE, longitude: UNAVAILABLE, radiusKm: UNAVAILABLE };
const placeIn = (record: Fields): Place => {
  const place = record.location === undefined ? record : fieldsOf(record.location);
  const latitude = numberIn(place.latitude, -90, 90);
  const longitude = numberIn(place.longitude, -180, 180);
  const radius = numberIn(place.accuracy_radius, 0, FARTHEST_KM);
  const wrong = latitude === UNAVAILABLE || longitude === UNAVAILABLE || radius === UNAVAILABLE;
  if (wrong) return WRONG_PLACE;
  const radiusKm = Number.isNaN(latitude + longitude) || radius >= 0 ? radius : CITY_RADIUS_KM;
  return { latitude, longitude, radiusKm };
};

/** Such databases name a flag only where it is set, and only addresses that have one. */
const LISTS_FLAGS = /anonymous|privacy|proxy|vpn/i;

const findingOf = (found: unknown, silence: number): Finding => {
  const record = fieldsOf(found);
  const traits = fieldsOf(record.traits);
  const flag = (...names: readonly string[]): number => {
    let known = silence;
    for (const name of names) {
      const value = record[name] ?? traits[name];
      if (value === true) return 1;
      if (value === false) known = 0;
      else if (value !== undefined) return UNAVAILABLE;
    }
    return known;
  };
  const finding = {
    country: countryIn(fieldsOf(record.country).iso_code ?? record.country_code),
    ...placeIn(record),
    hosting: flag('is_hosting_provider'),
    vpn: flag('is_anonymous_vpn'),
    proxy: flag('is_public_proxy', 'is_anonymous_proxy', 'is_residential_proxy'),
    tor: flag('is_tor_exit_node'),
  };
  return { ...finding, isMalformed: Object.values(finding).includes(UNAVAILABLE) };
};

/** One address in each /8, to see what a database holds and whether it can be read at all. */
const PROBES = Array.from({ length: 223 }, (_, index) => `${index + 1}.100.100.100`);

/** Reads an MMDB file whole; throws with the reason where it is none. */
export const openIpDatabase = (path: string): IpDatabase => {
  const file = readFileSync(path);
  const metadataAt = file.lastIndexOf(METADATA_MARK);
  if (metadataAt === -1) throw new Error('it is no MMDB file, or was cut short');
  const reader = new Reader<Response>(file);
  const { databaseType, buildEpoch, ipVersion, searchTreeSize } = reader.metadata;
  if (!(searchTreeSize + SEPARATOR <= metadataAt)) throw new Error('its search tree is not whole');
  const type = String(databaseType);
  const silent = findingOf(null, LISTS_FLAGS.test(type) ? 0 : Number.NaN);
  const ask = (ip: string): Finding => {
    const record = reader.get(ip);
    return record === null ? silent : findingOf(record, silent.hosting);
  };
  const probed = PROBES.map(ask);
  if (probed.some(({ country }) => country === UNAVAILABLE)) throw new Error('some of its countries are none');
  let recent = new Map<string, Finding>();
  return {
    type,
    built: Number.isNaN(buildEpoch.getTime()) ? 'unknown' : buildEpoch.toISOString().slice(0, 10),
    hasCountries: probed.some(({ country }) => country >= 0),
    find(family, ip) {
      // An IPv6 address walked down a tree of IPv4 would arrive at another's record.
      if (family === 6 && ipVersion === 4) return silent;
      const known = recent.get(ip);
      if (known !== undefined) return known;
      const finding = ask(ip);
      if (recent.size >= RECENT) recent = new Map();
      recent.set(ip, finding);
      return finding;
    },
  };
};
