import { describe, expect, test } from 'vitest';
import { client, type Json, payment, startService } from '../fixtures/harness.ts';
import { startReceiver } from '../fixtures/receiver.ts';

const receiver = await startReceiver();
const service = await startService({ env: { WEBHOOK_CA_FILE: receiver.caFile }, exchangeMs: 1500 });

/** A new account with one endpoint and one payment. */
const sendPayment = async (path: string) => {
  const api = client(service, await service.key({ account: `account${path}` }));
  const { json } = await api.post('/v1/webhooks', { url: receiver.url + path, events: ['transaction.screened'] });
  await api.pay(payment());
  const at = `/v1/webhooks/${json.webhook_id}`;
  return {
    delivery: async (): Promise<Json> => (await api.get(`${at}/deliveries`)).json.deliveries[0],
    failingSince: async (): Promise<Json> => (await api.get(at)).json.failing_since,
  };
};

const FAILURES = [
  ['hangs', '/hang', null, 'Timed out: no complete response within 1.5 s.'],
  ['trickles its response', '/trickle', 200, 'Timed out: no complete response within 1.5 s.'],
  ['trickles its headers', '/trickle-headers', null, 'Timed out: no complete response within 1.5 s.'],
  ['resets the connection', '/reset', null, expect.stringContaining('connection')],
  ['closes the connection early', '/cut', 200, expect.stringContaining('connection')],
  ['redirects', '/redirect', 302, 'The endpoint returned 302. Redirects are not followed: register the final URL.'],
  ['returns 500', '/500', 500, 'The endpoint returned 500.'],
  ['returns 410', '/410', 410, 'The endpoint returned 410.'],
  ['returns garbage', '/garbage', null, 'The response is not valid HTTP.'],
] as const;

describe('a receiver that', async () => {
  const endpoints = new Map(
    await Promise.all(FAILURES.map(async ([, path]) => [path, await sendPayment(path)] as const)),
  );
  /** Makes retries due now: they would be due some seconds later. */
  const retryNow = () =>
    service.app.backend.write([
      { sql: "UPDATE deliveries SET due_at = 0 WHERE status = 'owed' AND attempts <> '[]'", params: [] },
    ]);

  test.each(FAILURES)('%s is marked as failing and gets a retry', async (_name, path, httpStatus, error) => {
    const { delivery, failingSince } = endpoints.get(path) as Awaited<ReturnType<typeof sendPayment>>;
    await expect.poll(async () => (await delivery()).attempts.length).toBeGreaterThanOrEqual(1);
    expect((await delivery()).attempts[0]).toMatchObject({ http_status: httpStatus, error });
    await expect.poll(failingSince).toEqual(expect.any(String));
    await retryNow();
    await expect.poll(async () => (await delivery()).attempts.length).toBeGreaterThanOrEqual(2);
    expect((await delivery()).status).toBe('owed');
  });

  test('returns 2xx with an endless body counts as delivered', async () => {
    const { delivery } = await sendPayment('/endless');
    await expect.poll(async () => (await delivery()).status).toBe('delivered');
  });
});

test('a healthy endpoint gets all its deliveries while others hang', async () => {
  // Far longer than a test waits: an endpoint that waited for the others would get nothing.
  const own = await startService({ env: { WEBHOOK_CA_FILE: receiver.caFile }, exchangeMs: 600_000 });
  const api = client(own, await own.key());
  const events = ['transaction.screened'];
  for (let i = 0; i < 20; i++) await api.post('/v1/webhooks', { url: `${receiver.url}/hang?${i}`, events });
  await api.post('/v1/webhooks', { url: `${receiver.url}/healthy`, events });
  const healthy = () => receiver.received.filter(({ path }) => path === '/healthy');
  const hanging = () => receiver.received.filter(({ path }) => path.startsWith('/hang?'));
  // The hanging endpoints fill every slot they may use before the healthy one has more deliveries.
  for (let i = 0; i < 20; i++) await api.pay(payment());
  await expect.poll(() => hanging().length).toBeGreaterThanOrEqual(20 * 4);
  await Promise.all(Array.from({ length: 50 }, () => api.pay(payment())));
  await expect.poll(() => healthy().length).toBe(70);
});
