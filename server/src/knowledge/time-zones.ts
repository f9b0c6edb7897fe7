import { countryNumber } from '@portcullis/engine';
import { ZONES } from './zone-table.ts';

/** A zone's offsets from UTC in minutes, in January and in July, and the number of its country. */
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

/** Undefined for zones without a country, such as UTC. */
export const zoneNamed = (name: string): Zone | undefined => zones.get(name);

/**
 * 1 if the zone has the same time as a zone of the country for at least part of the year, else 0; NaN if the country is
 * unknown. Zone names are not compared: computers all over western Europe may call their zone Berlin.
 */
export const keepsTimeOf = ({ january, july }: Zone, country: number): number => {
  const there = byCountry.get(country);
  if (there === undefined) return Number.NaN;
  return there.some((zone) => zone.january === january || zone.july === july) ? 1 : 0;
};
