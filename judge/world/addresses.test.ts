import { countryOf, knowledgeIndex, makeKnowledge } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { makeDraw } from '../../server/src/simulate/random.ts';
import { openShippedKnowledge } from '../knowledge.ts';
import { addressIn, homeNetwork, hostingNetwork, mobileNetwork, withCities } from './addresses.ts';
import { COUNTRIES } from './countries.ts';

const draw = makeDraw(4);
const knowledge = makeKnowledge();
const lookUp = (ip: string, source = openShippedKnowledge()) => {
  source.lookUp({ ip_address: ip }, knowledge);
  return {
    country: countryOf(knowledge[knowledgeIndex.ip_country] as number),
    isHosting: knowledge[knowledgeIndex.ip_hosting] === 1,
    latitude: knowledge[knowledgeIndex.ip_latitude],
  };
};

test('the addresses of homes and phones are looked up in their country, and in no hosting network', () => {
  const wrong: string[] = [];
  for (const country of COUNTRIES)
    for (let i = 0; i < 30; i++)
      for (const network of [homeNetwork(draw, country, i % 3), mobileNetwork(draw, country, i % 3)]) {
        const found = lookUp(addressIn(draw, network));
        if (found.country !== country.code || found.isHosting) wrong.push(`${country.code} ${network}`);
      }
  // Providers sell a few networks of their blocks.
  expect(wrong.length, wrong.join()).toBeLessThan(0.02 * COUNTRIES.length * 60);
  expect(lookUp(addressIn(draw, hostingNetwork(draw))).isHosting).toBe(true);
});

test('an IP database tells the cities of a country apart', () => {
  const source = withCities(openShippedKnowledge());
  for (const country of COUNTRIES) {
    const places = [0, 1, 2].map((city) => lookUp(addressIn(draw, homeNetwork(draw, country, city)), source).latitude);
    if (country.providers.every(({ from, to }) => to - from >= 2))
      expect(places).toEqual(country.cities.map(({ latitude }) => latitude));
  }
});
