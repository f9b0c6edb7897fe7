import { describe, expect, test } from 'vitest';
import { client, login, payment, REVIEW_IP, startService } from '../fixtures/harness.ts';

const service = await startService();
const { pay, act, post, put, get } = client(service, await service.key());

const warningsOf = async (body: Record<string, unknown>): Promise<string[] | undefined> => {
  const { status, json } = await pay(payment(body));
  expect(status).toBe(200);
  return json.warnings;
};
const ignored = (name: string, meant?: string): string =>
  `unknown member \`${name}\` was ignored${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;

describe('200 with warnings', () => {
  test.each([
    ['ip_adress', 'ip_address'],
    ['ipAddress', 'ip_address'],
    ['IP_ADDRESS', 'ip_address'],
    ['ip', 'ip_address'],
    ['customer_id', 'user_id'],
    ['merchant-id', 'counterparty_id'],
    ['zip', undefined],
    ['card', undefined],
    ['deviceToken', 'device_token'],
    ['payment-method', 'payment_method'],
    ['metdata', 'metadata'],
    ['biling_address', 'billing_address'],
    ['emial', 'email'],
    ['card_number', undefined],
    ['cvv', undefined],
    ['constructor', undefined],
    ['toString', undefined],
    ['hasOwnProperty', undefined],
    ['', undefined],
  ])('warns of the unknown field %s and suggests %s', async (name, meant) => {
    expect(await warningsOf({ [name]: 'x' })).toEqual([ignored(name, meant)]);
  });

  test('warns of a field called __proto__ like of any unknown field', async () => {
    const raw = `${JSON.stringify(payment()).slice(0, -1)},"__proto__":{"amount":1}}`;
    const { json } = await service.call('POST', '/v1/transactions/screen', { key: await service.key(), raw });
    expect(json.warnings).toEqual([ignored('__proto__')]);
    expect(json.amount).toBe(49.9);
  });

  test('names unknown fields of an address, and suggestions for them, by path', async () => {
    expect(
      await warningsOf({
        billing_address: { contry: 'DE', city: 'Berlin' },
        shipping_address: { zip: '10115', postalCode: '10115' },
      }),
    ).toEqual([
      ignored('billing_address.contry', 'billing_address.country'),
      ignored('shipping_address.zip', 'shipping_address.postal_code'),
      ignored('shipping_address.postalCode', 'shipping_address.postal_code'),
    ]);
  });

  test('never warns of keys of metadata: the caller chooses them', async () => {
    expect(await warningsOf({ metadata: { ip_adress: 'x', anything: 'y' } })).toBeUndefined();
  });

  test('an unknown field has no effect, whatever its value', async () => {
    const { json } = await pay(
      payment({ ip_address: REVIEW_IP, decision: 'allow', risk_score: 0, signals: [], transaction_id: 'txn_mine' }),
    );
    expect(json).toMatchObject({ decision: 'review', signals: ['test_address'] });
    expect(json.risk_score).toBeGreaterThan(0);
    expect(json.warnings).toHaveLength(4);
  });

  test('limits the warnings of very many unknown fields and says so', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`zzzz_${i}`, i]));
    const warnings = (await warningsOf(unknown)) as string[];
    expect(warnings[0]).toBe(ignored('zzzz_0'));
    expect(warnings.length).toBeLessThan(30);
    expect(warnings.at(-1)).toMatch(/further unknown members were ignored/);
  });

  test('quotes a name short, printable and with card numbers masked', async () => {
    const [long, control, card] = (await warningsOf({
      ['n'.repeat(3000)]: 1,
      'a\u0007\nb': 1,
      '4111 1111 1111 1111': 1,
    })) as string[];
    expect(long?.length).toBeLessThan(120);
    expect(control).not.toMatch(/\p{C}/u);
    expect(card).toBe(ignored('4111 11** **** 1111'));
  });

  test('every operation with a body gives the same warnings', async () => {
    const { json: reviewed } = await pay(payment({ ip_address: REVIEW_IP }));
    const { json: other } = await pay(payment({ ip_address: REVIEW_IP }));
    const answers = [
      await act(login({ devise_token: 'x' })),
      await post(`/v1/decisions/${reviewed.decision_id}/review`, { decision: 'allow', analist_id: 'a' }),
      await put(`/v1/cases/${other.case_id}`, { status: 'approved', note: 'x' }),
      await post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.created'], lable: 'x' }),
      await post('/v1/api-keys', { role: 'reader', labels: 'x' }),
    ];
    expect(answers.map(({ json }) => json.warnings)).toEqual([
      [ignored('devise_token', 'device_token')],
      [ignored('analist_id', 'analyst_id')],
      [ignored('note', 'notes')],
      [ignored('lable', 'label')],
      [ignored('labels', 'label')],
    ]);
    for (const path of [
      `/v1/events/${answers[0]?.json.event_id}`,
      `/v1/decisions/${reviewed.decision_id}`,
      `/v1/cases/${other.case_id}`,
    ]) {
      expect((await get(path)).json).not.toHaveProperty('warnings');
    }
  });
});
