import { API_VERSIONS, exampleOf, type Operation, type OperationId, operations } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { NO_IDS, OPERATIONS } from '../../server/test/every-operation.ts';
import { makeClock, payment, REVIEW_IP, startService } from '../../server/test/harness.ts';
import { createClient, type Fetch, PortcullisError, type TransactionRequest } from '../src/index.ts';
import { METHODS } from './contract-types.ts';

/** Examples name days of then. */
const clock = makeClock();
const service = await startService({ clock: clock.now });
const pay = (more: Partial<TransactionRequest> = {}) => payment(more) as unknown as TransactionRequest;

/** Notes what is sent, and sends it. */
const makeRecorder = () => {
  const sent: Parameters<Fetch>[] = [];
  const recorder: Fetch = (url, init) => {
    sent.push([url, init]);
    return fetch(url, init);
  };
  return { sent, recorder };
};

/** The arguments of the method of an operation, as the contract's examples give them. */
const argumentsOf = (of: Operation): unknown[] => [
  ...Object.keys(of.params ?? {}).map((name) => NO_IDS[name]),
  ...(of.query === undefined ? [] : [of.query.required ? exampleOf({ ...of.query, examples: undefined }) : {}]),
  ...(of.body === undefined ? [] : [exampleOf(of.body as never)]),
];

test.each(OPERATIONS)('%s is called as the contract says', async (id: OperationId, of) => {
  const { sent, recorder } = makeRecorder();
  const apiKey = await service.key({ account: id, environment: 'production' });
  const client = createClient({ url: `${service.url}/`, apiKey, fetch: recorder, deadlineMs: 20_000 });
  const method = METHODS[id](client) as (...given: unknown[]) => Promise<unknown>;
  await method(...argumentsOf(of)).then(
    (result) => expect(typeof result).toBe(of.status === 204 ? 'undefined' : 'object'),
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

describe('a caller', () => {
  const setUp = async (account: string) => createClient({ url: service.url, apiKey: await service.key({ account }) });

  test('goes from a payment over its case to the decision in force and the profile of the user', async () => {
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

  test('may name a user in any way that a path can hold', async () => {
    const client = await setUp('names');
    for (const user_id of ['a/b', 'ada?x=1#y', 'ä %2e', '../..', '☃', 'a b+c&d']) {
      await client.transactions.screen(pay({ user_id }));
      expect((await client.users.getRiskProfile(user_id)).user_id).toBe(user_id);
    }
  });

  test.each(['', '.', '..', undefined as never])('is told of an id that would make it another path: %j', async (id) => {
    const { sent, recorder } = makeRecorder();
    const client = createClient({ url: service.url, apiKey: 'sk_test_1', fetch: recorder });
    await expect(client.webhooks.delete(id)).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  test('may leave members and filters undefined', async () => {
    const client = await setUp('undefined');
    const screened = await client.transactions.screen(pay({ ip_address: undefined, metadata: undefined }));
    expect(screened.warnings).toBe(undefined);
    expect((await client.cases.list({ status: undefined, limit: 1 })).limit).toBe(1);
  });

  test('is told by the answer of a member that is not known', async () => {
    const client = await setUp('warnings');
    const { warnings } = await client.transactions.screen({
      ...pay(),
      ip_adress: '198.51.100.24',
    } as TransactionRequest);
    expect(warnings).toEqual([expect.stringContaining('did you mean `ip_address`')]);
  });

  test('gets what a newer service adds to an answer, and to its error codes', async () => {
    const newer: Fetch = async (url, init) => {
      const { status, headers, ...response } = await fetch(url, init).then(async (given) => ({
        status: given.status,
        headers: given.headers,
        text: await given.text(),
      }));
      return {
        status,
        headers,
        text: async () => response.text.replace('{', '{"added":{"later":true},').replace('not_found', 'gone_fishing'),
      };
    };
    const client = createClient({ url: service.url, apiKey: await service.key({ account: 'newer' }), fetch: newer });
    expect(await client.transactions.screen(pay())).toMatchObject({ added: { later: true } });
    const error = await client.users.getRiskProfile('nobody').catch((error) => error);
    expect(error).toBeInstanceOf(PortcullisError);
    expect(error).toMatchObject({ code: 'gone_fishing', status: 404 });
  });

  test('with a wrong idempotency key is told before anything is sent', async () => {
    const client = await setUp('keys');
    for (const idempotencyKey of ['', ' ', 'order 1001 ', 'x'.repeat(256), 'line\nbreak', 'ä'])
      await expect(client.transactions.screen(pay(), { idempotencyKey })).rejects.toThrow(TypeError);
  });

  test('who uses an idempotency key for another payment is refused', async () => {
    const client = await setUp('reuse');
    await client.transactions.screen(pay(), { idempotencyKey: 'order-1001' });
    const again = await client.transactions.screen(pay(), { idempotencyKey: 'order-1001' }).catch((error) => error);
    expect(again).toMatchObject({ code: 'idempotency_key_reused', status: 422, attempts: 1 });
  });

  test('reaches every operation: none of the table is without a method', () => {
    expect(Object.keys(METHODS).sort()).toEqual(Object.keys(operations).sort());
  });
});
