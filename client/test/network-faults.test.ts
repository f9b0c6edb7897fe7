import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REVIEW_IP, startService, unknownId } from '../../server/test/fixtures/harness.ts';
import { holdWrites } from '../../server/test/fixtures/records.ts';
import { createClient, type Fetch, type TransactionRequest } from '../src/index.ts';
import { type Fault, forgedResponse, makeFaultyProxy } from './faulty-proxy.ts';
import { errorOf, pay } from './requests.ts';

let reportLateness: (ms: number) => void = () => {};
const service = await startService({
  watchLoop: (report) => {
    reportLateness = report;
    return () => {};
  },
});
const apiKey = await service.key();
const direct = createClient({ url: service.url, apiKey, deadlineMs: 20_000 });

/** A client behind its own proxy. */
const open = async (more: { deadlineMs?: number; maxRetries?: number; fetch?: Fetch } = {}) => {
  const proxy = await makeFaultyProxy(service.url);
  return { proxy, client: createClient({ url: proxy.url, apiKey, deadlineMs: 20_000, ...more }) };
};
const storedOf = async ({ user_id }: TransactionRequest) =>
  (await direct.users.getRiskProfile(user_id)).transactions.count;

/** A `fetch` that calls `onResponse` with the status of each response when its body has arrived. */
const observedFetch =
  (onResponse: (status: number) => void): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    const text = await response.text();
    onResponse(response.status);
    return { status: response.status, headers: response.headers, text: async () => text };
  };

describe('a screening with a network fault', () => {
  test.each(['refuse', 'lose', 'reset', 'half', 'slow'] as const)('%s succeeds, and is stored once', async (fault) => {
    const { proxy, client } = await open();
    proxy.next(fault);
    const body = pay({ ip_address: REVIEW_IP });
    const screened = await client.transactions.screen(body);
    expect(await direct.transactions.get(screened.transaction_id)).toEqual(screened);
    expect(await storedOf(body)).toBe(1);
    expect(proxy.requests).toHaveLength(fault === 'slow' ? 1 : 2);
  });

  test('stall is retried before the deadline, and stored once', async () => {
    const { proxy, client } = await open({ deadlineMs: 4000 });
    proxy.next('stall');
    const body = pay();
    await client.transactions.screen(body);
    expect(await storedOf(body)).toBe(1);
    expect(proxy.requests).toHaveLength(2);
  });

  test('in any sequence of faults is stored once', async () => {
    const { proxy, client } = await open();
    const fault = fc.constantFrom<Fault>(
      'pass',
      'refuse',
      'lose',
      'reset',
      'half',
      'slow',
      forgedResponse('502 Bad Gateway'),
      forgedResponse('503 Service Unavailable', {}, '{"error":{"code":"new_one","message":"Later."}}'),
    );
    const one = async (faults: Fault[]): Promise<void> => {
      proxy.next(...faults);
      const body = pay();
      const screened = await client.transactions.screen(body);
      expect(await direct.transactions.get(screened.transaction_id)).toEqual(screened);
      expect(await storedOf(body)).toBe(1);
    };
    await fc.assert(fc.asyncProperty(fc.array(fault, { maxLength: 3 }), one), { numRuns: 25 });
  });

  test('keeps its idempotency key in every attempt, and the next call has another key', async () => {
    const { proxy, client } = await open();
    proxy.next('lose', 'refuse', 'half');
    const body = pay();
    await client.transactions.screen(body);
    await client.transactions.screen(body);
    await client.transactions.screen(body, { idempotencyKey: 'order-1001' });
    const keys = proxy.requests.map((text) => /^idempotency-key: (.+)$/im.exec(text)?.[1]);
    expect(keys).toHaveLength(6);
    expect([new Set(keys.slice(0, 4)).size, new Set(keys).size, keys.at(-1)]).toEqual([1, 3, 'order-1001']);
  });

  test('is stored once even if the first attempt is still in progress', async () => {
    const { proxy, client } = await open();
    const body = pay();
    const letGo = await holdWrites(service.dataDir);
    const before = proxy.requests.length;
    const call = client.transactions.screen(body, { deadlineMs: 6000, maxRetries: 10 });
    // The first attempt hangs in the store and times out; the second gets `idempotency_in_progress`.
    await expect.poll(() => proxy.requests.length - before, { timeout: 90_000 }).toBeGreaterThan(1);
    await letGo();
    await call;
    expect(await storedOf(body)).toBe(1);
  });
});

