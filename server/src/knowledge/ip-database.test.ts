import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeRandom } from '@portcullis/engine';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { folder, look, lookAt, makeFile, open, REAL_DATABASE, removeFolder } from './knowledge-fixture.ts';
import { makeMmdb } from './mmdb-fixture.ts';

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

describe('the database DB-IP publishes', () => {
  const real = open({ ipDatabase: REAL_DATABASE });

  test('says of any address what the table made from it says', () => {
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
        expect([address, lookAt(real.source, address)]).toEqual([address, lookAt(builtIn, address)]);
      }),
      { numRuns: 5000 },
    );
  });

  test('cut short anywhere, is not used, and neither is the built-in table in its place', () => {
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
            /^IP_DATABASE .*piece\.mmdb cannot be used: .+\. Put a whole file there or unset IP_DATABASE/,
          ),
        ],
      ]);
      expect(lookAt(source, '8.8.8.8')).toEqual({ ...ALL_UNAVAILABLE, asn: 15169, ip_reserved: 0 });
      expect(lookAt(source, '10.0.0.1')).toEqual({ ip_reserved: 1 });
      expect(look(source, { email: 'a@gmail.com' })).toEqual({ email_disposable: 0, email_free: 1 });
      expect(source.describe().ip_database).toBe('unavailable');
    }
  });

  test('with bytes changed never brings the service down, and is never taken for an address without a country', () => {
    const whole = readFileSync(REAL_DATABASE);
    const random = makeRandom(11);
    const damaged = Buffer.from(whole);
    // The records lie in the last kilobytes: spoil them all, and a thousandth of the tree.
    for (let i = 0; i < 8000; i++) damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
    for (let at = damaged.length - 1700; at < damaged.length - 150; at++) damaged[at] = Math.floor(random() * 256);
    const { source, warnings } = open({ ipDatabase: makeFile(damaged, 'damaged.mmdb') });
    expect(warnings).not.toEqual([]);
    expect(lookAt(source, '8.8.8.8').ip_country).toBe('unavailable');
    for (let i = 0; i < 3000; i++)
      lookAt(source, `${1 + Math.floor(random() * 223)}.${Math.floor(random() * 256)}.7.7`);
  });
});

