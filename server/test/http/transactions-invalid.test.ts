import { describe, expect, test } from 'vitest';
import { client, fieldErrors, payment, startService } from '../fixtures/harness.ts';

const service = await startService();
const key = await service.key();
const { pay, get } = client(service, key);

const TEXT = 'must be a string';
const UNICODE = 'must be well-formed Unicode without NUL characters';
const IP = 'must be an IPv4 or IPv6 address such as 198.51.100.24 or 2001:db8::7';
const CURRENCY = 'must be a current three-letter ISO 4217 code, such as EUR';
const COUNTRY = 'must be a two-letter ISO 3166-1 country code, such as DE';
const EMAIL = 'must be an e-mail address such as ada@example.com';
const KEYS = 'keys must have 1 to 64 characters, well-formed Unicode without NUL characters';
const METHODS = 'must be one of card, bank, wallet, crypto';
const meant = (message: string, value: string) => `${message}; did you mean \`${value}\`?`;
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));

const callerIds = ['user_id', 'payment_fingerprint', 'counterparty_id'].flatMap((name): Refused[] => [
  [name, '', name, 'must have at least 1 character'],
  [name, 'x'.repeat(256), name, 'must have at most 255 characters'],
  [name, '😀'.repeat(256), name, 'must have at most 255 characters'],
  [name, 7, name, TEXT],
  [name, ['x'], name, TEXT],
  [name, { id: 'x' }, name, TEXT],
  [name, 'a\0b', name, UNICODE],
  [name, 'a\ud800', name, UNICODE],
]);
const addresses = ['billing_address', 'shipping_address'].flatMap((name): Refused[] => [
  [name, '1 Main Street', name, 'must be an object'],
  [name, [], name, 'must be an object'],
  ...['D', 'XX', 'ZZ', '', 'QQQ'].map((country): Refused => [name, { country }, `${name}.country`, COUNTRY]),
  ...[
    ['UK', 'GB'],
    ['uk', 'GB'],
    ['EL', 'GR'],
    ['DEU', 'DE'],
    ['USA', 'US'],
    ['Germany', 'DE'],
    ['united kingdom', 'GB'],
  ].map(([country = '', code = '']): Refused => [name, { country }, `${name}.country`, meant(COUNTRY, code)]),
  [name, { country: 49 }, `${name}.country`, TEXT],
  ...['line1', 'line2', 'city', 'state', 'postal_code'].flatMap((part): Refused[] => [
    [name, { [part]: 10_115 }, `${name}.${part}`, TEXT],
    [name, { [part]: 'x'.repeat(256) }, `${name}.${part}`, 'must have at most 255 characters'],
    [name, { [part]: 'a\0' }, `${name}.${part}`, UNICODE],
  ]),
]);

type Refused = [name: string, value: unknown, field: string, message: string];
const REFUSED: Refused[] = [
  ['user_id', undefined, 'user_id', 'is required'],
  ['user_id', null, 'user_id', TEXT],
  ...callerIds,
  ['amount', undefined, 'amount', 'is required'],
  ['amount', null, 'amount', 'must be a number'],
  ['amount', 0, 'amount', 'must be greater than 0'],
  ['amount', -0.01, 'amount', 'must be greater than 0'],
  ['amount', 1_000_000_000_000_001, 'amount', 'must be at most 1000000000000000'],
  ['amount', 1e300, 'amount', 'must be at most 1000000000000000'],
  ['amount', '49.90', 'amount', 'must be a number; send it without quotes'],
  ['amount', 'much', 'amount', 'must be a number'],
  ['amount', true, 'amount', 'must be a number'],
  ['amount', [1], 'amount', 'must be a number'],
  ['currency', undefined, 'currency', 'is required'],
  ['currency', null, 'currency', TEXT],
  ['currency', 978, 'currency', TEXT],
  // Too short, not a code, a withdrawn code, letters that only fold to a code.
  ...['EU', 'EUX', '978', 'HRK', 'DEM', 'ZWL', '€€€', 'ıDR', 'EU '].map(
    (code): Refused => ['currency', code, 'currency', CURRENCY],
  ),
  ...[
    ['EURO', 'EUR'],
    ['$', 'USD'],
    ['RMB', 'CNY'],
    ['US Dollar', 'USD'],
  ].map(([sent = '', code = '']): Refused => ['currency', sent, 'currency', meant(CURRENCY, code)]),
  ...[
    'localhost',
    '1.2.3',
    '256.1.1.1',
    '1.2.3.4.5',
    '2130706433',
    '0x7f.0.0.1',
    '1.2.3.4/24',
    ' 1.2.3.4',
    '::g',
    '1::2::3',
    'fe80::1%eth0',
    '[::1]',
  ].map((ip): Refused => ['ip_address', ip, 'ip_address', IP]),
  ['ip_address', '', 'ip_address', IP],
  ['ip_address', 2_130_706_433, 'ip_address', TEXT],
  ['device_token', {}, 'device_token', TEXT],
  ['payment_method', 'cash', 'payment_method', METHODS],
  ['payment_method', 'CARD', 'payment_method', meant(METHODS, 'card')],
  ['payment_method', 1, 'payment_method', METHODS],
  ...['ada', 'ada@', '@example.com', 'a b@example.com', 'a@b@c', 'not an address'].map(
    (email): Refused => ['email', email, 'email', EMAIL],
  ),
  ...addresses,
  ['metadata', 'x', 'metadata', 'must be an object'],
  ['metadata', ['x'], 'metadata', 'must be an object'],
  ['metadata', { a: 1 }, 'metadata.a', TEXT],
  ['metadata', { a: null }, 'metadata.a', TEXT],
  ['metadata', { a: { b: 'c' } }, 'metadata.a', TEXT],
  ['metadata', { a: 'x'.repeat(501) }, 'metadata.a', 'must have at most 500 characters'],
  ['metadata', { a: 'x\0' }, 'metadata.a', UNICODE],
  ['metadata', { a: '\udc00' }, 'metadata.a', UNICODE],
  ['metadata', many(51), 'metadata', 'must have at most 50 keys'],
  ['metadata', { ['k'.repeat(65)]: 'v' }, 'metadata', KEYS],
  ['metadata', { '': 'v' }, 'metadata', KEYS],
  ['metadata', { 'a\0': 'v' }, 'metadata', KEYS],
  ['metadata', { 'a/b~c.d': 1 }, 'metadata.a/b~c.d', TEXT],
];

