import { countryNumber } from '@portcullis/engine';
import { ZONES } from './zone-table.ts';

/** By how many minutes it is later in a zone than in UTC, in January and in July, and the number of the country it is named after. */
export interface Zone {
  readonly country: number;
  readonly january: number;
  readonly july: number;
}

const zones = new Map<string, Zone>();
const byCountry = new Map<number, Zone[]>();
for (const group of ZONES.trim().split(/\s/)) {
  const [code = '', january, july, ...names] = group.split(':');
  const zone: Zone = { country: countryNumber(code), january: Number(january), july: Number(july) };
  for (const name of names) zones.set(name, zone);
  byCountry.set(zone.country, [...(byCountry.get(zone.country) ?? []), zone]);
}

/** Undefined for what no country has, such as UTC. */
export const zoneNamed = (name: string): Zone | undefined => zones.get(name);

/**
 * 1 where it is the same time in the zone as somewhere in the country, at least for a part of the year; else 0. Not by the names of zones: a computer whose
 * language is of elsewhere calls its zone Berlin in all of western Europe. NaN where the country is not known.
 */
export const keepsTimeOf = ({ january, july }: Zone, country: number): number => {
  const there = byCountry.get(country);
  if (there === undefined) return Number.NaN;
  return there.some((zone) => zone.january === january || zone.july === july) ? 1 : 0;
};
