import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../test/fixtures/effort.ts';
import { canonicalUrl, hostOfUrl } from './request-url.ts';

describe('canonicalUrl', () => {
  test.each([
    ['/v1/transactions/screen', '/v1/transactions/screen'],
    ['/v1/transactions/%73creen', '/v1/transactions/screen'],
    ['/v1/transactions/%73%63%72%65%65%6E', '/v1/transactions/screen'],
    ['/%761/transactions/screen', '/v1/transactions/screen'],
    ['http://x/v1/transactions/screen', '/v1/transactions/screen'],
    ['HTTPS://user@x:8443/v1/transactions/%73creen?a=%73', '/v1/transactions/screen?a=%73'],
    ['/v1/transactions/screen#a', '/v1/transactions/screen'],
    ['/v1/transactions/screen?a=b#c', '/v1/transactions/screen?a=b'],
    ['/v1/transactions/screen?a=/%2F#?', '/v1/transactions/screen?a=/%2F'],
    ['/v1/users/a%2fb/risk-profile', '/v1/users/a%2Fb/risk-profile'],
    ['/v1/users/a;b/risk-profile', '/v1/users/a%3Bb/risk-profile'],
    ['/v1/users/a%3bb/risk-profile', '/v1/users/a%3Bb/risk-profile'],
    ['/v1/users/%c3%BC/risk-profile', '/v1/users/%C3%BC/risk-profile'],
    ['/v1/users/%7E%2d%2E%5f/risk-profile', '/v1/users/~-._/risk-profile'],
    ['/v1/users/%2573/risk-profile', '/v1/users/%2573/risk-profile'],
    ['http://x', '/'],
    ['http://x?a', '/?a'],
    ['*', '*'],
  ])('%s becomes %s', (url, canonical) => {
    expect(canonicalUrl(url)).toBe(canonical);
  });

  test.each([
    '/v1//transactions/screen',
    '//v1/transactions/screen',
    '/v1/transactions/screen/',
    '/v1/./transactions/screen',
    '/v1/x/../transactions/screen',
    '/V1/transactions/Screen',
    '/v1/transactions%2Fscreen',
    '/v1/%zz',
    '/v1/%',
    '/v1/%c3',
  ])('%s stays another path', (url) => {
    expect(canonicalUrl(url)).toBe(url);
  });

  test('gives every spelling of a path the same text, and different paths different texts', () => {
    const hex = (byte: number, upper: boolean): string => {
      const text = byte.toString(16).padStart(2, '0');
      return `%${upper ? text.toUpperCase() : text}`;
    };
    const name = fc.string({ unit: 'grapheme', minLength: 1 });
    const spelled = fc.tuple(name, fc.array(fc.boolean(), { minLength: 1 })).map(([text, choices]) => {
      const bytes = [...new TextEncoder().encode(text)];
      return { text, spelling: bytes.map((byte, i) => hex(byte, choices[i % choices.length] as boolean)).join('') };
    });
    fc.assert(
      fc.property(spelled, spelled, (a, b) => {
        const [one, other] = [a, b].map(({ spelling }) => canonicalUrl(`/v1/users/${spelling}/risk-profile`));
        expect(one).toBe(canonicalUrl(`/v1/users/${encodeURIComponent(a.text)}/risk-profile`));
        expect(one === other).toBe(a.text === b.text);
        expect(canonicalUrl(one as string)).toBe(one);
      }),
      { numRuns: rounds(200, 5000) },
    );
  });
});

test.each([
  ['/v1/cases', undefined],
  ['/http://x/', undefined],
  ['http://x/v1', 'x'],
  ['HTTP://x:80?y', 'x:80'],
])('the host of %s is %s', (url, host) => {
  expect(hostOfUrl(url)).toBe(host);
});