describe('a database of one’s own', () => {
  test('of cities tells place and radius', () => {
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
    expect(lookAt(source, '81.2.69.142')).toMatchObject({
      ip_country: 'GB',
      ip_latitude: 51.5142,
      ip_longitude: -0.0931,
      ip_radius_km: 10,
    });
    expect(lookAt(source, '::ffff:81.2.69.142')).toEqual(lookAt(source, '81.2.69.142'));
    expect(lookAt(source, '2a02:ff00::9')).toMatchObject({ ip_country: 'FR', ip_latitude: 48.85, ip_radius_km: 50 });
    expect(source.describe().ip_database).toBe('GeoIP2-City of 2026-10-01');
  });

  test('may be flat, as DB-IP’s are', () => {
    const { source } = open({
      ipDatabase: makeFile(
        makeMmdb('city', { '8.8.8.0/24': { country_code: 'NZ', latitude: -36.8, longitude: 174.7 } }),
      ),
    });
    expect(lookAt(source, '8.8.8.8')).toMatchObject({ ip_country: 'NZ', ip_latitude: -36.8, ip_longitude: 174.7 });
  });

  test('of countries alone leaves the place to the table of countries', () => {
    const { source } = open({
      ipDatabase: makeFile(makeMmdb('GeoLite2-Country', { '8.8.8.0/24': { country: { iso_code: 'NZ' } } })),
    });
    const { ip_latitude, ip_radius_km, ...others } = lookAt(source, '8.8.8.8');
    expect(others).toMatchObject({ ip_country: 'NZ', asn: 15169, ip_hosting: 1, ip_vpn: 0 });
    expect(ip_latitude).toBeLessThan(-35);
    expect(ip_radius_km).toBeGreaterThan(400);
  });

  test('of anonymous addresses tells what they are, of all others that they are not, and leaves the country to the table', () => {
    const { source } = open({
      ipDatabase: makeFile(
        makeMmdb('GeoIP2-Anonymous-IP', {
          '73.1.1.0/24': { is_anonymous: true, is_anonymous_vpn: true },
          '73.1.2.0/24': { is_tor_exit_node: true, is_hosting_provider: true },
          '73.1.3.0/24': { traits: { is_public_proxy: true } },
        }),
      ),
    });
    expect(lookAt(source, '73.1.1.1')).toMatchObject({
      ip_country: 'US',
      asn: 7922,
      ip_vpn: 1,
      ip_hosting: 0,
      ip_proxy: 0,
      ip_tor: 0,
    });
    expect(lookAt(source, '73.1.2.1')).toMatchObject({ ip_vpn: 0, ip_hosting: 1, ip_proxy: 0, ip_tor: 1 });
    expect(lookAt(source, '73.1.3.1')).toMatchObject({ ip_vpn: 0, ip_hosting: 0, ip_proxy: 1, ip_tor: 0 });
    expect(lookAt(source, '8.8.8.8')).toMatchObject({
      ip_country: 'US',
      ip_vpn: 0,
      ip_hosting: 0,
      ip_proxy: 0,
      ip_tor: 0,
    });
  });

  test('with flags only now and then leaves the rest unknown, or to the lists', () => {
    const ipDatabase = makeFile(makeMmdb('GeoIP2-City', { '73.1.1.0/24': { traits: { is_anonymous_proxy: true } } }));
    const { source } = open({ ipDatabase, torExitList: makeFile('73.1.1.9') });
    expect(lookAt(source, '73.1.1.9')).toMatchObject({ ip_proxy: 1, ip_tor: 1, ip_hosting: 0 });
    expect(lookAt(source, '73.1.2.9').ip_tor).toBe(0);
    expect(lookAt(source, '73.1.2.9')).not.toHaveProperty('ip_proxy');
  });

  test('a list that is broken does not hide what the database says, nor the other way round', () => {
    const ipDatabase = makeFile(makeMmdb('GeoIP2-Anonymous-IP', { '73.1.1.0/24': { is_tor_exit_node: true } }));
    const { source } = open({ ipDatabase, torExitList: '/not/there' });
    expect(lookAt(source, '73.1.1.1').ip_tor).toBe(1);
    expect(lookAt(source, '73.1.2.1').ip_tor).toBe('unavailable');
    const other = open({ ipDatabase: '/not/there', torExitList: makeFile('73.1.1.1') }).source;
    expect(lookAt(other, '73.1.1.1').ip_tor).toBe(1);
    expect(lookAt(other, '73.1.1.2').ip_tor).toBe('unavailable');
  });

  test('of IPv4 alone is not asked for IPv6', () => {
    const ipDatabase = makeFile(makeMmdb('v4', { '32.1.0.0/16': { country_code: 'NZ' } }, 4));
    const { source } = open({ ipDatabase });
    expect(lookAt(source, '32.1.2.3').ip_country).toBe('NZ');
    expect(lookAt(source, '2001:4860::1')).toEqual(lookAt(builtIn, '2001:4860::1'));
  });

  test.each([
    ['a country that is none', { country_code: 'X1' }, ['ip_country', 'ip_latitude']],
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
  ])('with %s tells so once, and those facts are unavailable', (_, record, unavailable) => {
    const { source, warnings } = open({ ipDatabase: makeFile(makeMmdb('own', { '73.1.1.0/24': record })) });
    expect(warnings).toEqual([]);
    for (let i = 0; i < 3; i++) {
      const found = lookAt(source, `73.1.1.${i}`);
      for (const name of unavailable)
        expect([name, found]).toEqual([name, expect.objectContaining({ [name]: 'unavailable' })]);
    }
    expect(warnings).toEqual([expect.stringMatching(/^IP_DATABASE .* has a record that cannot be used: .*told once/)]);
    expect(lookAt(source, '73.1.2.1')).toEqual(lookAt(builtIn, '73.1.2.1'));
  });

  test('with a record that cannot be decoded is told of once, and its facts are unavailable', () => {
    const file = makeMmdb('own', { '73.1.1.0/24': { country_code: 'GB' } });
    file[file.indexOf('country_code') - 2] = 0;
    file[file.indexOf('country_code') - 1] = 0;
    const { source, warnings } = open({ ipDatabase: makeFile(file) });
    expect(warnings).toEqual([]);
    expect(lookAt(source, '73.1.1.1')).toEqual({ ...ALL_UNAVAILABLE, asn: 7922, ip_reserved: 0 });
    expect(lookAt(source, '73.1.1.2')).toMatchObject({ ip_country: 'unavailable' });
    expect(warnings).toHaveLength(1);
  });

  test.each([
    ['that is not there', () => '/not/there.mmdb', 'there is no such file'],
    ['that is a folder', () => folder, 'it is a folder'],
    ['of text', () => makeFile('country,code\n'), 'it is no MMDB file'],
    [
      'without its beginning',
      () => makeFile(readFileSync(REAL_DATABASE).subarray(4096)),
      'its search tree is not whole',
    ],
    ['with nothing behind its mark', () => makeFile(Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')), ''],
  ])('%s is told of with what to do', (_, path, reason) => {
    const { source, warnings } = open({ ipDatabase: path() });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`cannot be used: ${reason}`);
    expect(lookAt(source, '8.8.8.8')).toMatchObject(ALL_UNAVAILABLE);
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
      ...look(builtIn, request),
      ...Object.fromEntries(unavailable.map((fact) => [fact, 'unavailable'])),
    };
    expect(look(source, request)).toEqual(expected);
    expect(look(source, {})).toEqual({});
  });
});
