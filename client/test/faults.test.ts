import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { payment, REVIEW_IP, startService, unknownId } from '../../server/test/harness.ts';
import { holdWrites } from '../../server/test/records.ts';
import { createClient, type PortcullisError, type TransactionRequest } from '../src/index.ts';
import { answered, type Fault, makeWire } from './wire.ts';

let late: (ms: number) => void = () => {};
const service = await startService({
  watchLoop: (note) => {
    late = note;
    return () => {};
  },
});
const apiKey = await service.key();
const direct = createClient({ url: service.url, apiKey, deadlineMs: 20_000 });

/** A client behind a wire of its own. */
const open = async (more: { deadlineMs?: number; maxRetries?: number } = {}) => {
  const wire = await makeWire(service.url);
  return { wire, client: createClient({ url: wire.url, apiKey, deadlineMs: 20_000, ...more }) };
};
const pay = (more: Partial<TransactionRequest> = {}) => payment(more) as unknown as TransactionRequest;
const storedOf = async ({ user_id }: TransactionRequest) =>
  (await direct.users.getRiskProfile(user_id)).transactions.count;
const errorOf = (call: Promise<unknown>): Promise<PortcullisError> =>
  call.then(
    () => expect.fail('it succeeded'),
    (error) => error,
  );

describe('a screening whose connection fails', () => {
  test.each(['refuse', 'lose', 'reset', 'half', 'slow'] as const)(
    'by %s is answered all the same, and stored once',
    async (fault) => {
      const { wire, client } = await open();
      wire.next(fault);
      const body = pay({ ip_address: REVIEW_IP });
      const screened = await client.transactions.screen(body);
      expect(await direct.transactions.get(screened.transaction_id)).toEqual(screened);
      expect(await storedOf(body)).toBe(1);
      expect(wire.requests).toHaveLength(fault === 'slow' ? 1 : 2);
    },
  );

  test('by standing still is given up in time for another attempt, and stored once', async () => {
    const { wire, client } = await open({ deadlineMs: 4000 });
    wire.next('stall');
    const body = pay();
    await client.transactions.screen(body);
    expect(await storedOf(body)).toBe(1);
    expect(wire.requests).toHaveLength(2);
  });

  test('again and again, in any way, is stored once', async () => {
    const { wire, client } = await open();
    const fault = fc.constantFrom<Fault>(
      'pass',
      'refuse',
      'lose',
      'reset',
      'half',
      'slow',
      answered('502 Bad Gateway'),
      answered('503 Service Unavailable', {}, '{"error":{"code":"new_one","message":"Later."}}'),
    );
    const one = async (faults: Fault[]): Promise<void> => {
      wire.next(...faults);
      const body = pay();
      const screened = await client.transactions.screen(body);
      expect(await direct.transactions.get(screened.transaction_id)).toEqual(screened);
      expect(await storedOf(body)).toBe(1);
    };
    await fc.assert(fc.asyncProperty(fc.array(fault, { maxLength: 3 }), one), { numRuns: 25 });
  });

  test('keeps its idempotency key and its body through every attempt, and the next call has a key of its own', async () => {
    const { wire, client } = await open();
    wire.next('lose', 'refuse', 'half');
    const body = pay();
    await client.transactions.screen(body);
    await client.transactions.screen(body);
    await client.transactions.screen(body, { idempotencyKey: 'order-1001' });
    const keys = wire.requests.map((text) => /^idempotency-key: (.+)$/im.exec(text)?.[1]);
    expect(keys).toHaveLength(6);
    expect([new Set(keys.slice(0, 4)).size, new Set(keys).size, keys.at(-1)]).toEqual([1, 3, 'order-1001']);
  });

  test('is not counted twice even when the first attempt is still under way', async () => {
    const { wire, client } = await open();
    const body = pay();
    const letGo = await holdWrites(service.dataDir);
    const before = wire.requests.length;
    const call = client.transactions.screen(body, { deadlineMs: 6000, maxRetries: 10 });
    // The first attempt hangs in the store and is given up; the second is told that it is in progress.
    await expect.poll(() => wire.requests.length - before, { timeout: 20_000 }).toBeGreaterThan(1);
    await letGo();
    await call;
    expect(await storedOf(body)).toBe(1);
  });
});