test('every other POST creates its resource once though two responses are lost', async () => {
  const { proxy, client } = await open();
  const { transaction_id, decision_id } = await direct.transactions.screen(pay());
  const lose = (): void => proxy.next('lose', 'half');
  lose();
  const hook = await client.webhooks.create({ url: 'https://receiver.invalid', events: ['case.created'] });
  lose();
  const key = await client.apiKeys.create({ role: 'reader' });
  lose();
  await client.labels.add({ transaction_id, label: 'fraud', source: 'chargeback' });
  lose();
  await client.decisions.review(decision_id, { decision: 'block' });
  expect((await direct.webhooks.list()).webhooks.map(({ webhook_id }) => webhook_id)).toEqual([hook.webhook_id]);
  expect((await direct.apiKeys.list()).api_keys.filter(({ role }) => role === 'reader')).toHaveLength(1);
  expect((await direct.labels.list({ subject: transaction_id })).labels).toHaveLength(2);
  expect((await direct.decisions.get(decision_id)).reviews).toHaveLength(1);
  lose();
  expect((await client.lists.create({ name: 'known' })).name).toBe('known');
  lose();
  expect((await client.rules.create({ name: 'any', expression: 'amount > 1', action: { points: 1 } })).version).toBe(1);
  lose();
  expect((await client.webhooks.test(hook.webhook_id)).type).toBe('webhook.test');
  expect((await direct.webhooks.listDeliveries(hook.webhook_id)).deliveries).toHaveLength(1);
  lose();
  expect((await client.backtests.create({ policy: {} })).status).toBe('running');
  expect((await direct.backtests.list()).backtests).toHaveLength(1);
  const reader = createClient({ url: service.url, apiKey: key.secret });
  expect((await reader.cases.list()).total).toBeGreaterThanOrEqual(0);
});

describe('retries', () => {
  test('a screening that an overloaded service sheds is retried after Retry-After', async () => {
    const responses: { status: number; at: number }[] = [];
    const { client } = await open({
      fetch: observedFetch((status) => {
        responses.push({ status, at: performance.now() });
        // The overload ends with the first response.
        reportLateness(0);
      }),
    });
    for (let i = 0; i < 3; i++) reportLateness(1000);
    expect((await client.events.screen({ user_id: 'user_1842', type: 'login' })).type).toBe('login');
    expect(responses.map(({ status }) => status)).toEqual([503, 200]);
    const [shed, screened] = responses.map(({ at }) => at) as [number, number];
    expect(screened - shed).toBeGreaterThanOrEqual(1000);
  });

  test('a rate limit that ends before the deadline is waited for', async () => {
    const { proxy, client } = await open();
    const limited = JSON.stringify({ error: { code: 'rate_limited', message: 'Too many.', request_id: 'req_1' } });
    proxy.next(
      forgedResponse('429 Too Many Requests', { 'retry-after': '1', 'content-type': 'application/json' }, limited),
    );
    const since = performance.now();
    await client.cases.list();
    expect(performance.now() - since).toBeGreaterThanOrEqual(1000);
  });

  test('a rate limit that ends after the deadline is reported at once', async () => {
    const { url } = await makeFaultyProxy(service.url);
    const client = createClient({ url, apiKey: await service.key({ perMinute: 1, account: 'limited' }) });
    await client.cases.list();
    const error = await errorOf(client.cases.list());
    expect(error).toMatchObject({ name: 'PortcullisError', code: 'rate_limited', status: 429, attempts: 1 });
    expect(error.requestId).toMatch(/^req_/);
    expect(error.docUrl).toBe(`${url}/docs#error-rate_limited`);
  });

  test('a permanent error is reported at once', async () => {
    const { proxy, client } = await open();
    const invalidBody = { user_id: '', amount: -1, currency: 'EUR', billing_address: { country: 'Atlantis' } };
    const invalid = await errorOf(client.transactions.screen(invalidBody));
    expect(invalid).toMatchObject({ code: 'invalid_request', status: 400, attempts: 1 });
    expect(invalid.details.map(({ field }) => field).sort()).toEqual(['amount', 'billing_address.country', 'user_id']);
    expect(await errorOf(client.cases.get(unknownId('case')))).toMatchObject({ code: 'not_found', status: 404 });
    const { case_id } = await direct.transactions.screen(pay({ ip_address: REVIEW_IP }));
    await client.cases.resolve(case_id as string, { status: 'approved' });
    const again = await errorOf(client.cases.resolve(case_id as string, { status: 'approved' }));
    expect(again).toMatchObject({ code: 'case_not_open', status: 409, attempts: 1 });
    if (again.is('case_not_open', 'case_expired')) expect(again.status satisfies 409).toBe(409);
    expect(proxy.requests).toHaveLength(4);
  });

  test('`attempts` above 1 shows that a conflict may come from an earlier attempt of the same call', async () => {
    const { proxy, client } = await open();
    const { case_id } = await direct.transactions.screen(pay({ ip_address: REVIEW_IP }));
    proxy.next('lose');
    const error = await errorOf(
      client.cases.resolve(case_id as string, { status: 'rejected', analyst_id: 'analyst_7' }),
    );
    expect(error).toMatchObject({ code: 'case_not_open', attempts: 2 });
    expect(await direct.cases.get(case_id as string)).toMatchObject({ status: 'rejected', analyst_id: 'analyst_7' });
  });

  test('maxRetries 0 disables retries', async () => {
    const { proxy, client } = await open({ maxRetries: 0 });
    proxy.next('refuse');
    expect(await errorOf(client.cases.list())).toMatchObject({ code: 'network_error', status: undefined, attempts: 1 });
    expect(proxy.requests).toHaveLength(1);
  });
});

