import { describe, expect, test } from 'vitest';
import { client, type Json, payment, startService } from './harness.ts';
import { startReceiver } from './receiver.ts';

const receiver = await startReceiver();
const service = await startService({ env: { WEBHOOK_CA_FILE: receiver.caFile }, exchangeMs: 500 });

/** Each endpoint has an account of its own; all are told of a payment at once, because their second attempts come only seconds later. */
const tell = async (path: string) => {
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
  ['hangs', '/hang', null, 'No whole answer within 0.5 s.'],
  ['trickles its answer', '/trickle', 200, 'No whole answer within 0.5 s.'],
  ['trickles its headers', '/trickle-headers', null, 'No whole answer within 0.5 s.'],
  ['resets the connection', '/reset', null, expect.stringContaining('connection')],
  ['breaks off', '/cut', 200, expect.stringContaining('connection')],
  ['redirects', '/redirect', 302, 'Answered 302; redirects are not followed.'],
  ['answers 500', '/500', 500, 'Answered 500.'],
  ['answers 410', '/410', 410, 'Answered 410.'],
  ['answers garbage', '/garbage', null, 'The answer was not HTTP.'],
] as const;

describe('a receiver that', async () => {
  const told = new Map(await Promise.all(FAILURES.map(async ([, path]) => [path, await tell(path)] as const)));

  test.each(FAILURES)('%s has failed and gets it again', async (_name, path, httpStatus, error) => {
    const { delivery, failingSince } = told.get(path) as Awaited<ReturnType<typeof tell>>;
    const patience = { timeout: 15_000 };
    await expect.poll(async () => (await delivery()).attempts.length, patience).toBeGreaterThanOrEqual(1);
    expect((await delivery()).attempts[0]).toMatchObject({ http_status: httpStatus, error });
    await expect.poll(failingSince).toEqual(expect.any(String));
    await expect.poll(async () => (await delivery()).attempts.length, patience).toBe(2);
    expect((await delivery()).status).toBe('owed');
  });

  test('answers 2xx with more than anybody reads has been told', async () => {
    const { delivery } = await tell('/endless');
    await expect.poll(async () => (await delivery()).status).toBe('delivered');
  });
});

test('fifty deliveries to a healthy endpoint beside hanging ones arrive within 5 s', async () => {
  const own = await startService({ env: { WEBHOOK_CA_FILE: receiver.caFile } });
  const api = client(own, await own.key());
  const events = ['transaction.screened'];
  for (let i = 0; i < 20; i++) await api.post('/v1/webhooks', { url: `${receiver.url}/hang?${i}`, events });
  await api.post('/v1/webhooks', { url: `${receiver.url}/healthy`, events });
  const healthy = () => receiver.received.filter(({ path }) => path === '/healthy');
  const hanging = () => receiver.received.filter(({ path }) => path.startsWith('/hang?'));
  // The hanging ones come first, and fill all they may before the healthy one is owed anything more.
  for (let i = 0; i < 20; i++) await api.pay(payment());
  await expect.poll(() => hanging().length, { timeout: 9000 }).toBeGreaterThanOrEqual(20 * 4);
  const startedAt = Date.now();
  const before = healthy().length;
  await Promise.all(Array.from({ length: 50 }, () => api.pay(payment())));
  await expect.poll(() => healthy().length, { timeout: 10_000 }).toBeGreaterThanOrEqual(before + 50);
  expect(Date.now() - startedAt).toBeLessThan(5000);
});
