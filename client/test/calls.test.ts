import { API_VERSIONS, exampleOf, type Operation, type OperationId, operations } from '@portcullis/contract';
import type { TObject } from 'typebox';
import { describe, expect, test } from 'vitest';
import { NO_IDS, OPERATIONS } from '../../server/test/fixtures/every-operation.ts';
import { makeClock, REVIEW_IP, startService } from '../../server/test/fixtures/harness.ts';
import { createClient, type Fetch, PortcullisError, type TransactionRequest } from '../src/index.ts';
import { METHODS } from './contract-types.ts';
import { pay } from './requests.ts';

/** A fixed time, because the examples contain dates. */
const clock = makeClock();
const service = await startService({ clock: clock.now });

/** A `fetch` that records the requests. */
const makeRecorder = () => {
  const sent: Parameters<Fetch>[] = [];
  const recorder: Fetch = (url, init) => {
    sent.push([url, init]);
    return fetch(url, init);
  };
  return { sent, recorder };
};

/** The query parameters that an operation requires, from the examples of the contract. */
const queryOf = ({ query }: Operation): object => {
  const { required = [], properties = {} } = (query ?? {}) as Partial<TObject>;
  return Object.fromEntries((required as string[]).map((name) => [name, exampleOf(properties[name] as never)]));
};

/** The arguments of an operation's method. */
const argumentsOf = (of: Operation): unknown[] => [
  ...Object.keys(of.params ?? {}).map((name) => NO_IDS[name]),
  ...(of.query === undefined ? [] : [queryOf(of)]),
  ...(of.body === undefined ? [] : [exampleOf(of.body as never)]),
];

test.each(OPERATIONS)('%s sends the request that the contract defines', async (id: OperationId, of) => {
  const { sent, recorder } = makeRecorder();
  const apiKey = await service.key({ account: id, environment: 'production' });
  const client = createClient({ url: `${service.url}/`, apiKey, fetch: recorder, deadlineMs: 20_000 });
  /** Nothing happens in the account, so the feed is quiet until the program stops listening. */
  const listen = async (): Promise<unknown> => {
    const events = client.feed.listen({}, { signal: AbortSignal.timeout(300) });
    await expect(events.next()).rejects.toMatchObject({ name: 'TimeoutError' });
    return '';
  };
  const method = id === 'listenFeed' ? listen : (METHODS[id](client) as (...args: unknown[]) => Promise<unknown>);
  await method(...argumentsOf(of)).then(
    (result) => expect(typeof result).toBe(of.status === 204 ? 'undefined' : of.streams ? 'string' : 'object'),
    (error) => {
      expect(error).toBeInstanceOf(PortcullisError);
      expect(['invalid_response', 'invalid_request']).not.toContain(error.code);
    },
  );
  const [url, { method: verb, headers, body }] = sent[0] as Parameters<Fetch>;
  const path = of.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(NO_IDS[name] as string));
  expect([sent.length, verb, new URL(url).pathname]).toEqual([1, of.method, path]);
  expect(headers).toMatchObject({ Authorization: `Bearer ${apiKey}`, 'X-Api-Version': API_VERSIONS.at(-1) });
  expect('Idempotency-Key' in headers).toBe(of.method === 'POST');
  expect(body !== undefined).toBe(of.body !== undefined);
});

describe('the client', () => {
  /** The deadline is long, because the first exact factors start a thread, which takes seconds on a busy machine. */
  const setUp = async (account: string) =>
    createClient({ url: service.url, apiKey: await service.key({ account }), deadlineMs: 20_000 });

  test('leads from a payment to its case, its decision and the profile of its user', async () => {
    const client = await setUp('journey');
    const { decision, case_id, decision_id, user_id } = await client.transactions.screen(
      pay({ ip_address: REVIEW_IP }),
    );
    expect(decision).toBe('review');
    const resolved = await client.cases.resolve(case_id as string, { status: 'approved', analyst_id: 'analyst_7' });
    expect(resolved).toMatchObject({ status: 'approved', decision_id });
    const { factors, base_score, risk_score, ...rest } = await client.decisions.get(decision_id, { factors: 'exact' });
    expect(factors.reduce((sum, { contribution }) => sum + contribution, base_score)).toBe(risk_score);
    expect(rest).toMatchObject({ decision: 'allow', automated_decision: 'review' });
    expect((await client.users.getRiskProfile(user_id)).transactions.by_decision.review).toBe(1);
  });

  test('escapes user ids in paths', async () => {
    const client = await setUp('names');
    for (const user_id of ['a/b', 'ada?x=1#y', 'ä %2e', '../..', '☃', 'a b+c&d']) {
      await client.transactions.screen(pay({ user_id }));
      expect((await client.users.getRiskProfile(user_id)).user_id).toBe(user_id);
    }
  });

  test.each(['', '.', '..', undefined as never])(
    'refuses an id that would change the path, before sending anything: %j',
    async (id) => {
      const { sent, recorder } = makeRecorder();
      const client = createClient({ url: service.url, apiKey: 'sk_test_1', fetch: recorder });
      await expect(client.webhooks.delete(id)).rejects.toThrow(TypeError);
      expect(sent).toEqual([]);
    },
  );

  test('accepts undefined fields and filters', async () => {
    const client = await setUp('undefined');
    const screened = await client.transactions.screen(pay({ ip_address: undefined, metadata: undefined }));
    expect(screened.warnings).toBe(undefined);
    expect((await client.cases.list({ status: undefined, limit: 1 })).limit).toBe(1);
  });

  test('returns the warning about an unknown field', async () => {
    const client = await setUp('warnings');
    const { warnings } = await client.transactions.screen({
      ...pay(),
      ip_adress: '198.51.100.24',
    } as TransactionRequest);
    expect(warnings).toEqual([expect.stringContaining('did you mean `ip_address`')]);
  });

  test('returns unknown fields and error codes of a newer service', async () => {
    const newer: Fetch = async (url, init) => {
      const { status, headers, ...response } = await fetch(url, init).then(async (original) => ({
        status: original.status,
        headers: original.headers,
        text: await original.text(),
      }));
      return {
        status,
        headers,
        text: async () => response.text.replace('{', '{"added":{"later":true},').replace('not_found', 'gone_fishing'),
      };
    };
    const client = createClient({ url: service.url, apiKey: await service.key({ account: 'newer' }), fetch: newer });
    expect(await client.transactions.screen(pay())).toMatchObject({ added: { later: true } });
    const error = await client.users.getRiskProfile('user_unknown').catch((error) => error);
    expect(error).toBeInstanceOf(PortcullisError);
    expect(error).toMatchObject({ code: 'gone_fishing', status: 404 });
  });

  test('refuses an invalid idempotency key', async () => {
    const client = await setUp('keys');
    for (const idempotencyKey of ['', ' ', 'order 1001 ', 'x'.repeat(256), 'line\nbreak', 'ä'])
      await expect(client.transactions.screen(pay(), { idempotencyKey })).rejects.toThrow(TypeError);
  });

  test('reports an idempotency key that was used for another payment', async () => {
    const client = await setUp('reuse');
    await client.transactions.screen(pay(), { idempotencyKey: 'order-1001' });
    const again = await client.transactions.screen(pay(), { idempotencyKey: 'order-1001' }).catch((error) => error);
    expect(again).toMatchObject({ code: 'idempotency_key_reused', status: 422, attempts: 1 });
  });

  test('has a method for every operation', () => {
    expect(Object.keys(METHODS).sort()).toEqual(Object.keys(operations).sort());
  });
});
