import fc from 'fast-check';
import { Compile } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { PAYMENT_METHODS } from './constants.ts';
import { TransactionRequest } from './transaction.ts';

const validator = Compile(TransactionRequest);
const least = { user_id: 'user_1842', amount: 49.9, currency: 'EUR' };
const accepts = (fields: object): boolean => validator.Check({ ...least, ...fields });
/** Paths of the errors of a valid request with these fields added. */
const fieldErrors = (fields: object): string[] => [
  ...new Set(validator.Errors({ ...least, ...fields })[1].map((error) => error.instancePath)),
];
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key_${i}`, 'value']));

describe('a transaction request is accepted', () => {
  test.each<[string, object]>([
    ['with the three required fields alone', {}],
    ['with every field', { ...everything() }],
    ['with unknown fields', { ip_adress: '198.51.100.24', nested: { any: [1] } }],
    ['with the smallest positive number as amount', { amount: Number.MIN_VALUE }],
    ['with a fraction of a cent', { amount: 0.001 }],
    ['with the largest amount', { amount: 1e15 }],
    ['with a lower-case currency', { currency: 'eur' }],
    ['with a currency that has no market rate', { currency: 'XTS' }],
    ['with a user_id of 1 character', { user_id: 'u' }],
    ['with a user_id of 255 characters', { user_id: 'u'.repeat(255) }],
    ['with a user_id of 255 characters outside the basic plane', { user_id: '😀'.repeat(255) }],
    ['with a user_id that is a property of every object', { user_id: '__proto__' }],
    ['with a user_id of spaces and controls', { user_id: ' \t\n' }],
    ['with a device_token of 1 character', { device_token: 'd' }],
    ['with the shortest e-mail address', { email: 'a@b' }],
    ['with the shortest IPv6 address', { ip_address: '::' }],
    ['with a metadata key of 1 character', { metadata: { k: 'v' } }],
    ['with a device_token of any length', { device_token: 'd'.repeat(9000) }],
    ['with an empty device_token', { device_token: '' }],
    ['with a device_token that is not well-formed', { device_token: 'a\0\ud83d' }],
    ['with a payment_fingerprint of 255 characters', { payment_fingerprint: 'p'.repeat(255) }],
    ['with a counterparty_id of 255 characters', { counterparty_id: 'c'.repeat(255) }],
    ['with the longest spelling of an IPv6 address', { ip_address: '0000:0000:0000:0000:0000:ffff:255.255.255.255' }],
    ['with an e-mail address of 320 characters', { email: `${'a'.repeat(308)}@example.com` }],
    ['with an empty address', { billing_address: {}, shipping_address: {} }],
    ['with empty address lines', { billing_address: { line1: '', city: '' } }],
    ['with address lines of 255 characters', { billing_address: { line1: 'a'.repeat(255) } }],
    ['with a lower-case country', { billing_address: { country: 'de' } }],
    ['with empty metadata', { metadata: {} }],
    ['with 50 metadata keys', { metadata: keys(50) }],
    ['with a metadata key of 64 characters', { metadata: { ['k'.repeat(64)]: 'v' } }],
    ['with a metadata key of 64 characters outside the basic plane', { metadata: { ['😀'.repeat(64)]: 'v' } }],
    ['with a metadata value of 500 characters', { metadata: { key: 'v'.repeat(500) } }],
    ['with an empty metadata value', { metadata: { key: '' } }],
    ['with a metadata key named __proto__', { metadata: JSON.parse('{"__proto__": "x", "constructor": "y"}') }],
  ])('%s', (_, fields) => {
    expect(fieldErrors(fields)).toEqual([]);
    expect(accepts(fields)).toBe(true);
  });

  test.each(PAYMENT_METHODS)('with the payment method %s', (payment_method) => {
    expect(accepts({ payment_method })).toBe(true);
  });

  test('with exactly the four payment methods of the specification', () => {
    expect(PAYMENT_METHODS).toEqual(['card', 'bank', 'wallet', 'crypto']);
  });
});

function everything() {
  const address = { line1: '1 Main Street', line2: 'Flat 2', city: 'Berlin', state: 'BE', postal_code: '10115' };
  return {
    ip_address: '2001:db8::7',
    device_token: 'dvc_8f14e45f',
    payment_method: 'card',
    payment_fingerprint: 'pm_6d41aa',
    counterparty_id: 'shop_77',
    email: 'ada@example.com',
    billing_address: { ...address, country: 'DE' },
    shipping_address: { ...address, country: 'FR' },
    metadata: { order_id: 'A-1001' },
  };
}

describe('a transaction request is refused, with the path of the error,', () => {
  test.each<[string, object, string]>([
    ['an amount of 0', { amount: 0 }, '/amount'],
    ['an amount of -0', { amount: -0 }, '/amount'],
    ['a negative amount', { amount: -0.01 }, '/amount'],
    ['an amount over 1e15', { amount: 1e15 + 1 }, '/amount'],
    ['an amount of NaN', { amount: Number.NaN }, '/amount'],
    ['an infinite amount', { amount: Number.POSITIVE_INFINITY }, '/amount'],
    ['an amount written as text', { amount: '49.90' }, '/amount'],
    ['an amount of null', { amount: null }, '/amount'],
    ['an unknown currency', { currency: 'EUX' }, '/currency'],
    ['a withdrawn currency', { currency: 'DEM' }, '/currency'],
    ['a currency of two letters', { currency: 'EU' }, '/currency'],
    ['a currency of four letters', { currency: 'EURO' }, '/currency'],
    ['a numeric currency', { currency: 978 }, '/currency'],
    ['an empty user_id', { user_id: '' }, '/user_id'],
    ['a user_id of 256 characters', { user_id: 'u'.repeat(256) }, '/user_id'],
    ['a user_id of 256 characters outside the basic plane', { user_id: '😀'.repeat(256) }, '/user_id'],
    ['a user_id of one letter under 5000 accents', { user_id: `a${'\u0301'.repeat(5000)}` }, '/user_id'],
    ['a numeric user_id', { user_id: 1842 }, '/user_id'],
    ['a NUL in the user_id', { user_id: 'user\0' }, '/user_id'],
    ['a lone high surrogate in the user_id', { user_id: 'user\ud83d' }, '/user_id'],
    ['a lone low surrogate in the user_id', { user_id: '\ude00user' }, '/user_id'],
    ['a host name as address', { ip_address: 'localhost' }, '/ip_address'],
    ['an octal address', { ip_address: '0300.0.2.1' }, '/ip_address'],
    ['an address with a zone', { ip_address: 'fe80::1%eth0' }, '/ip_address'],
    ['an empty address', { ip_address: '' }, '/ip_address'],
    ['a device_token that is not a string', { device_token: {} }, '/device_token'],
    ['an unknown payment method', { payment_method: 'cash' }, '/payment_method'],
    ['a payment method in capitals', { payment_method: 'CARD' }, '/payment_method'],
    ['a payment_fingerprint of 256 characters', { payment_fingerprint: 'p'.repeat(256) }, '/payment_fingerprint'],
    ['an empty payment_fingerprint', { payment_fingerprint: '' }, '/payment_fingerprint'],
    ['a counterparty_id of 256 characters', { counterparty_id: 'c'.repeat(256) }, '/counterparty_id'],
    ['an e-mail address without @', { email: 'ada.example.com' }, '/email'],
    ['an e-mail address with a space', { email: 'ada lovelace@example.com' }, '/email'],
    ['an e-mail address with two @', { email: 'ada@home@example.com' }, '/email'],
    ['an e-mail address of 321 characters', { email: `${'a'.repeat(309)}@example.com` }, '/email'],
    ['a billing address that is text', { billing_address: '1 Main Street' }, '/billing_address'],
    ['a billing address that is a list', { billing_address: ['1 Main Street'] }, '/billing_address'],
    ['an unknown country', { billing_address: { country: 'ZZ' } }, '/billing_address/country'],
    ['a country of three letters', { shipping_address: { country: 'DEU' } }, '/shipping_address/country'],
    ['an address line of 256 characters', { billing_address: { line1: 'a'.repeat(256) } }, '/billing_address/line1'],
    ['a NUL in an address line', { shipping_address: { city: '\0' } }, '/shipping_address/city'],
    ['a numeric postal code', { billing_address: { postal_code: 10115 } }, '/billing_address/postal_code'],
    ['51 metadata keys', { metadata: keys(51) }, '/metadata'],
    ['a metadata key of 65 characters', { metadata: { ['k'.repeat(65)]: 'v' } }, '/metadata'],
    ['an empty metadata key', { metadata: { '': 'v' } }, '/metadata'],
    ['a NUL in a metadata key', { metadata: { 'k\0': 'v' } }, '/metadata'],
    ['a lone surrogate in a metadata key', { metadata: { 'k\ud83d': 'v' } }, '/metadata'],
    ['a metadata value of 501 characters', { metadata: { key: 'v'.repeat(501) } }, '/metadata/key'],
    ['a NUL in a metadata value', { metadata: { key: 'v\0' } }, '/metadata/key'],
    ['a lone surrogate in a metadata value', { metadata: { key: '\udc00' } }, '/metadata/key'],
    ['a numeric metadata value', { metadata: { key: 1 } }, '/metadata/key'],
    ['a nested metadata value', { metadata: { key: { a: 'b' } } }, '/metadata/key'],
    ['a metadata value of null', { metadata: { key: null } }, '/metadata/key'],
    ['an error under the metadata key __proto__', { metadata: JSON.parse('{"__proto__": 5}') }, '/metadata/__proto__'],
    ['metadata that is a list', { metadata: ['a'] }, '/metadata'],
  ])('for %s', (_, fields, path) => {
    expect(accepts(fields)).toBe(false);
    expect(fieldErrors(fields)).toContain(path);
  });

  test.each(['user_id', 'amount', 'currency'] as const)('for a missing %s', (field) => {
    const { [field]: _, ...rest } = least;
    expect(validator.Check(rest)).toBe(false);
  });

  test('for several fields at once', () => {
    const paths = fieldErrors({ user_id: '', amount: 0, currency: 'EUX', ip_address: 'here', email: 'ada' });
    expect(paths).toEqual(['/user_id', '/amount', '/currency', '/ip_address', '/email']);
  });

  test('or accepted, but never throws, for any value of any field', () => {
    const names = fc.constantFrom(...Object.keys(TransactionRequest.properties));
    fc.assert(
      fc.property(names, fc.jsonValue(), (name, value) => {
        const request = { ...least, [name]: value };
        expect(validator.Check(request)).toBe(validator.Errors(request)[0]);
      }),
      { numRuns: 500 },
    );
  });

  test.each([null, 'text', 5, true, [], [least]])('for %j, which is not an object', (value) => {
    expect(validator.Check(value)).toBe(false);
  });
});
