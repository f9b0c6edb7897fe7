import { KNOWLEDGE, makeKnowledge, UNAVAILABLE } from '@portcullis/engine';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { lookUp, lookUpIp, makeFile, open, removeFolder } from '../../test/fixtures/knowledge.ts';

afterAll(removeFolder);

const { source, warnings } = open();

describe('with the built-in tables', () => {
  test('every source is usable and has a date', () => {
    expect(warnings).toEqual([]);
    expect(source.describe()).toEqual({
      countries: expect.stringMatching(/^DB-IP Lite of 20\d\d-\d\d-\d\d$/),
      networks: expect.stringMatching(/of 20\d\d-\d\d-\d\d$/),
      email_domains: expect.stringMatching(/of 20\d\d-\d\d-\d\d$/),
      tor_exits: 'not set',
      proxies: 'not set',
    });
  });

  test.each([
    ['8.8.8.8', 'US', 15169, 1, 0],
    ['1.1.1.1', 'AU', 13335, 1, 0],
    ['3.5.140.1', 'KR', 16509, 1, 0],
    ['13.64.0.1', 'US', 8075, 1, 0],
    ['34.64.0.1', undefined, 396982, 1, 0],
    ['159.65.1.1', 'SG', 14061, 1, 0],
    ['51.38.1.1', 'FR', 16276, 1, 0],
    ['88.198.1.1', 'DE', 24940, 1, 0],
    ['45.32.1.1', undefined, 20473, 1, 0],
    ['95.211.1.1', 'NL', 60781, 1, 0],
    ['51.15.1.1', undefined, 12876, 1, 0],
    ['89.187.160.1', undefined, 60068, 1, 1],
    ['185.159.157.1', 'CH', 209103, 0, 1],
    ['193.138.218.1', 'SE', 39351, 0, 1],
    ['2001:4860:4860::8888', undefined, 15169, 1, 0],
    ['2606:4700:4700::1111', undefined, 13335, 1, 0],
    ['2a01:4f8::1', 'DE', 24940, 1, 0],
    // Access providers, not hosting.
    ['73.1.1.1', 'US', 7922, 0, 0],
    ['71.0.0.1', 'US', 209, 0, 0],
    ['79.192.1.1', 'DE', 3320, 0, 0],
    ['90.0.0.1', 'FR', 3215, 0, 0],
    ['82.64.0.1', 'FR', 12322, 0, 0],
    ['86.1.1.1', 'GB', 5089, 0, 0],
    ['81.2.69.142', 'GB', 20712, 0, 0],
    ['151.24.0.1', 'IT', 1267, 0, 0],
    ['126.0.0.1', 'JP', 17676, 0, 0],
    ['49.36.0.1', 'IN', 55836, 0, 0],
    ['177.32.0.1', 'BR', 28573, 0, 0],
    ['197.210.0.1', 'NG', 29465, 0, 0],
    ['240e::1', 'CN', 4134, 0, 0],
  ])('%s is in %s, of network %d (hosting %d, VPN %d)', (ip, country, asn, hosting, vpn) => {
    const found = lookUpIp(source, ip);
    expect(found).toMatchObject({ asn, ip_hosting: hosting, ip_vpn: vpn, ip_reserved: 0 });
    if (country !== undefined) expect(found.ip_country).toBe(country);
    expect(found).not.toHaveProperty('ip_proxy');
    expect(found).not.toHaveProperty('ip_tor');
  });

  test('the place of a country is the centre and radius of its population', () => {
    const { ip_latitude, ip_longitude, ip_radius_km } = lookUpIp(source, '88.198.1.1');
    expect(ip_latitude).toBeCloseTo(51, 0);
    expect(ip_longitude).toBeCloseTo(10, 0);
    expect(ip_radius_km).toBeGreaterThan(350);
    expect(ip_radius_km).toBeLessThan(600);
  });

  test.each(['::ffff:88.198.1.1', '::FFFF:58c6:101', '0:0:0:0:0:ffff:58c6:0101'])(
    '%s has the facts of its IPv4 address',
    (mapped) => expect(lookUpIp(source, mapped)).toEqual(lookUpIp(source, '88.198.1.1')),
  );

  test.each(['10.1.2.3', '127.0.0.1', '192.168.1.1', '203.0.113.5', 'fe80::1', '2001:db8::1', '::ffff:10.0.0.1'])(
    '%s is reserved and has no other fact',
    (ip) => expect(lookUpIp(source, ip)).toEqual({ ip_reserved: 1 }),
  );

  test('a request without address and e-mail has no facts', () => {
    expect(lookUp(source, {})).toEqual({});
  });
});

describe('an e-mail', () => {
  test.each([
    ['a@mailinator.com', 1, 0],
    ['a@MAILINATOR.com', 1, 0],
    ['a@mailinator.com.', 1, 0],
    ['a@some.where.mailinator.com', 1, 0],
    ['"odd@local"@yopmail.com', 1, 0],
    ['a@guerrillamail.com', 1, 0],
    ['a@surely-mailinator.com', 0, 0],
    ['a@mailinator.com.example.org', 0, 0],
    ['a@gmail.com', 0, 1],
    ['a@Outlook.com', 0, 1],
    ['a@gmx.de', 0, 1],
    ['a@tutanota.com', 0, 1],
    ['a@mail.ru', 0, 1],
    ['a@corp.gmail.com', 0, 0],
    ['a@bundestag.de', 0, 0],
    ['a@microsoft.com', 0, 0],
    ['a@bücher.example', 0, 0],
  ])('%s: disposable %d, free %d', (email, email_disposable, email_free) => {
    expect(lookUp(source, { email })).toEqual({ email_disposable, email_free });
  });

  test.each(['', 'name', 'a@', '@'])('"%s" has no domain and no facts', (email) => {
    expect(lookUp(source, { email })).toEqual({});
  });
});

