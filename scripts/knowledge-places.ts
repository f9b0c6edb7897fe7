import { readFileSync } from 'node:fs';

interface City {
  country: string;
  population: number;
  /** In degrees. */
  latitude: number;
  longitude: number;
}

/** How much of the people in towns the radius must reach, and what it is at least. */
const REACHED = 0.99;
const LEAST_KM = 25;
const EARTH_KM = 6371;
const RADIANS = Math.PI / 180;

/** Where nobody lives in a town of a thousand: latitude, longitude and radius, rounded. */
const WITHOUT_TOWNS: readonly string[] = [
  'AQ -80 0 2500',
  'BV -54.4 3.4 25',
  'CC -12.2 96.8 25',
  'GS -54.4 -36.6 150',
  'HM -53.1 73.5 25',
  'IO -7.3 72.4 50',
  'NF -29.0 168.0 25',
  'NU -19.1 -169.9 25',
  'PN -24.4 -128.3 300',
  'TF -49.3 69.3 1500',
  'TK -9.2 -171.8 100',
  'UM 19.3 166.6 4000',
];

/** The few kinds of the protocol-buffer format this file uses. */
const readCities = (path: string): City[] => {
  const bytes = readFileSync(path);
  const cities: City[] = [];
  let at = 0;
  let [longitude, latitude] = [0, 0];
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const signed = (): number => {
    const value = varint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  };
  while (at < bytes.length) {
    const city: City = { country: '', population: 0, latitude: 0, longitude: 0 };
    const length = varint();
    const end = at + length;
    while (at < end) {
      const tag = varint();
      const [field, isText] = [tag >>> 3, (tag & 7) === 2];
      if (isText) {
        const size = varint();
        if (field === 3) city.country = bytes.toString('utf8', at, at + size);
        at += size;
      } else if (field === 9) city.population = varint();
      else if (field === 10) longitude += signed();
      else if (field === 11) latitude += signed();
      else varint();
    }
    city.longitude = longitude / 1e5;
    city.latitude = latitude / 1e5;
    cities.push(city);
  }
  return cities;
};

const kilometres = (a: Pick<City, 'latitude' | 'longitude'>, b: Pick<City, 'latitude' | 'longitude'>): number => {
  const half =
    Math.sin(((b.latitude - a.latitude) * RADIANS) / 2) ** 2 +
    Math.cos(a.latitude * RADIANS) *
      Math.cos(b.latitude * RADIANS) *
      Math.sin(((b.longitude - a.longitude) * RADIANS) / 2) ** 2;
  return 2 * EARTH_KM * Math.asin(Math.sqrt(half));
};

/** The middle of the people in its towns, taken on the globe: Fiji lies on both sides of 180 degrees. */
const placeOf = (country: string, cities: readonly City[]): string => {
  const weigh = (city: City): number => Math.max(city.population, 1000);
  let [x, y, z] = [0, 0, 0];
  for (const city of cities) {
    const [lat, lon, weight] = [city.latitude * RADIANS, city.longitude * RADIANS, weigh(city)];
    x += weight * Math.cos(lat) * Math.cos(lon);
    y += weight * Math.cos(lat) * Math.sin(lon);
    z += weight * Math.sin(lat);
  }
  const middle = { latitude: Math.atan2(z, Math.hypot(x, y)) / RADIANS, longitude: Math.atan2(y, x) / RADIANS };
  const byDistance = cities
    .map((city) => ({ km: kilometres(middle, city), people: weigh(city) }))
    .sort((a, b) => a.km - b.km);
  const all = byDistance.reduce((sum, { people }) => sum + people, 0);
  let beyond = all;
  const last = byDistance.find(({ people }) => {
    beyond -= people;
    return beyond <= (1 - REACHED) * all;
  });
  const radius = Math.max(LEAST_KM, Math.ceil((last?.km ?? 0) / 5) * 5 + 10);
  return `${country} ${middle.latitude.toFixed(1)} ${middle.longitude.toFixed(1)} ${radius}`;
};

const LINE_WIDTH = 116;
const SOURCE = `/**
 * Where the people of a country live: latitude and longitude of their middle, and how many kilometres from there
 * reach 99 in 100 of those who live in towns. Made by \`node scripts/knowledge-tables.ts\` from the towns of GeoNames
 * (CC BY 4.0); where there are none, from a map.
 */
export const COUNTRY_PLACES = \``;

export const placesFile = (citiesPath: string): string => {
  const towns = Map.groupBy(readCities(citiesPath), ({ country }) => country);
  const known = new Set(WITHOUT_TOWNS.map((line) => line.slice(0, 2)));
  const places = [...towns]
    .filter(([country]) => !known.has(country))
    .map(([country, cities]) => placeOf(country, cities));
  const lines = [''];
  for (const place of [...places, ...WITHOUT_TOWNS].sort()) {
    if ((lines.at(-1) as string).length + place.length > LINE_WIDTH) lines.push('');
    lines[lines.length - 1] += `${lines.at(-1) === '' ? '' : ','}${place}`;
  }
  return `${SOURCE}\n${lines.join(',\n')}\`;\n`;
};
