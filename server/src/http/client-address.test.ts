import { describe, expect, test } from 'vitest';
import { clientNetwork, makeProxyTrust } from './client-address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '8193:3512:1:2'],
  ['2001:db8:1:2::', '8193:3512:1:2'],
  ['2001:db8:1:3::', '8193:3512:1:3'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

describe('without trusted proxies', () => {
  const { isProxy, clientAddress } = makeProxyTrust([]);
  test('this machine counts as a proxy', () => {
    expect(['127.0.0.1', '::1', '::ffff:127.0.0.1', '192.0.2.1', ''].map(isProxy)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test('X-Forwarded-For is ignored', () => {
    expect(clientAddress('127.0.0.1', '192.0.2.9')).toBe('127.0.0.1');
  });
});

describe('with trusted proxies', () => {
  const { isProxy, clientAddress } = makeProxyTrust(['10.0.0.0/8', '2001:db8:ffff::/48']);
  test('only they count as proxies', () => {
    expect(['10.1.2.3', '2001:db8:ffff::1', '127.0.0.1', '192.0.2.1'].map(isProxy)).toEqual([true, true, false, false]);
  });

  test.each([
    ['a proxy that names its client', '10.0.0.1', '192.0.2.9', '192.0.2.9'],
    ['two proxies', '10.0.0.1', '192.0.2.9, 10.0.0.2', '192.0.2.9'],
    ['a client that made up a hop', '10.0.0.1', '198.51.100.1,192.0.2.9', '192.0.2.9'],
    ['an IPv6 proxy', '2001:db8:ffff::1', '2001:db8::9', '2001:db8::9'],
    ['only proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['no header', '10.0.0.1', undefined, '10.0.0.1'],
    ['text that is not an address', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['text behind a proxy', '10.0.0.1', 'nonsense, 10.0.0.2', '10.0.0.2'],
    ['an empty header', '10.0.0.1', '', '10.0.0.1'],
    ['commas', '10.0.0.1', ',,,', '10.0.0.1'],
    ['someone who is no proxy', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
  ])('the client of %s', (_name, address, header, client) => {
    expect(clientAddress(address, header)).toBe(client);
  });
});
