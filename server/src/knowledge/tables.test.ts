import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCountry } from '@portcullis/contract';
import { countryNumber, countryOf } from '@portcullis/engine';
import { afterAll, describe, expect, test } from 'vitest';
import { isHostingName, kindOf } from '../../../scripts/network-kind.ts';
import { placeOf } from './countries.ts';
import { readTable, writeTable } from './table-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-tables-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a table file', () => {
  const path = join(folder, 'some.table');
  const table = {
    built: '2026-06-01',
    sources: ['süß'],
    columns: {
      bytes: Uint8Array.of(1, 2, 3),
      shorts: Uint16Array.of(65_535),
      words: Uint32Array.of(7, 2 ** 32 - 1),
      hashes: Float64Array.of(2 ** 53 - 1),
    },
  };

  test('returns the columns that were written', () => {
    writeTable(path, table);
    expect(readTable(path)).toEqual(table);
  });
});

test('every country has a place with valid coordinates', () => {
  const countries = Array.from({ length: 676 }, (_, number) => countryOf(number)).filter(isCountry);
  expect(countries.length).toBeGreaterThan(245);
  for (const country of countries) {
    const { latitude, longitude, radiusKm } = placeOf(countryNumber(country));
    expect([country, Math.abs(latitude) <= 90, Math.abs(longitude) <= 180]).toEqual([country, true, true]);
    expect([country, radiusKm >= 25 && radiusKm <= 6000]).toEqual([country, true]);
  }
});

test('a place lies in its country', () => {
  for (const [country, latitude, longitude] of [
    ['US', 39, -93],
    ['JP', 36, 138],
    ['FJ', -18, 178],
    ['BR', -18, -46],
    ['SG', 1, 104],
    ['AU', -34, 145],
  ] as const) {
    const place = placeOf(countryNumber(country));
    expect([country, Math.abs(place.latitude - latitude) < 3, Math.abs(place.longitude - longitude) < 3]).toEqual([
      country,
      true,
      true,
    ]);
  }
});

describe('the name of a network', () => {
  test.each([
    'Hetzner Hosting',
    'EGIHosting',
    'IBM Cloud',
    'UCLOUD (HK)',
    'Servers.com, Inc.',
    'Spartan Host Ltd',
    'Joe’s Datacenter, LLC',
    'OOO VPS',
    'Colocation America',
    'CNSERVERS LLC',
  ])('"%s" is a hosting provider', (name) => expect(isHostingName(name)).toBe(true));
  test.each([
    'Comcast Cable',
    'Afrihost SP',
    'CloudWiFi',
    'Saint Cloud State University',
    'Cloud Telecom Lda',
    'FIBERHOST S.A.',
    'The Observer',
    'Ascenty Data Centers e Telecomunicacoes',
    'Deutsche Telekom AG',
    'Data Bank',
  ])('"%s" is not a hosting provider', (name) => expect(isHostingName(name)).toBe(false));
  test('is overridden by the list of network numbers', () => {
    expect(kindOf(16509, 'Amazon.com, Inc.')).toBe(1);
    expect(kindOf(41012, 'The Cloud Networks Limited')).toBe(0);
    expect(kindOf(9009, 'M247 Europe SRL')).toBe(3);
    expect(kindOf(216025, 'Mullvad VPN AB')).toBe(2);
    expect(kindOf(7922, 'Comcast Cable Communications, LLC')).toBe(0);
  });
});
