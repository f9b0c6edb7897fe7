import { describe, expect, test } from 'vitest';
import { LOOPBACK_HOSTS, NOT_PUBLIC_ADDRESSES, NOT_PUBLIC_HOSTS } from '../../test/forbidden-hosts.ts';
import { type AddressRules, localAddresses, refuseAddress, refuseUrl } from './address.ts';

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
  ])('takes the public %s', (address) => {
    expect(refuseAddress(address, PUBLIC_ONLY)).toBeUndefined();
  });

  test('allowing loopback opens loopback alone', () => {
    expect(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'].map((text) => refuseAddress(text, LOCAL))).toEqual(
      new Array(4).fill(undefined),
    );
    for (const address of ['0.0.0.0', '::', '10.0.0.1', '169.254.169.254', 'fe80::1']) {
      expect(refuseAddress(address, LOCAL)).toContain('WEBHOOK_ALLOWED_NETWORKS');
    }
  });

  test('an opened network ends where its prefix ends', () => {
    expect(refuseAddress('10.1.255.255', allow('10.1.0.0/16'))).toBeUndefined();
    expect(refuseAddress('::ffff:10.1.0.1', allow('10.1.0.0/16'))).toBeUndefined();
    expect(refuseAddress('10.2.0.0', allow('10.1.0.0/16'))).toContain('10.2.0.0 is private');
    expect(refuseAddress('fd13::1', allow('fd12::/16'))).toContain('fd13::1 is uniqueLocal');
  });
});

describe('refuseUrl', () => {
  test.each([...LOOPBACK_HOSTS, ...NOT_PUBLIC_HOSTS])('refuses https://%s and names the setting', (host) => {
    expect(refuseUrl(`https://${host}/hook`, PUBLIC_ONLY)).toContain('WEBHOOK_ALLOWED_NETWORKS');
  });

  test.each(['https:10.0.0.1', 'https:/10.0.0.1/', 'https:///10.0.0.1/', 'https:\\\\10.0.0.1\\x', 'https://'])(
    'refuses %s, whose host is not where one looks for it',
    (url) => {
      expect(refuseUrl(url, PUBLIC_ONLY)).toBe('must be an absolute URL such as https://example.com/hook');
    },
  );

  test.each(['HTTPS://10.0.0.1', 'https://10.0.0.1?x', 'https://10.0.0.1\\@example.com/'])('sees through %s', (url) => {
    expect(refuseUrl(url, PUBLIC_ONLY)).toContain('10.0.0.1 is private');
  });
});

describe('localAddresses', () => {
  test('of a name for this machine are those loopback addresses that are allowed', () => {
    expect(localAddresses('localhost', LOCAL)).toEqual(['127.0.0.1', '::1']);
    expect(localAddresses('api.localhost.', LOCAL)).toEqual(['127.0.0.1', '::1']);
    expect(localAddresses('localhost', allow('127.0.0.0/8'))).toEqual(['127.0.0.1']);
    expect(localAddresses('localhost', allow('::1/128'))).toEqual(['::1']);
    expect(localAddresses('localhost', PUBLIC_ONLY)).toEqual([]);
  });

  test.each(['localhost.example.com', 'notlocalhost', 'example.com'])('of %s are unknown', (host) => {
    expect(localAddresses(host, LOCAL)).toBeUndefined();
  });
});
