import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isIp, networkOf, normalizeIp, normalizeNetwork } from './ip.ts';

describe('normalisation gives each address one spelling', () => {
  test.each([
    ['0.0.0.0', '0.0.0.0'],
    ['198.51.100.24', '198.51.100.24'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:db8::7', '2001:db8::7'],
    ['2001:DB8::7', '2001:db8::7'],
    ['2001:0db8:0000:0000:0000:0000:0000:0007', '2001:db8::7'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['::ffff:203.0.113.2', '203.0.113.2'],
    ['::FFFF:203.0.113.2', '203.0.113.2'],
    ['::ffff:cb00:7102', '203.0.113.2'],
    ['0:0:0:0:0:ffff:203.0.113.2', '203.0.113.2'],
    ['0000:0000:0000:0000:0000:ffff:cb00:7102', '203.0.113.2'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['::192.0.2.1', '::c000:201'],
    ['::c000:201', '::c000:201'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4:5:6:c000:201'],
  ])('%s is %s', (address, normal) => {
    expect(isIp(address)).toBe(true);
    expect(normalizeIp(address)).toBe(normal);
  });
});

describe('any other text is refused', () => {
  test.each([
    ['nothing', ''],
    ['a name', 'localhost'],
    ['three parts', '192.0.2'],
    ['five parts', '192.0.2.1.1'],
    ['a part over 255', '192.0.2.256'],
    ['octal', '0300.0.2.1'],
    ['a leading zero', '192.0.2.01'],
    ['hexadecimal', '0xc0.0.2.1'],
    ['one number', '3221225985'],
    ['one hexadecimal number', '0xc0000201'],
    ['a sign', '192.0.2.-1'],
    ['a space', ' 192.0.2.1'],
    ['a line end', '192.0.2.1\n'],
    ['a port', '192.0.2.1:80'],
    ['a network', '192.0.2.0/24'],
    ['digits of another script', '１92.0.2.1'],
    ['a zone', 'fe80::1%eth0'],
    ['brackets', '[::1]'],
    ['a network of version 6', '2001:db8::/48'],
    ['two gaps', '1::2::3'],
    ['nine groups', '1:2:3:4:5:6:7:8:9'],
    ['seven groups', '1:2:3:4:5:6:7'],
    ['five digits', '12345::'],
    ['a letter past f', '2001:dbg::1'],
    ['a lone colon at the end', '1:2:3:4:5:6:7:'],
    ['a lone colon in front', ':1:2:3:4:5:6:7'],
    ['octal inside version 6', '::ffff:0300.0.2.1'],
    ['a leading zero inside version 6', '::ffff:192.0.2.01'],
    ['hexadecimal parts inside version 6', '::ffff:0xc0.0.2.1'],
    ['a part over 255 inside version 6', '::ffff:192.0.2.256'],
    ['three parts inside version 6', '::ffff:192.0.2'],
    ['dots in the middle of version 6', '::192.0.2.1:1'],
    ['version 4 after seven groups', '1:2:3:4:5:6:7:192.0.2.1'],
  ])('%s: %j', (_, address) => {
    expect(isIp(address)).toBe(false);
  });

  test('the check throws for no text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.stringMatching(/^[0-9a-fx.:%]{0,45}$/)), (text) => {
        if (!isIp(text)) return;
        expect(isIp(normalizeIp(text))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

const expand = (address: string): number[] => {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  if (dotted !== null) {
    const [, head, a, b, c, d] = dotted;
    const hex = (high: unknown, low: unknown) => (Number(high) * 256 + Number(low)).toString(16);
    return expand(`${head}${hex(a, b)}:${hex(c, d)}`);
  }
  const [head = '', tail] = address.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return groups(head);
  const gap = 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...new Array<number>(gap).fill(0), ...groups(tail)];
};
const isMapped = (groups: readonly number[]): boolean =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;

describe('for any address', () => {
  test('IPv4 is accepted unchanged, its IPv6 forms are the same address, and its network is a /24', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const parts = address.split('.').map(Number);
        const [a = 0, b = 0, c = 0, d = 0] = parts;
        const hex = `::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
        expect([address, `::ffff:${address}`, hex].every(isIp)).toBe(true);
        expect([address, `::ffff:${address}`, hex].map(normalizeIp)).toEqual([address, address, address]);
        expect(networkOf(address)).toBe(`${a}.${b}.${c}.0/24`);
      }),
    );
  });

  test('IPv6 is accepted, and its normal form is the same address and stable', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(isIp(address)).toBe(true);
        const normal = normalizeIp(address);
        expect(normalizeIp(normal)).toBe(normal);
        expect(normalizeIp(address.toUpperCase())).toBe(normal);
        const groups = expand(address);
        expect(groups).toHaveLength(8);
        if (!isMapped(groups)) expect(expand(normal)).toEqual(groups);
        expect(normalizeIp(groups.map((group) => group.toString(16).padStart(4, '0')).join(':'))).toBe(normal);
      }),
      { numRuns: 500 },
    );
  });

  test('IPv6 addresses share a network if and only if their first 48 bits are equal', () => {
    const groups = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, groups, (one, other) => {
        const network = (of: number[]) => networkOf(normalizeIp(of.join(':')));
        expect(network(one) === network(other)).toBe(one.slice(0, 3).join() === other.slice(0, 3).join());
        expect(network(one)).toMatch(/^[0-9a-f:]+::\/48$/);
      }),
    );
  });

  test.each([
    ['198.51.100.24', '198.51.100.0/24'],
    ['0.0.0.0', '0.0.0.0/24'],
    ['2001:db8:1:2::7', '2001:db8:1::/48'],
    ['2001:db8::7', '2001:db8:0::/48'],
    ['fd9a:abcd:ef01:2::7', 'fd9a:abcd:ef01::/48'],
    ['::1', '0:0:0::/48'],
  ])('%s is in %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('a network has one spelling', () => {
  test.each([
    ['198.51.100.24', '198.51.100.24/32'],
    ['198.51.100.24/24', '198.51.100.0/24'],
    ['198.51.100.0/24', '198.51.100.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::7', '2001:db8::7/128'],
    ['2001:db8:0:1::/48', '2001:db8::/48'],
    ['::/0', '::/0'],
    ['::ffff:198.51.100.24', '198.51.100.24/32'],
    ['::ffff:198.51.100.24/120', '198.51.100.0/24'],
  ])('%s is %s', (network, normal) => expect(normalizeNetwork(network)).toBe(normal));

  test.each(['', '/24', '198.51.100.0/', '198.51.100.0/33', '198.51.100.0/-1', '198.51.100/24', '198.51.100.0/24/24'])(
    '%j is refused',
    (text) => expect(normalizeNetwork(text)).toBeUndefined(),
  );
  test.each(['2001:db8::/129', '::ffff:198.51.100.24/24', 'fe80::1%eth0/64', '198.51.100.0/2 4', '198.51.100.0/1e1'])(
    '%j is refused',
    (text) => expect(normalizeNetwork(text)).toBeUndefined(),
  );
});
