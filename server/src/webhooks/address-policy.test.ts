import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { LOOPBACK_HOSTS, NOT_PUBLIC_ADDRESSES, NOT_PUBLIC_HOSTS } from '../../test/fixtures/forbidden-hosts.ts';
import { type AddressRules, localAddresses, refuseAddress, refuseUrl } from './address-policy.ts';
import { SPECIAL_NETWORKS } from './special-networks.ts';

const PUBLIC_ONLY: AddressRules = { allowLoopback: false, allowedNetworks: [] };
const LOCAL: AddressRules = { allowLoopback: true, allowedNetworks: [] };
const allow = (...allowedNetworks: string[]): AddressRules => ({ allowLoopback: false, allowedNetworks });

describe('refuseAddress', () => {
  test.each(NOT_PUBLIC_ADDRESSES)('refuses %j and does not throw', (address) => {
    expect(refuseAddress(address, PUBLIC_ONLY)).toMatch(/^must be /);
  });

  test.each([
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '172.32.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '3ffe::1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('accepts the public %s', (address) => {
    expect(refuseAddress(address, PUBLIC_ONLY)).toBeUndefined();
  });

  test('allowLoopback allows loopback alone', () => {
    expect(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'].map((text) => refuseAddress(text, LOCAL))).toEqual(
      new Array(4).fill(undefined),
    );
    for (const address of ['0.0.0.0', '::', '10.0.0.1', '169.254.169.254', 'fe80::1']) {
      expect(refuseAddress(address, LOCAL)).toContain('WEBHOOK_ALLOWED_NETWORKS');
    }
  });

  test('an allowed network ends at its prefix', () => {
    expect(refuseAddress('10.1.255.255', allow('10.1.0.0/16'))).toBeUndefined();
    expect(refuseAddress('::ffff:10.1.0.1', allow('10.1.0.0/16'))).toBeUndefined();
    expect(refuseAddress('10.2.0.0', allow('10.1.0.0/16'))).toContain('10.2.0.0 is private');
    expect(refuseAddress('fd13::1', allow('fd12::/16'))).toContain('fd13::1 is unique local');
  });
});

/** The special-purpose and multicast registries of IANA, networks that another one contains included. */
const IANA_NETWORKS = [
  '0.0.0.0/8',
  '0.0.0.0/32',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.0.0/29',
  '192.0.0.8/32',
  '192.0.0.9/32',
  '192.0.0.10/32',
  '192.0.0.170/32',
  '192.0.0.171/32',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '::1/128',
  '::/128',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];
/** Addresses of metadata services and other services that a provider offers to the machines of its customers. */
const PROVIDER_ADDRESSES = [
  '169.254.169.254', // AWS, Azure, Google, Oracle, IBM, DigitalOcean, Hetzner, OpenStack
  '169.254.170.2', // AWS containers
  '169.254.170.23', // AWS EKS
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS EKS
  '168.63.129.16', // Azure wire server
  'fd20:ce::254', // Google
  '192.0.0.192', // Oracle
  'fd00:c1::a9fe:a9fe', // Oracle
  '100.100.100.200', // Alibaba
  '169.254.0.23', // Tencent
  '169.254.42.42', // Scaleway
  'fd00:42::42', // Scaleway
  'fe80::a9fe:a9fe', // OpenStack
  '161.26.0.10', // IBM name server
  '166.9.0.1', // IBM private service endpoints
];
const edgesOf = (cidr: string): string[] => {
  const library = cidr.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  return [library.networkAddressFromCIDR(cidr), library.broadcastAddressFromCIDR(cidr)].map(String);
};
const hexOf = (v4: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};
/** Notations of IPv6 that reach an IPv4 address. */
const wrapped = (v4: string): string[] => [
  `::ffff:${v4}`,
  `64:ff9b::${v4}`,
  `64:ff9b:1::${v4}`,
  `::ffff:0:${v4}`,
  `2002:${hexOf(v4)}::1`,
  `2001:0:${hexOf(v4)}::1`,
  `2606:4700::5efe:${v4}`,
  `2606:4700::200:5efe:${v4}`,
  `fe80::5efe:${v4}`,
];

describe('the table of special networks', () => {
  const all = [
    ...SPECIAL_NETWORKS.flatMap(({ cidr }) => edgesOf(cidr)),
    ...IANA_NETWORKS.flatMap(edgesOf),
    ...PROVIDER_ADDRESSES,
  ];
  test.each([...new Set(all)])('refuses %s, also inside IPv6', (address) => {
    const spellings = address.includes(':') ? [address] : [address, ...wrapped(address)];
    expect(spellings.filter((spelling) => refuseAddress(spelling, PUBLIC_ONLY) === undefined)).toEqual([]);
  });

  test('a tunnel from a network that is not public is refused, whatever it leads to', () => {
    for (const address of ['fe80::5efe:8.8.8.8', 'fc00::200:5efe:8.8.8.8'])
      expect(refuseAddress(address, PUBLIC_ONLY)).toContain('WEBHOOK_ALLOWED_NETWORKS');
    expect(refuseAddress('2606:4700::5efe:8.8.8.8', PUBLIC_ONLY)).toBeUndefined();
  });

  test('neighbours of single addresses stay public', () => {
    for (const address of ['168.63.129.15', '168.63.129.17', '161.25.255.255', '166.7.255.255', '166.12.0.0'])
      expect(refuseAddress(address, PUBLIC_ONLY)).toBeUndefined();
  });
});

describe('refuseUrl', () => {
  test.each([...LOOPBACK_HOSTS, ...NOT_PUBLIC_HOSTS])('refuses https://%s and names the setting', (host) => {
    expect(refuseUrl(`https://${host}/hook`, PUBLIC_ONLY)).toContain('WEBHOOK_ALLOWED_NETWORKS');
  });

  test.each(['https:10.0.0.1', 'https:/10.0.0.1/', 'https:///10.0.0.1/', 'https:\\\\10.0.0.1\\x', 'https://'])(
    'refuses %s, whose host is not in the usual place',
    (url) => {
      expect(refuseUrl(url, PUBLIC_ONLY)).toBe('must be an absolute URL such as https://example.com/hook');
    },
  );

  test.each(['HTTPS://10.0.0.1', 'https://10.0.0.1?x', 'https://10.0.0.1\\@example.com/'])('sees through %s', (url) => {
    expect(refuseUrl(url, PUBLIC_ONLY)).toContain('10.0.0.1 is private');
  });
});

describe('localAddresses', () => {
  test('returns the allowed loopback addresses of a local name', () => {
    expect(localAddresses('localhost', LOCAL)).toEqual(['127.0.0.1', '::1']);
    expect(localAddresses('api.localhost.', LOCAL)).toEqual(['127.0.0.1', '::1']);
    expect(localAddresses('localhost', allow('127.0.0.0/8'))).toEqual(['127.0.0.1']);
    expect(localAddresses('localhost', allow('::1/128'))).toEqual(['::1']);
    expect(localAddresses('localhost', PUBLIC_ONLY)).toEqual([]);
  });

  test.each(['localhost.example.com', 'notlocalhost', 'example.com'])('returns undefined for %s', (host) => {
    expect(localAddresses(host, LOCAL)).toBeUndefined();
  });
});