test('whatever else a POST makes is made once though its answer was lost', async () => {
  const { wire, client } = await open();
  const { transaction_id, decision_id } = await direct.transactions.screen(pay());
  const lose = (): void => wire.next('lose', 'half');
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

describe('what is repeated and what is not', () => {
  test('a service that sheds load is asked again when it says so', async () => {
    const { wire, client } = await open();
    for (let i = 0; i < 3; i++) late(1000);
    const call = client.events.screen({ user_id: 'user_1842', type: 'login' });
    await expect.poll(() => wire.requests.length).toBe(1);
    late(0);
    expect((await call).type).toBe('login');
  });

  test('a limit that ends within the time is waited for', async () => {
    const { wire, client } = await open();
    const limited = JSON.stringify({ error: { code: 'rate_limited', message: 'Too many.', request_id: 'req_1' } });
    wire.next(answered('429 Too Many Requests', { 'retry-after': '1', 'content-type': 'application/json' }, limited));
    const since = performance.now();
    await client.cases.list();
    expect(performance.now() - since).toBeGreaterThanOrEqual(1000);
  });

  test('a limit that does not is told at once, as the service told it', async () => {
    const { url } = await makeWire(service.url);
    const client = createClient({ url, apiKey: await service.key({ perMinute: 1, account: 'limited' }) });
    await client.cases.list();
    const error = await errorOf(client.cases.list());
    expect(error).toMatchObject({ name: 'PortcullisError', code: 'rate_limited', status: 429, attempts: 1 });
    expect(error.requestId).toMatch(/^req_/);
  });

  test('a refusal for good is told at once', async () => {
    const { wire, client } = await open();
    const faulty = { user_id: '', amount: -1, currency: 'EUR', billing_address: { country: 'Atlantis' } };
    const invalid = await errorOf(client.transactions.screen(faulty));
    expect(invalid).toMatchObject({ code: 'invalid_request', status: 400, attempts: 1 });
    expect(invalid.details.map(({ field }) => field).sort()).toEqual(['amount', 'billing_address.country', 'user_id']);
    expect(await errorOf(client.cases.get(unknownId('case')))).toMatchObject({ code: 'not_found', status: 404 });
    const { case_id } = await direct.transactions.screen(pay({ ip_address: REVIEW_IP }));
    await client.cases.resolve(case_id as string, { status: 'approved' });
    const again = await errorOf(client.cases.resolve(case_id as string, { status: 'approved' }));
    expect(again).toMatchObject({ code: 'case_not_open', status: 409, attempts: 1 });
    if (again.is('case_not_open', 'case_expired')) expect(again.status satisfies 409).toBe(409);
    expect(wire.requests).toHaveLength(4);
  });

  test('a resolution whose answer was lost says that it was tried more than once: it may be one’s own that is in the way', async () => {
    const { wire, client } = await open();
    const { case_id } = await direct.transactions.screen(pay({ ip_address: REVIEW_IP }));
    wire.next('lose');
    const error = await errorOf(
      client.cases.resolve(case_id as string, { status: 'rejected', analyst_id: 'analyst_7' }),
    );
    expect(error).toMatchObject({ code: 'case_not_open', attempts: 2 });
    expect(await direct.cases.get(case_id as string)).toMatchObject({ status: 'rejected', analyst_id: 'analyst_7' });
  });

  test('nothing is repeated when that is asked for', async () => {
    const { wire, client } = await open({ maxRetries: 0 });
    wire.next('refuse');
    expect(await errorOf(client.cases.list())).toMatchObject({ code: 'network_error', status: undefined, attempts: 1 });
    expect(wire.requests).toHaveLength(1);
  });
});

describe('when there is no answer', () => {
  test('a service that hangs is given up at the deadline', async () => {
    // With more, the last might begin so late that nothing of it gets onto the wire.
    const { wire, client } = await open({ deadlineMs: 600, maxRetries: 1 });
    wire.next('stall', 'stall');
    const error = await errorOf(client.transactions.screen(pay()));
    expect(error.code).toBe('deadline_exceeded');
    expect([error.attempts, wire.requests.length]).toEqual([2, 2]);
  });

  test('a service that is not there is tried as often as allowed, then told of by the code of the system', async () => {
    const client = createClient({ url: 'http://127.0.0.1:1', apiKey, maxRetries: 2 });
    const error = await errorOf(client.cases.list());
    expect(error).toMatchObject({ code: 'network_error', attempts: 3, requestId: undefined, details: [] });
    expect(error.message).toMatch(/\((ECONNREFUSED|UND_ERR_\w+)\)|broke\.$/);
  });

  test('a caller who aborts gets the reason at once: under way, in a pause, and before anything is sent', async () => {
    const { wire, client } = await open();
    for (const faults of [
      ['stall'],
      ['refuse', answered('503 Service Unavailable', { 'retry-after': '9' })],
    ] as const) {
      const controller = new AbortController();
      const before = wire.requests.length;
      wire.next(...faults);
      const call = client.cases.list({}, { signal: controller.signal });
      await expect.poll(() => wire.requests.length).toBe(before + faults.length);
      const reason = new Error('the customer left');
      controller.abort(reason);
      await expect(call).rejects.toBe(reason);
    }
    const before = wire.requests.length;
    const reason = new Error('never mind');
    await expect(client.cases.list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(wire.requests).toHaveLength(before);
  });
});

describe('somebody else who answers', () => {
  const html = '<html>Welcome to the hotel</html>';

  test('is not believed, and a gateway that fails is asked again', async () => {
    const { wire, client } = await open();
    wire.next(answered('502 Bad Gateway', {}, html), answered('200 OK', {}, html));
    expect(await client.cases.list()).toMatchObject({ cases: expect.any(Array) });
    wire.next(answered('403 Forbidden', {}, html));
    expect(await errorOf(client.cases.list())).toMatchObject({ code: 'invalid_response', status: 403, attempts: 1 });
    expect(wire.requests).toHaveLength(4);
  });

  test('and sends elsewhere is not followed: neither key nor payment gets there', async () => {
    const [{ wire, client }, elsewhere] = [await open(), await makeWire(service.url)];
    wire.next(answered('307 Temporary Redirect', { location: `${elsewhere.url}/v1/transactions/screen` }));
    expect(await errorOf(client.transactions.screen(pay()))).toMatchObject({ code: 'invalid_response', status: 307 });
    expect(elsewhere.requests).toEqual([]);
  });
});

test('whatever comes back, a call ends with what it says or with a PortcullisError', async () => {
  const { wire, client } = await open({ maxRetries: 0 });
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
  const answer = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(status, headers, body).map((parts) => answered(...parts)) },
    { weight: 1, arbitrary: fc.string({ minLength: 1 }).map((answer) => ({ answer })) },
  );
  const one = async (fault: Fault): Promise<void> => {
    wire.next(fault);
    const outcome = await client.cases.list({}, { deadlineMs: 5000 }).catch((error) => error);
    if (outcome instanceof Error) expect(outcome.name).toBe('PortcullisError');
  };
  await fc.assert(fc.asyncProperty(answer, one), { numRuns: 200 });
});
