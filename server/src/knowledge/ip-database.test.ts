import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeRandom } from '@portcullis/engine';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import {
  folder,
  lookUp,
  lookUpIp,
  makeFile,
  open,
  REAL_DATABASE,
  removeFolder,
} from '../../test/fixtures/knowledge.ts';
import { makeMmdb } from '../../test/fixtures/mmdb.ts';

afterAll(removeFolder);

const builtIn = open().source;
const FROM_DATABASE = [
  'ip_country',
  'ip_latitude',
  'ip_longitude',
  'ip_radius_km',
  'ip_hosting',
  'ip_vpn',
  'ip_proxy',
  'ip_tor',
] as const;
const ALL_UNAVAILABLE = Object.fromEntries(FROM_DATABASE.map((name) => [name, 'unavailable']));

describe('the database of DB-IP', () => {
  const real = open({ ipDatabase: REAL_DATABASE });

  test('returns the same facts as the built-in table made from it', () => {
    expect(real.warnings).toEqual([]);
    expect(real.source.describe()).not.toHaveProperty('countries');
    const v6 = fc.tuple(
      fc.constantFrom('2001', '2600', '2a00', '2a02', '2c0f', '2804'),
      fc.nat(0xffff),
      fc.nat(0xffff),
    );
    const ip = fc.oneof(
      fc.ipV4(),
      v6.map(([first, second, third]) => `${first}:${second.toString(16)}:${third.toString(16)}::1`),
    );
    fc.assert(
      fc.property(ip, (address) => {
        expect([address, lookUpIp(real.source, address)]).toEqual([address, lookUpIp(builtIn, address)]);
      }),
      { numRuns: 5000 },
    );
  });

  test('is not used if truncated, and the built-in table does not replace it', () => {
    const whole = readFileSync(REAL_DATABASE);
    const pieces = [0, 1, 100, 4096, whole.length >> 1, whole.length - 100, whole.length - 1].map((size) =>
      whole.subarray(0, size),
    );
    for (const piece of [...pieces, whole.subarray(whole.length >> 1)]) {
      const { source, warnings } = open({ ipDatabase: makeFile(piece, 'piece.mmdb') });
      expect([piece.length, warnings]).toEqual([
        piece.length,
        [
          expect.stringMatching(
            /^IP_DATABASE .*piece\.mmdb cannot be used: .+\. Provide a valid file or unset IP_DATABASE/,
          ),
        ],
      ]);
      expect(lookUpIp(source, '8.8.8.8')).toEqual({ ...ALL_UNAVAILABLE, asn: 15169, ip_reserved: 0 });
      expect(lookUpIp(source, '10.0.0.1')).toEqual({ ip_reserved: 1 });
      expect(lookUp(source, { email: 'a@gmail.com' })).toEqual({ email_disposable: 0, email_free: 1 });
      expect(source.describe().ip_database).toBe('unavailable');
    }
  });

  test('never crashes the service if damaged, and its addresses do not count as without country', () => {
    const whole = readFileSync(REAL_DATABASE);
    const random = makeRandom(11);
    const damaged = Buffer.from(whole);
    // The records are in the last kilobytes: damage all of them, and a thousandth of the tree.
    for (let i = 0; i < 8000; i++) damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
    for (let at = damaged.length - 1700; at < damaged.length - 150; at++) damaged[at] = Math.floor(random() * 256);
    const { source, warnings } = open({ ipDatabase: makeFile(damaged, 'damaged.mmdb') });
    expect(warnings).not.toEqual([]);
    expect(lookUpIp(source, '8.8.8.8').ip_country).toBe('unavailable');
    for (let i = 0; i < 3000; i++)
      lookUpIp(source, `${1 + Math.floor(random() * 223)}.${Math.floor(random() * 256)}.7.7`);
  });
});