describe('lists of addresses', () => {
  const torExitList = makeFile('# exits\n\n185.220.101.1\r\n2a0b:f4c2::1 # one more\n  45.66.35.11  \n');
  const proxyList = makeFile('198.200.0.0/16\n2600:1234::/32\n198.200.5.0/24\n8.8.4.4\n1.2.3.77/24\n');
  const listed = open({ torExitList, proxyList });

  test('identify Tor exits and proxies', () => {
    expect(listed.warnings).toEqual([]);
    const flags = (ip: string) => [lookUpIp(listed.source, ip).ip_tor, lookUpIp(listed.source, ip).ip_proxy];
    expect(flags('185.220.101.1')).toEqual([1, 0]);
    expect(flags('::ffff:185.220.101.1')).toEqual([1, 0]);
    expect(flags('185.220.101.2')).toEqual([0, 0]);
    expect(flags('185.220.101.0')).toEqual([0, 0]);
    expect(flags('2a0b:f4c2:0:0::1')).toEqual([1, 0]);
    expect(flags('2a0b:f4c2::2')).toEqual([0, 0]);
    expect(flags('45.66.35.11')).toEqual([1, 0]);
    for (const ip of [
      '198.200.0.0',
      '198.200.255.255',
      '198.200.5.9',
      '2600:1234:ffff::1',
      '8.8.4.4',
      '1.2.3.0',
      '1.2.3.255',
    ])
      expect([ip, ...flags(ip)]).toEqual([ip, 0, 1]);
    for (const ip of ['198.199.255.255', '198.201.0.0', '2600:1235::1', '8.8.4.3', '8.8.4.5', '1.2.2.255', '1.2.4.0'])
      expect([ip, ...flags(ip)]).toEqual([ip, 0, 0]);
    expect(listed.source.describe()).toMatchObject({ tor_exits: '3 entries', proxies: '5 entries' });
  });

  test('give the same result as a scan of all lines', () => {
    const cidr = fc.tuple(fc.nat(3), fc.nat(255), fc.integer({ min: 20, max: 32 }));
    fc.assert(
      fc.property(
        fc.array(cidr, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(fc.nat(3), fc.nat(255))),
        (lines, addresses) => {
          const text = lines.map(([third, fourth, prefix]) => `8.8.${third}.${fourth}/${prefix}`).join('\n');
          const { source: made } = open({ proxyList: makeFile(text, 'property') });
          for (const [third, fourth] of addresses) {
            const isInside = lines.some(
              ([a, b, prefix]) => (a * 256 + b) >> (32 - prefix) === (third * 256 + fourth) >> (32 - prefix),
            );
            expect(lookUpIp(made, `8.8.${third}.${fourth}`).ip_proxy).toBe(isInside ? 1 : 0);
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  test('skip a few wrong lines with a warning', () => {
    const { source: used, warnings: logged } = open({
      torExitList: makeFile('185.220.101.1\nnonsense\n1.2.3.4/33\n9.9.9.9\n8.8.8.8'),
    });
    expect(logged).toEqual([expect.stringMatching(/^TOR_EXIT_LIST .*: skipped 2 lines .* line 2/)]);
    expect(lookUpIp(used, '9.9.9.9').ip_tor).toBe(1);
  });

  test.each([
    ['an empty file', ''],
    ['a file of comments', '# nothing\n\n'],
    ['a page of HTML', '<html>\n<body>busy, try later</body>\n</html>\n'],
    ['bytes', new Uint8Array(4096).map((_, index) => index * 7)],
  ])('%s is not a list: its facts are unavailable, not "no"', (_, content) => {
    const { source: broken, warnings: logged } = open({ torExitList: makeFile(content), proxyList: '/not/there' });
    expect(logged).toEqual([
      expect.stringMatching(/^TOR_EXIT_LIST .* cannot be used: .*unset TOR_EXIT_LIST/),
      expect.stringMatching(/^PROXY_LIST \/not\/there cannot be used: the file does not exist/),
    ]);
    expect(lookUpIp(broken, '8.8.8.8')).toMatchObject({ ip_tor: 'unavailable', ip_proxy: 'unavailable', asn: 15169 });
    expect(lookUp(broken, { email: 'a@gmail.com' })).toEqual({ email_disposable: 0, email_free: 1 });
  });
});

test('a lookup never throws and fills in every fact, whatever the strings', () => {
  const knowledge = makeKnowledge();
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.ipV4(),
    fc.ipV6(),
    fc.emailAddress(),
    fc.stringMatching(/^[0-9a-f:.@]{0,40}$/),
  );
  fc.assert(
    fc.property(text, text, (ip_address, email) => {
      knowledge.fill(UNAVAILABLE);
      source.lookUp({ ip_address, email }, knowledge);
      expect(knowledge).toHaveLength(KNOWLEDGE.length);
      expect([...knowledge].includes(UNAVAILABLE)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});