describe('400', () => {
  const named = REFUSED.map((row) => [`${row[0]} = ${JSON.stringify(row[1])?.slice(0, 40)}`, ...row] as const);
  test.each(named)('%s is refused', async (_title, name, value, field, message) => {
    const reply = await pay(payment({ [name]: value }));
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
    expect(fieldErrors(reply)).toEqual({ [field]: message });
    expect(reply.json.error.message).toMatch(/^The request is invalid: ./);
  });

  test.each(['1e309', '-1e309'])('an amount of %s, which no number can represent, is refused', async (amount) => {
    const raw = `{"user_id":"u","amount":${amount},"currency":"EUR"}`;
    const reply = await service.call('POST', '/v1/transactions/screen', { key, raw });
    expect(fieldErrors(reply)).toHaveProperty('amount');
  });

  test('lists every error at once, by JSON path', async () => {
    const reply = await pay({
      amount: -1,
      currency: 'EURO',
      ip_address: 'here',
      device_token: 1,
      payment_method: 'cash',
      payment_fingerprint: '',
      counterparty_id: false,
      email: 'none',
      billing_address: { country: 'XX', city: 5, line1: [] },
      shipping_address: { postal_code: 10_115, country: 'Germany' },
      metadata: { a: 1, b: 'fine', c: true },
    });
    expect(Object.keys(fieldErrors(reply)).sort()).toEqual([
      'amount',
      'billing_address.city',
      'billing_address.country',
      'billing_address.line1',
      'counterparty_id',
      'currency',
      'device_token',
      'email',
      'ip_address',
      'metadata.a',
      'metadata.c',
      'payment_fingerprint',
      'payment_method',
      'shipping_address.country',
      'shipping_address.postal_code',
      'user_id',
    ]);
    expect(reply.json.error.message).toBe(
      '16 fields are invalid: user_id is required; amount must be greater than 0; ' +
        `currency ${CURRENCY}; and 13 more.`,
    );
  });

  test('lists each of fifty wrong values of metadata', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i]));
    expect(Object.keys(fieldErrors(await pay({ metadata })))).toHaveLength(53);
  });

  test.each(['null', '[]', '"text"', '5', 'true', '[{"user_id":"u","amount":1,"currency":"EUR"}]'])(
    'a body that is %s is refused: it must be an object',
    async (raw) => {
      const reply = await service.call('POST', '/v1/transactions/screen', { key, raw });
      expect(reply.status).toBe(400);
      expect(fieldErrors(reply)).toEqual({ '': 'must be an object' });
    },
  );

  test('never quotes a value that was sent', async () => {
    const secret = 'not-to-be-quoted';
    const reply = await pay({
      user_id: 'u',
      amount: secret,
      currency: secret,
      ip_address: secret,
      payment_method: secret,
      email: secret,
    });
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain(secret);
  });

  test('a refused request is neither stored nor counted', async () => {
    const { user_id } = payment();
    expect((await pay({ user_id, amount: 0, currency: 'EUR' })).status).toBe(400);
    expect((await get(`/v1/users/${user_id}/risk-profile`)).status).toBe(404);
    const [row] = await service.app.backend.read<{ count: number }>('SELECT COUNT(*) AS count FROM screenings');
    expect(row?.count).toBe(0);
  });
});