describe('IP_DATABASE', () => {
  test('with cities provides place and radius', () => {
    const { source } = open({
      ipDatabase: makeFile(
        makeMmdb('GeoIP2-City', {
          '81.2.69.0/24': {
            country: { iso_code: 'GB' },
            location: { latitude: 51.5142, longitude: -0.0931, accuracy_radius: 10 },
          },
          '2a02:ff00::/32': { country: { iso_code: 'FR' }, location: { latitude: 48.85, longitude: 2.35 } },
        }),
      ),
    });
    expect(lookUpIp(source, '81.2.69.142')).toMatchObject({
      ip_country: 'GB',
      ip_latitude: 51.5142,
      ip_longitude: -0.0931,
      ip_radius_km: 10,
    });
    expect(lookUpIp(source, '::ffff:81.2.69.142')).toEqual(lookUpIp(source, '81.2.69.142'));
    expect(lookUpIp(source, '2a02:ff00::9')).toMatchObject({ ip_country: 'FR', ip_latitude: 48.85, ip_radius_km: 50 });
    expect(source.describe().ip_database).toBe('GeoIP2-City of 2026-10-01');
  });

  test('may have flat records, as those of DB-IP', () => {
    const { source } = open({
      ipDatabase: makeFile(
        makeMmdb('city', { '8.8.8.0/24': { country_code: 'NZ', latitude: -36.8, longitude: 174.7 } }),
      ),
    });
    expect(lookUpIp(source, '8.8.8.8')).toMatchObject({ ip_country: 'NZ', ip_latitude: -36.8, ip_longitude: 174.7 });
  });

  test('with countries only takes the place from the built-in table', () => {
    const { source } = open({
      ipDatabase: makeFile(makeMmdb('GeoLite2-Country', { '8.8.8.0/24': { country: { iso_code: 'NZ' } } })),
    });
    const { ip_latitude, ip_radius_km, ...others } = lookUpIp(source, '8.8.8.8');
    expect(others).toMatchObject({ ip_country: 'NZ', asn: 15169, ip_hosting: 1, ip_vpn: 0 });
    expect(ip_latitude).toBeLessThan(-35);
    expect(ip_radius_km).toBeGreaterThan(400);
  });

  test('of anonymous addresses sets every flag to yes or no, and takes the country from the built-in table', () => {
    const { source } = open({
      ipDatabase: makeFile(
        makeMmdb('GeoIP2-Anonymous-IP', {
          '73.1.1.0/24': { is_anonymous: true, is_anonymous_vpn: true },
          '73.1.2.0/24': { is_tor_exit_node: true, is_hosting_provider: true },
          '73.1.3.0/24': { traits: { is_public_proxy: true } },
        }),
      ),
    });
    expect(lookUpIp(source, '73.1.1.1')).toMatchObject({
      ip_country: 'US',
      asn: 7922,
      ip_vpn: 1,
      ip_hosting: 0,
      ip_proxy: 0,
      ip_tor: 0,
    });
    expect(lookUpIp(source, '73.1.2.1')).toMatchObject({ ip_vpn: 0, ip_hosting: 1, ip_proxy: 0, ip_tor: 1 });
    expect(lookUpIp(source, '73.1.3.1')).toMatchObject({ ip_vpn: 0, ip_hosting: 0, ip_proxy: 1, ip_tor: 0 });
    expect(lookUpIp(source, '8.8.8.8')).toMatchObject({
      ip_country: 'US',
      ip_vpn: 0,
      ip_hosting: 0,
      ip_proxy: 0,
      ip_tor: 0,
    });
  });

  test('with few flags leaves missing ones unknown, or to the lists', () => {
    const ipDatabase = makeFile(makeMmdb('GeoIP2-City', { '73.1.1.0/24': { traits: { is_anonymous_proxy: true } } }));
    const { source } = open({ ipDatabase, torExitList: makeFile('73.1.1.9') });
    expect(lookUpIp(source, '73.1.1.9')).toMatchObject({ ip_proxy: 1, ip_tor: 1, ip_hosting: 0 });
    expect(lookUpIp(source, '73.1.2.9').ip_tor).toBe(0);
    expect(lookUpIp(source, '73.1.2.9')).not.toHaveProperty('ip_proxy');
  });

  test('and a list: if one cannot be used, the facts of the other count', () => {
    const ipDatabase = makeFile(makeMmdb('GeoIP2-Anonymous-IP', { '73.1.1.0/24': { is_tor_exit_node: true } }));
    const { source } = open({ ipDatabase, torExitList: '/not/there' });
    expect(lookUpIp(source, '73.1.1.1').ip_tor).toBe(1);
    expect(lookUpIp(source, '73.1.2.1').ip_tor).toBe('unavailable');
    const other = open({ ipDatabase: '/not/there', torExitList: makeFile('73.1.1.1') }).source;
    expect(lookUpIp(other, '73.1.1.1').ip_tor).toBe(1);
    expect(lookUpIp(other, '73.1.1.2').ip_tor).toBe('unavailable');
  });

  test('of IPv4 only has no facts for IPv6', () => {
    const ipDatabase = makeFile(makeMmdb('v4', { '32.1.0.0/16': { country_code: 'NZ' } }, 4));
    const { source } = open({ ipDatabase });
    expect(lookUpIp(source, '32.1.2.3').ip_country).toBe('NZ');
    expect(lookUpIp(source, '2001:4860::1')).toEqual(lookUpIp(builtIn, '2001:4860::1'));
  });

  test.each([
    ['an invalid country', { country_code: 'X1' }, ['ip_country', 'ip_latitude']],
    ['a country that is a number', { country: { iso_code: 7 } }, ['ip_country', 'ip_radius_km']],
    [
      'a latitude beyond the pole',
      { country_code: 'GB', latitude: 91.5, longitude: 1.5 },
      ['ip_latitude', 'ip_longitude'],
    ],
    [
      'a radius of text',
      { country_code: 'GB', location: { latitude: 1.5, longitude: 1.5, accuracy_radius: 'x' } },
      ['ip_radius_km'],
    ],
    ['a flag that is a word', { is_anonymous_vpn: 'yes' }, ['ip_vpn']],
  ])('with %s warns once and makes those facts unavailable', (_, record, unavailable) => {
    const { source, warnings } = open({ ipDatabase: makeFile(makeMmdb('own', { '73.1.1.0/24': record })) });
    expect(warnings).toEqual([]);
    for (let i = 0; i < 3; i++) {
      const found = lookUpIp(source, `73.1.1.${i}`);
      for (const name of unavailable)
        expect([name, found]).toEqual([name, expect.objectContaining({ [name]: 'unavailable' })]);
    }
    expect(warnings).toEqual([
      expect.stringMatching(/^IP_DATABASE .* has a record that cannot be used: .*logged once/),
    ]);
    expect(lookUpIp(source, '73.1.2.1')).toEqual(lookUpIp(builtIn, '73.1.2.1'));
  });

  test('with a record that cannot be decoded warns once and makes its facts unavailable', () => {
    const file = makeMmdb('own', { '73.1.1.0/24': { country_code: 'GB' } });
    file[file.indexOf('country_code') - 2] = 0;
    file[file.indexOf('country_code') - 1] = 0;
    const { source, warnings } = open({ ipDatabase: makeFile(file) });
    expect(warnings).toEqual([]);
    expect(lookUpIp(source, '73.1.1.1')).toEqual({ ...ALL_UNAVAILABLE, asn: 7922, ip_reserved: 0 });
    expect(lookUpIp(source, '73.1.1.2')).toMatchObject({ ip_country: 'unavailable' });
    expect(warnings).toHaveLength(1);
  });

  test.each([
    ['that does not exist', () => '/not/there.mmdb', 'the file does not exist'],
    ['that is a folder', () => folder, 'it is a folder'],
    ['of text', () => makeFile('country,code\n'), 'it is not a complete MMDB file'],
    [
      'without its beginning',
      () => makeFile(readFileSync(REAL_DATABASE).subarray(4096)),
      'its search tree is incomplete',
    ],
    ['with nothing behind its mark', () => makeFile(Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')), ''],
  ])('%s warns with the reason', (_, path, reason) => {
    const { source, warnings } = open({ ipDatabase: path() });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`cannot be used: ${reason}`);
    expect(lookUpIp(source, '8.8.8.8')).toMatchObject(ALL_UNAVAILABLE);
  });
});

describe('a built-in table that is damaged', () => {
  const tables = new URL('./tables/', import.meta.url);
  const damage = (name: string, change: (file: Buffer) => Buffer) => {
    const copy = join(folder, `tables-${name}`);
    mkdirSync(copy, { recursive: true });
    for (const file of readdirSync(tables)) copyFileSync(new URL(file, tables), join(copy, file));
    makeFile(change(readFileSync(new URL(name, tables))), join(`tables-${name}`, name));
    return open({}, pathToFileURL(`${copy}/`));
  };
  const flip = (file: Buffer): Buffer => {
    const at = file.length >> 1;
    file[at] = (file[at] as number) ^ 1;
    return file;
  };

  test.each([
    [
      'one bit of countries.table',
      'countries.table',
      flip,
      ['ip_country', 'ip_latitude', 'ip_longitude', 'ip_radius_km'],
    ],
    ['one bit of networks.table', 'networks.table', flip, ['asn', 'ip_hosting', 'ip_vpn']],
    ['one bit of emails.table', 'emails.table', flip, ['email_disposable', 'email_free']],
    [
      'the end of networks.table',
      'networks.table',
      (file: Buffer) => file.subarray(0, -8),
      ['asn', 'ip_hosting', 'ip_vpn'],
    ],
    ['all of emails.table', 'emails.table', () => Buffer.alloc(0), ['email_disposable', 'email_free']],
  ])('in %s makes its facts unavailable and no others', (_, name, change, unavailable) => {
    const { source, warnings } = damage(name, change);
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^The built-in table ${name} cannot be used: `))]);
    const request = { ip_address: '8.8.8.8', email: 'a@gmail.com' };
    const expected = {
      ...lookUp(builtIn, request),
      ...Object.fromEntries(unavailable.map((fact) => [fact, 'unavailable'])),
    };
    expect(lookUp(source, request)).toEqual(expected);
    expect(lookUp(source, {})).toEqual({});
  });
});
