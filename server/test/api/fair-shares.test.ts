import { expect, test } from 'vitest';
import { client, countRows, payment, startService } from '../fixtures/harness.ts';
import { holdItem } from '../fixtures/hold-item.ts';

/** A service with small shares: three requests of a tenant in progress, and four that wait. */
const makeWorld = async (waitMs: number) => {
  const service = await startService({ shareLimits: { alone: 3, besideOthers: 3, waiting: 4, waitMs } });
  const flooding = client(service, await service.key({ account: 'flooding' }));
  const other = client(service, await service.key({ account: 'other' }));
  const inProduction = client(service, await service.key({ account: 'flooding', environment: 'production' }));
  /** The counts of a metric, by reason. */
  const metric = async (name: string): Promise<Record<string, number>> =>
    Object.fromEntries(
      [
        ...(await other.get('/metrics')).text.matchAll(new RegExp(`^${name}(?:\\{reason="(\\w+)"\\})? (\\d+)$`, 'gm')),
      ].map(([, reason = 'all', count]) => [reason, Number(count)]),
    );
  /** Keeps three labels of one payment in progress until the returned function is called. */
  const fillShare = async () => {
    const { transaction_id } = (await flooding.pay(payment())).json;
    const release = await holdItem(service, 'flooding', 'sandbox', transaction_id);
    const label = () => flooding.post('/v1/labels', { transaction_id, label: 'fraud', source: 'report' });
    const labelled = [label(), label(), label()];
    return async (): Promise<number[]> => {
      await release();
      return (await Promise.all(labelled)).map(({ status }) => status);
    };
  };
  return { service, flooding, other, inProduction, metric, fillShare };
};

test('requests beyond the share of a tenant wait, further ones get 429, and other tenants notice nothing', async () => {
  const { service, flooding, other, inProduction, metric, fillShare } = await makeWorld(60_000);
  const release = await fillShare();
  const inQueue = Array.from({ length: 4 }, () => flooding.pay(payment()));
  await expect.poll(() => metric('portcullis_requests_waiting')).toEqual({ all: 4 });
  for (const refused of [await flooding.pay(payment()), await flooding.get('/v1/cases')]) {
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.json.error.message).toContain('account and environment');
  }
  for (const tenant of [other, inProduction]) {
    expect((await tenant.pay(payment())).status).toBe(200);
    expect((await tenant.get('/v1/cases')).status).toBe(200);
  }
  expect((await service.call('GET', '/healthz')).status).toBe(200);
  expect(await release()).toEqual([201, 201, 201]);
  expect((await Promise.all(inQueue)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  // The payment that is labelled, four that waited and two of other tenants: refused ones left nothing.
  expect(await countRows(service, 'screenings')).toBe(7);
  const refused = await metric('portcullis_requests_refused_total');
  expect(refused).toEqual({ too_many_waiting: 2, waited_too_long: 0 });
});

test('a request that waits too long gets 429 and has no effect', async () => {
  const { service, flooding, metric, fillShare } = await makeWorld(0);
  const release = await fillShare();
  // The share may not be full yet when a request arrives.
  await expect.poll(async () => (await flooding.pay(payment())).status).toBe(429);
  const before = await countRows(service, 'screenings');
  const { status, headers } = await flooding.pay(payment());
  expect([status, headers.get('retry-after')]).toEqual([429, '1']);
  expect(await release()).toEqual([201, 201, 201]);
  expect(await countRows(service, 'screenings')).toBe(before);
  const refused = await metric('portcullis_requests_refused_total');
  expect(refused).toEqual({ too_many_waiting: 0, waited_too_long: 2 });
  expect((await flooding.pay(payment())).status).toBe(200);
});

test('a body is parsed when it is the turn of its request, not before', async () => {
  const { service, flooding, metric, fillShare } = await makeWorld(60_000);
  const key = await service.key({ account: 'flooding' });
  const release = await fillShare();
  const screened = service.call('POST', '/v1/transactions/screen', { key, raw: '{"user_id":' });
  await expect.poll(() => metric('portcullis_requests_waiting')).toEqual({ all: 1 });
  expect(await release()).toEqual([201, 201, 201]);
  const { status, json } = await screened;
  expect([status, json.error.code]).toEqual([400, 'invalid_json']);
  expect((await flooding.pay(payment())).status).toBe(200);
});
