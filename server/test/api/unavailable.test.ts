import { afterEach, describe, expect, test } from 'vitest';
import { client, countRows, type Json, payment, REVIEW_IP, type Reply, startService } from '../fixtures/harness.ts';
import { breakTable } from '../fixtures/records.ts';

const service = await startService();
const key = await service.key();
const { pay, get, put, post } = client(service, key);
await post('/v1/webhooks', {
  url: 'https://receiver.invalid',
  events: ['transaction.screened', 'case.resolved', 'decision.reviewed'],
});

/** Repairs the table that was broken last. */
let repair = async (): Promise<void> => {};
const refuse = async (table: string, on: 'INSERT' | 'UPDATE' = 'INSERT'): Promise<void> => {
  repair = await breakTable(service.dataDir, table, on);
};
afterEach(() => repair());

const expect503 = ({ status, json, headers, text }: Reply): void => {
  expect([status, json.error.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
  expect(text).not.toContain('disk');
};
const count = (table: string): Promise<number> => countRows(service, table);

describe('503', () => {
  test.each(['screenings', 'cases', 'deliveries', 'idempotency'])(
    'a screening whose row in %s cannot be stored has no effect and can be sent again',
    async (table) => {
      const tables = ['screenings', 'cases', 'deliveries', 'idempotency'];
      const body = payment({ ip_address: REVIEW_IP, user_id: `u_${table}`, device_token: 'shared' });
      const headers = { 'Idempotency-Key': table };
      await pay(body);
      const before = (await get(`/v1/users/${body.user_id}/risk-profile`)).json;
      const counts = await Promise.all(tables.map(count));
      await refuse(table);
      expect503(await pay(body, headers));
      expect503(await pay(body, headers));
      expect((await get(`/v1/users/${body.user_id}/risk-profile`)).json.transactions).toEqual(before.transactions);
      expect(await Promise.all(tables.map(count))).toEqual(counts);
      await repair();
      const again = await pay(body, headers);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
      expect((await get(`/v1/users/${body.user_id}/risk-profile`)).json.transactions.count).toBe(2);
    },
  );

  test.each(['cases', 'reviews', 'deliveries'])(
    'a resolution or review whose row in %s cannot be stored changes neither case nor decision',
    async (table) => {
      const { json } = await pay(payment({ ip_address: REVIEW_IP }));
      await refuse(table, table === 'cases' ? 'UPDATE' : 'INSERT');
      expect503(await put(`/v1/cases/${json.case_id}`, { status: 'approved' }));
      expect503(await post(`/v1/decisions/${json.decision_id}/review`, { decision: 'block' }));
      expect((await get(`/v1/cases/${json.case_id}`)).json.status).toBe('open');
      expect((await get(`/v1/decisions/${json.decision_id}`)).json).toMatchObject({ decision: 'review', reviews: [] });
      await repair();
      expect((await put(`/v1/cases/${json.case_id}`, { status: 'approved' })).status).toBe(200);
    },
  );

  test.each([
    ['webhooks', '/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.created'] }, 'webhook_id'],
    ['api_keys', '/v1/api-keys', { role: 'reader' }, 'key_id'],
  ])('a row that %s refused is not returned', async (table, path, body, id) => {
    const ids = async () => (await get(path)).json[table].map((of: Json) => of[id]);
    const before = await ids();
    expect(before.length).toBeGreaterThan(0);
    await refuse(table);
    const reply = await post(path, body);
    expect503(reply);
    expect(reply.text).not.toMatch(/whsec_|sk_test_/);
    expect(await ids()).toEqual(before);
  });

  test('concurrent requests fail too, none takes partial effect, and the counts stay exact', async () => {
    const users = Array.from({ length: 30 }, (_, i) => `crowd_${i}`);
    await Promise.all(users.map((user_id) => pay(payment({ user_id, device_token: 'crowd' }))));
    await refuse('deliveries');
    const replies = await Promise.all(users.map((user_id) => pay(payment({ user_id, device_token: 'crowd' }))));
    for (const reply of replies) expect503(reply);
    await repair();
    await Promise.all(users.map((user_id) => pay(payment({ user_id, device_token: 'crowd' }))));
    for (const user_id of users) {
      const { transactions, devices } = (await get(`/v1/users/${user_id}/risk-profile`)).json;
      expect([transactions.count, devices[0].count]).toEqual([2, 2]);
    }
  });

  test('is logged as an error of the store and counted', async () => {
    expect(service.logs.some((line) => line.includes('the store failed'))).toBe(true);
    const { text } = await get('/metrics');
    expect(text).toMatch(/^portcullis_store_faults_total [1-9]/m);
  });

  test('without a readable store the service is unavailable but alive', async () => {
    const gone = await startService();
    const api = client(gone, await gone.key());
    const { json } = await api.pay(payment());
    await gone.app.backend.close();
    for (const reply of [
      await api.pay(payment()),
      await api.get(`/v1/transactions/${json.transaction_id}`),
      await api.get('/v1/cases'),
      await api.get('/v1/webhooks'),
      await api.get(`/v1/users/${json.user_id}/risk-profile`),
      await client(gone, 'sk_test_unknown').get('/v1/cases'),
    ]) {
      expect([reply.status, reply.json.error.code, reply.headers.get('retry-after')]).toEqual([
        503,
        'unavailable',
        '1',
      ]);
    }
    expect((await gone.call('GET', '/healthz')).status).toBe(200);
  });
});

describe('statements that belong together', () => {
  const insert = (key: string) => ({
    sql: "INSERT INTO idempotency (tenant, path, key, fingerprint, status, sealed_response, created_at) VALUES (0, 'p', ?, '', 200, '', 1)",
    params: [key],
  });
  const forget = (key: string) => ({
    sql: 'DELETE FROM idempotency WHERE tenant = 0 AND key = ?',
    params: [key],
    expect: 1,
  });
  const held = async () =>
    (await service.app.backend.read<{ key: string }>('SELECT key FROM idempotency WHERE tenant = 0 ORDER BY key')).map(
      ({ key: of }) => of,
    );

  test('have no effect when one of them changes too few rows, and do not affect concurrent ones', async () => {
    const { write } = service.app.backend;
    const outcomes = await Promise.all([
      write([insert('a')]),
      write([insert('b'), forget('nothing'), insert('c')]),
      write([insert('d'), forget('a')]),
      write([insert('e')]),
    ]);
    expect(outcomes).toEqual([{ written: true }, { written: false, refused: 1 }, { written: true }, { written: true }]);
    expect(await held()).toEqual(['d', 'e']);
  });
});

describe('500', () => {
  test('an internal error is logged but not described to the caller', async () => {
    const faulty = await startService();
    const api = client(faulty, await faulty.key());
    const read = faulty.app.backend.read;
    faulty.app.backend.read = () => Promise.reject(new Error('SELECT secret FROM somewhere'));
    const reply = await api.get('/v1/webhooks');
    faulty.app.backend.read = read;
    expect([reply.status, reply.json.error.code]).toEqual([500, 'internal_error']);
    expect(reply.text).not.toMatch(/SELECT|somewhere|at /);
    const line = faulty.logs.map((text) => JSON.parse(text)).find(({ level }) => level === 'error');
    expect(line).toMatchObject({ request_id: reply.json.error.request_id, operation: 'listWebhooks' });
    expect(line.err.message).toContain('SELECT secret');
  });
});
