import { isIp, normalizeIp } from '@portcullis/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isReserved, makeWords, parseAddress } from './address.ts';

const words = makeWords();
const parse = (text: string): string => {
  const family = parseAddress(text, words);
  return family === 0
    ? 'none'
    : `${family}:${[...words.subarray(0, family === 4 ? 1 : 4)].map((word) => word.toString(16))}`;
};

describe('an address', () => {
  test.each([
    ['1.2.3.4', '4:1020304'],
    ['255.255.255.255', '4:ffffffff'],
    ['::', '6:0,0,0,0'],
    ['::1', '6:0,0,0,1'],
    ['1::', '6:10000,0,0,0'],
    ['2001:db8::1:2', '6:20010db8,0,0,10002'],
    ['2001:DB8:0:0:0:0:1:2', '6:20010db8,0,0,10002'],
    ['1:2:3:4:5:6:7::', '6:10002,30004,50006,70000'],
    ['::2:3:4:5:6:7:8', '6:2,30004,50006,70008'],
    ['64:ff9b::1.2.3.4', '6:64ff9b,0,0,1020304'],
    ['::ffff:1.2.3.4', '4:1020304'],
    ['::FFFF:102:304', '4:1020304'],
    ['0:0:0:0:0:ffff:102:304', '4:1020304'],
  ])('parses %s', (text, expected) => expect(parse(text)).toBe(expected));

  test.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.4 ',
    '1..3.4',
    ':',
    ':::',
    '1:::2',
    '::1::',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7',
    '12345::',
    'g::',
    '1:',
    ':1',
    '::1%eth0',
    '::1.2.3',
    '::01.2.3.4',
    '1.2.3.4::',
    '1:2:3:4:5:6:7:1.2.3.4',
    '1:2:3:4:5:6:7:8::',
    `${'0'.repeat(50)}::`,
  ])('refuses "%s"', (text) => expect(parse(text)).toBe('none'));

  const ip = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.stringMatching(/^[0-9a-f:.]{1,20}$/),
    fc.stringMatching(/^[1f:]{2,16}$/),
  );
  test('is accepted exactly if the contract accepts it, in every spelling', () => {
    fc.assert(
      fc.property(ip, (text) => {
        expect([text, parse(text) !== 'none']).toEqual([text, isIp(text)]);
        if (isIp(text)) expect(parse(text)).toBe(parse(normalizeIp(text)));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('an address that cannot be on the public internet', () => {
  test.each([
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '127.0.0.1',
    '169.254.1.1',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.0.0',
    '192.168.255.255',
    '198.18.0.0',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.7',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::1.2.3.4',
    '64:ff9b:1::1',
    '100::1',
    '2001:2::1',
    '2001:10::1',
    '2001:2f::1',
    '2001:db8::1',
    '2001:db8:ffff::1',
    '3fff::1',
    '3fff:fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '::ffff:10.0.0.1',
  ])('%s is reserved', (text) => expect(isReserved(parseAddress(text, words), words)).toBe(true));

  test.each([
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '203.0.114.0',
    '223.255.255.255',
    '2000::1',
    '2001:db7::1',
    '2001:db9::1',
    '2001:30::1',
    '2a00::1',
    '3ffe::1',
    '3fff:1000::1',
    '64:ff9b::8.8.8.8',
    '::ffff:8.8.8.8',
  ])('%s is not reserved', (text) => expect(isReserved(parseAddress(text, words), words)).toBe(false));
});
