import { type Knowledge, knowledgeIndex } from '@portcullis/engine';
import type { KnowledgeSource } from '../../server/src/knowledge/knowledge.ts';
import type { Draw } from '../../server/src/simulate/random.ts';
import { type Block, type City, COUNTRIES, type Country } from './countries.ts';

/**
 * Networks of /24 in the blocks of a provider. The second octet decides the city, so that a lookup can tell cities
 * apart as a commercial IP database does.
 */
const cityIndexOf = (second: number, block: Block): number => (second - block.from) % 3;

/** A /24 network: its first three octets. */
export type Network = string;

export const networkIn = (draw: Draw, block: Block, city?: number): Network => {
  let second = draw.whole(block.from, block.to);
  // A block with fewer than three second octets serves the whole country.
  if (city !== undefined && block.to - block.from >= 2)
    while (cityIndexOf(second, block) !== city) second = draw.whole(block.from, block.to);
  return `${block.first}.${second}.${draw.whole(0, 255)}`;
};
export const addressIn = (draw: Draw, network: Network): string => `${network}.${draw.whole(1, 254)}`;

/** The network of a home: of one of the country's internet providers, in that city. */
export const homeNetwork = (draw: Draw, country: Country, city: number): Network =>
  networkIn(draw, draw.pick(country.providers), city);
export const mobileNetwork = (draw: Draw, country: Country, city: number): Network =>
  networkIn(draw, country.carrier, city);

/** Networks of hosting companies, and of companies that sell VPNs. */
const HOSTING: readonly Block[] = [
  { first: 88, from: 198, to: 198 },
  { first: 95, from: 216, to: 216 },
  { first: 52, from: 4, to: 4 },
  { first: 51, from: 68, to: 68 },
];
const VPN: Block = { first: 146, from: 70, to: 70 };
export const hostingNetwork = (draw: Draw): Network => networkIn(draw, draw.pick(HOSTING));
export const vpnNetwork = (draw: Draw): Network => networkIn(draw, VPN);

const CITY_RADIUS_KM = 20;
const blocks = COUNTRIES.flatMap(({ providers, carrier, cities }) =>
  [...providers, carrier].map((block) => ({ block, cities })),
);
const findCity = (ip: string): City | undefined => {
  const [first, second] = ip.split('.').map(Number) as [number, number];
  const found = blocks.find(({ block }) => block.first === first && second >= block.from && second <= block.to);
  if (found === undefined || found.block.to - found.block.from < 2) return undefined;
  return found.cities[cityIndexOf(second, found.block)];
};

/** Adds the cities of the judge's own addresses to a lookup, as an installation with an IP database has them. */
export const withCities = (source: KnowledgeSource): KnowledgeSource => ({
  ...source,
  lookUp: (request, knowledge: Knowledge) => {
    source.lookUp(request, knowledge);
    const city = request.ip_address === undefined ? undefined : findCity(request.ip_address);
    if (city === undefined) return;
    knowledge[knowledgeIndex.ip_latitude] = city.latitude;
    knowledge[knowledgeIndex.ip_longitude] = city.longitude;
    knowledge[knowledgeIndex.ip_radius_km] = CITY_RADIUS_KM;
  },
});
