import { describe, expect, test } from 'vitest';
import {
  BLOCK_IP,
  client,
  iso,
  makeClock,
  payment,
  REVIEW_IP,
  START,
  startService,
  unknownId,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const { pay, get, act } = client(service, await service.key());

/** The request as it was stored. */
const storedRequest = async (transactionId: string): Promise<Record<string, unknown>> => {
  const rows = await service.app.backend.read<{ request: string }>(
    'SELECT request FROM screenings WHERE id = ?',
    transactionId.slice('txn_'.length),
  );
  return JSON.parse(rows[0]?.request ?? 'null');
};

const ADDRESS = {
  line1: '1 Main Street',
  line2: 'Flat 2',
  city: 'Berlin',
  state: 'BE',
  postal_code: '10115',
  country: 'DE',
};
const ALL_FIELDS = {
  user_id: 'user_with_everything',
  amount: 49.9,
  currency: 'EUR',
  ip_address: '198.51.100.24',
  device_token: 'dvc_8f14e45f',
  payment_method: 'card',
  payment_fingerprint: 'pm_6d41aa',
  counterparty_id: 'shop_77',
  email: 'ada@example.com',
  billing_address: ADDRESS,
  shipping_address: ADDRESS,
  metadata: { order_id: 'A-1001', channel: 'web' },
};
const OPTIONAL = Object.keys(ALL_FIELDS).filter((name) => !['user_id', 'amount', 'currency'].includes(name));

describe('200', () => {
  test('the result has exactly the fields of the contract', async () => {
    const { json } = await pay(ALL_FIELDS);
    expect(json).toEqual({
      transaction_id: expect.stringMatching(/^txn_[0-9a-hjkmnp-tv-z]{26}$/),
      user_id: 'user_with_everything',
      amount: 49.9,
      currency: 'EUR',
      risk_score: expect.any(Number),
      decision: 'allow',
      signals: [],
      screened_at: iso(START),
      decision_id: expect.stringMatching(/^dec_[0-9a-hjkmnp-tv-z]{26}$/),
      case_id: null,
    });
  });

  test('stores every field as sent', async () => {
    const { json } = await pay(ALL_FIELDS);
    expect(await storedRequest(json.transaction_id)).toEqual(ALL_FIELDS);
  });

  test('the three required fields are enough', async () => {
    const { json } = await pay({ user_id: 'u', amount: 1, currency: 'EUR' });
    expect(json.decision).toBe('allow');
    expect(json).not.toHaveProperty('warnings');
  });

  test.each(OPTIONAL)('null for %s means absent', async (name) => {
    const { json } = await pay(payment({ [name]: null }));
    expect(json).not.toHaveProperty('warnings');
    expect(await storedRequest(json.transaction_id)).not.toHaveProperty(name);
  });

  test('null for a field of an address means absent', async () => {
    const { json } = await pay(payment({ billing_address: { line1: null, country: null, city: 'Berlin' } }));
    expect((await storedRequest(json.transaction_id)).billing_address).toEqual({ city: 'Berlin' });
  });

  test.each([5e-324, 0.001, 0.1 + 0.2, 1, 123_456.789, 999_999_999_999_999.9, 1e15])(
    'accepts the amount %d and returns it unchanged',
    async (amount) => {
      const { json } = await pay(payment({ amount }));
      expect(json.amount).toBe(amount);
      expect((await get(`/v1/transactions/${json.transaction_id}`)).json.amount).toBe(amount);
    },
  );

  test.each(['EUR', 'eur', 'eUr', 'jpy', 'BHD', 'XXX', 'xts'])(
    'accepts the currency %s and returns it in upper case',
    async (currency) => {
      expect((await pay(payment({ currency }))).json.currency).toBe(currency.toUpperCase());
    },
  );

  test.each(['card', 'bank', 'wallet', 'crypto'])('accepts the payment method %s', async (payment_method) => {
    expect((await pay(payment({ payment_method }))).status).toBe(200);
  });

  test.each([
    ['198.51.100.24', '198.51.100.24'],
    ['2001:db8::7', '2001:db8::7'],
    ['2001:0DB8:0:0:0:0:0:0007', '2001:db8::7'],
    ['::ffff:198.51.100.24', '198.51.100.24'],
    ['::FFFF:c633:6418', '198.51.100.24'],
  ])('counts the address %s as %s', async (ip_address, counted) => {
    const body = payment({ ip_address });
    await pay(body);
    const { json } = await get(`/v1/users/${body.user_id}/risk-profile`);
    expect(json.ip_addresses).toMatchObject([{ ip_address: counted, count: 1 }]);
  });

  test.each(['user_id', 'payment_fingerprint', 'counterparty_id'])(
    '%s accepts 1 to 255 characters of any script',
    async (name) => {
      for (const value of ['x', 'x'.repeat(255), 'ü'.repeat(255), '😀'.repeat(255), ' ', '../%00?#', '"\\\n']) {
        const { json } = await pay(payment({ [name]: value }));
        expect((await storedRequest(json.transaction_id))[name]).toBe(value);
      }
    },
  );

  test('metadata accepts 50 keys of 64 characters with values of 500', async () => {
    const entries = Array.from({ length: 50 }, (_, i) => [`${i}`.padEnd(64, 'ü'), 'ü'.repeat(500)]);
    const metadata = Object.fromEntries(entries);
    const { json } = await pay(payment({ metadata }));
    expect((await storedRequest(json.transaction_id)).metadata).toEqual(metadata);
  });

  test('metadata keeps keys with a special meaning in JavaScript', async () => {
    const body = JSON.stringify(payment()).replace(
      /}$/,
      ',"metadata":{"__proto__":"a","constructor":"b","7":"c","":"d"}}',
    );
    const refused = await service.call('POST', '/v1/transactions/screen', { key: await service.key(), raw: body });
    expect(refused.status).toBe(400);
    const raw = body.replace(',"":"d"', '');
    const { json } = await service.call('POST', '/v1/transactions/screen', { key: await service.key(), raw });
    const { metadata } = await storedRequest(json.transaction_id);
    expect(Object.entries(metadata as object).sort()).toEqual([
      ['7', 'c'],
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  test.each(['DE', 'de', 'XK'])('accepts the country %s in an address and counts it in upper case', async (country) => {
    const body = payment({ billing_address: { country }, shipping_address: { country } });
    await pay(body);
    const { json } = await get(`/v1/users/${body.user_id}/risk-profile`);
    expect(json.countries).toMatchObject([{ country: country.toUpperCase(), count: 1 }]);
  });

  test('a payment under review has a case, and a blocked one has none', async () => {
    const reviewed = await pay(payment({ ip_address: REVIEW_IP }));
    expect(reviewed.json).toMatchObject({ decision: 'review', case_id: expect.stringMatching(/^case_/) });
    expect((await get(`/v1/cases/${reviewed.json.case_id}`)).json.subject_id).toBe(reviewed.json.transaction_id);
    const blocked = await pay(payment({ ip_address: BLOCK_IP }));
    expect(blocked.json).toMatchObject({ decision: 'block', case_id: null });
  });

  test('suspicious behaviour raises the score and is named in the signals', async () => {
    const body = payment({ user_id: 'in_a_hurry' });
    const scores: number[] = [];
    for (let i = 0; i < 5; i++) scores.push((await pay(body)).json.risk_score);
    const { json } = await pay(body);
    expect(json.signals).toEqual(expect.arrayContaining(['velocity_spike', 'rapid_repeat']));
    expect(json.risk_score).toBeGreaterThan(scores[0] as number);
  });

  test('GET returns the same bytes, without the warnings of the request', async () => {
    for (const ip_address of ['198.51.100.24', REVIEW_IP, BLOCK_IP]) {
      const posted = await pay(payment({ ip_address }));
      expect((await get(`/v1/transactions/${posted.json.transaction_id}`)).text).toBe(posted.text);
    }
    const { json } = await pay(payment({ nonsense: 1 }));
    const { warnings, ...result } = json;
    expect(warnings).toHaveLength(1);
    expect((await get(`/v1/transactions/${json.transaction_id}`)).json).toEqual(result);
  });

  test('two equal requests create two transactions', async () => {
    const body = payment();
    const [first, second] = [await pay(body), await pay(body)];
    expect(second.json.transaction_id > first.json.transaction_id).toBe(true);
    expect((await get(`/v1/users/${body.user_id}/risk-profile`)).json.transactions.count).toBe(2);
  });
});

describe('404', () => {
  test.each([unknownId('txn'), 'txn_', 'x', 'txn_01M7EJNJYQETKAZATZNPS5MYE3', "txn_' OR 1=1 --", '😀'])(
    'there is no transaction %s',
    async (id) => {
      const { status, json } = await get(`/v1/transactions/${encodeURIComponent(id)}`);
      expect([status, json.error.code]).toEqual([404, 'not_found']);
    },
  );

  test('an id with another prefix is not found as a transaction', async () => {
    const { json } = await pay(payment());
    for (const prefix of ['evt', 'dec', 'case']) {
      const id = json.transaction_id.replace('txn', prefix);
      expect((await get(`/v1/transactions/${id}`)).status).toBe(404);
    }
    const event = await act({ user_id: 'u', type: 'login' });
    expect((await get(`/v1/transactions/${event.json.event_id.replace('evt', 'txn')}`)).status).toBe(404);
  });
});
