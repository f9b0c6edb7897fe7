import { countryNumber } from '@portcullis/engine';
import type { Family, Words } from './address.ts';
import { COUNTRY_PLACES } from './country-places.ts';
import { findV4, findV6, type Ranges } from './ranges.ts';
import { readTable } from './table-file.ts';

export interface Countries {
  readonly built: string;
  /** NaN if the country is unknown. */
  countryAt(family: Family, words: Words): number;
}

export const readCountries = (path: URL): Countries => {
  const { built, columns } = readTable(path);
  const table = columns as unknown as Ranges & { v4Country: Uint8Array; v6Country: Uint8Array; codes: Uint16Array };
  const { v4Country, v6Country, codes } = table;
  return {
    built,
    countryAt(family, words) {
      const first = words[0] as number;
      const code = family === 4 ? v4Country[findV4(table, first)] : v6Country[findV6(table, first, words[1] as number)];
      return code === 0 ? Number.NaN : (codes[code as number] as number);
    },
  };
};

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusKm: number;
}

const UNKNOWN_PLACE: Place = { latitude: Number.NaN, longitude: Number.NaN, radiusKm: Number.NaN };
const places = new Map(
  COUNTRY_PLACES.trim()
    .split(/,\s*/)
    .map((line): [number, Place] => {
      const [code = '', latitude, longitude, radiusKm] = line.split(' ');
      return [
        countryNumber(code),
        { latitude: Number(latitude), longitude: Number(longitude), radiusKm: Number(radiusKm) },
      ];
    }),
);

/** The centre and radius of a country's population. */
export const placeOf = (country: number): Place => places.get(country) ?? UNKNOWN_PLACE;