describe('without a response', () => {
  // `src/call.test.ts` checks the times of the attempts, with a fake clock.
  test('a call ends at the deadline if every connection hangs', async () => {
    const { proxy, client } = await open({ deadlineMs: 600 });
    proxy.next('stall', 'stall', 'stall', 'stall');
    const since = performance.now();
    const error = await errorOf(client.transactions.screen(pay()));
    expect(error.code).toBe('deadline_exceeded');
    expect(performance.now() - since).toBeGreaterThanOrEqual(299);
    expect(proxy.requests.length).toBeLessThanOrEqual(error.attempts);
  });

  test('a refused connection is retried `maxRetries` times, then reported with the system’s code', async () => {
    const client = createClient({ url: 'http://127.0.0.1:1', apiKey, maxRetries: 2 });
    const error = await errorOf(client.cases.list());
    expect(error).toMatchObject({ code: 'network_error', attempts: 3, requestId: undefined, details: [] });
    expect(error.message).toMatch(/\((ECONNREFUSED|UND_ERR_\w+)\)|broke\.$/);
  });

  describe('an abort rejects at once with the reason of the signal', () => {
    // The deadline is longer than the test's time limit, so that a call that ignores the abort fails the test.
    const deadlineMs = 3_600_000;
    const reason = new Error('the customer left');

    test('while the service processes the request', async () => {
      const { proxy, client } = await open({ deadlineMs });
      proxy.next('stall');
      const controller = new AbortController();
      const call = client.cases.list({}, { signal: controller.signal });
      await expect.poll(() => proxy.requests.length).toBe(1);
      controller.abort(reason);
      await expect(call).rejects.toBe(reason);
    });

    test('during the delay before a retry', async () => {
      const statuses: number[] = [];
      const { proxy, client } = await open({
        deadlineMs,
        fetch: observedFetch((status) => void statuses.push(status)),
      });
      proxy.next(forgedResponse('503 Service Unavailable', { 'retry-after': '900' }));
      const controller = new AbortController();
      const call = client.cases.list({}, { signal: controller.signal });
      await expect.poll(() => statuses).toEqual([503]);
      controller.abort(reason);
      await expect(call).rejects.toBe(reason);
      expect(proxy.requests).toHaveLength(1);
    });

    test('before the request, which is not sent', async () => {
      const { proxy, client } = await open();
      await expect(client.cases.list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(proxy.requests).toEqual([]);
    });
  });
});

describe('a response of another server', () => {
  const html = '<html>Welcome to the hotel</html>';

  test('is an invalid_response; the status of a gateway error is retried', async () => {
    const { proxy, client } = await open();
    proxy.next(forgedResponse('502 Bad Gateway', {}, html), forgedResponse('200 OK', {}, html));
    expect(await client.cases.list()).toMatchObject({ cases: expect.any(Array) });
    proxy.next(forgedResponse('403 Forbidden', {}, html));
    expect(await errorOf(client.cases.list())).toMatchObject({ code: 'invalid_response', status: 403, attempts: 1 });
    expect(proxy.requests).toHaveLength(4);
  });

  test('is not followed if it redirects: neither key nor payment is sent there', async () => {
    const [{ proxy, client }, elsewhere] = [await open(), await makeFaultyProxy(service.url)];
    proxy.next(forgedResponse('307 Temporary Redirect', { location: `${elsewhere.url}/v1/transactions/screen` }));
    expect(await errorOf(client.transactions.screen(pay()))).toMatchObject({ code: 'invalid_response', status: 307 });
    expect(elsewhere.requests).toEqual([]);
  });
});

test('every response leads to a result or a PortcullisError', async () => {
  const { proxy, client } = await open({ maxRetries: 0 });
  const error = fc.record(
    { code: fc.anything(), message: fc.anything(), details: fc.anything() },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    fc.json(),
    fc.string({ unit: 'grapheme-ascii' }),
    fc.record({ error }).map((it) => JSON.stringify(it) ?? ''),
  );
  const status = fc.constantFrom(
    '200 OK',
    '204 No Content',
    '206 Partial',
    '304 Not Modified',
    '400 Bad',
    '429 Later',
    '500 Oh',
    '999 What',
  );
  const headers = fc.constantFrom(
    {},
    { 'retry-after': 'never' },
    { 'retry-after': '99999999999' },
    { 'content-length': '7' },
  );
  const responses = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(status, headers, body).map((parts) => forgedResponse(...parts)) },
    { weight: 1, arbitrary: fc.string({ minLength: 1 }).map((response) => ({ response })) },
  );
  const one = async (fault: Fault): Promise<void> => {
    proxy.next(fault);
    const outcome = await client.cases.list({}, { deadlineMs: 5000 }).catch((error) => error);
    if (outcome instanceof Error) expect(outcome.name).toBe('PortcullisError');
  };
  await fc.assert(fc.asyncProperty(responses, one), { numRuns: 200 });
});
