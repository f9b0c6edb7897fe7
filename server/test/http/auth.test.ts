import { describe, expect, test } from 'vitest';
import { NO_IDS, OPERATIONS, request } from '../fixtures/every-operation.ts';
import { client, makeClock, payment, type Reply, sendRaw, startService } from '../fixtures/harness.ts';

// Every operation is called with an unknown key: more often than a client may by default.
const service = await startService({ env: { MAX_FAILED_KEYS_PER_MINUTE: '1000' } });
const key = await service.key();
const expect401 = ({ status, json, headers }: Reply, code: string): void => {
  expect([status, json.error.code, headers.get('www-authenticate')]).toEqual([401, code, 'Bearer']);
};

describe('401 missing_api_key', () => {
  test.each(OPERATIONS.map(([id]) => id))('%s without a key is refused', async (id) => {
    expect401(await request(service, id, NO_IDS, {}), 'missing_api_key');
  });

  test.each([
    '',
    'Bearer',
    'Bearer ',
    key,
    `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
    `Token ${key}`,
    `Bearer${key}`,
    `Bearer ${key} ${key}`,
    `Bearer "${key}" x`,
    `Bearer ${'x'.repeat(600)}`,
  ])('a malformed header is refused (%#)', async (authorization) => {
    expect401(await service.call('GET', '/v1/cases', { headers: { authorization } }), 'missing_api_key');
  });

  test('a key in the query or the body is ignored', async () => {
    const reply = await service.call('GET', `/v1/cases?api_key=${key}`);
    expect401(reply, 'missing_api_key');
    expect401(await client(service, undefined).pay(payment({ api_key: key })), 'missing_api_key');
  });

  test('the message shows how to send a key', async () => {
    const { json } = await service.call('GET', '/v1/cases');
    expect(json.error.message).toContain('Authorization: Bearer');
  });
});

describe('401 invalid_api_key', () => {
  test.each(OPERATIONS.map(([id]) => id))('%s with an unknown key is refused', async (id) => {
    expect401(await request(service, id, NO_IDS, { key: `sk_test_${'0'.repeat(40)}` }), 'invalid_api_key');
  });

  test.each([
    key.slice(0, -1),
    `${key}x`,
    key.toUpperCase(),
    key.replace('sk_test_', 'sk_live_'),
    key.replace('sk_test_', ''),
    'x',
    "' OR 1=1 --".replaceAll(' ', ''),
  ])('a key that is nearly right is wrong (%#)', async (near) => {
    expect401(await service.call('GET', '/v1/cases', { key: near }), 'invalid_api_key');
  });

  test('the response does not repeat the key', async () => {
    const { text } = await service.call('GET', '/v1/cases', { key: 'sk_test_mistyped' });
    expect(text).not.toContain('mistyped');
    expect(service.logs.join('\n')).not.toContain('mistyped');
  });

  test('nothing is stored', async () => {
    const body = payment();
    expect((await client(service, 'sk_test_unknown').pay(body)).status).toBe(401);
    expect((await client(service, key).get(`/v1/users/${body.user_id}/risk-profile`)).status).toBe(404);
  });
});

describe('200', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('the scheme may be written %s', async (scheme) => {
    const headers = { authorization: `${scheme} ${key}` };
    expect((await service.call('GET', '/v1/cases', { headers })).status).toBe(200);
  });

  test('no cookie is set', async () => {
    const { headers } = await service.call('GET', '/v1/cases', { key });
    expect(headers.get('set-cookie')).toBeNull();
  });
});

describe('403 wrong_environment', async () => {
  const clock = makeClock();
  const both = await startService({
    env: { SANDBOX_HOST: 'sandbox.example', PRODUCTION_HOST: 'Api.Example' },
    clock: clock.now,
  });
  const onlyLive = await startService({ env: { PRODUCTION_HOST: 'api.example' } });
  const onlyTest = await startService({ env: { SANDBOX_HOST: 'sandbox.example' } });
  const ENVIRONMENTS = ['sandbox', 'production'] as const;
  const ask = async (at: typeof both, environment: (typeof ENVIRONMENTS)[number], host: string) => {
    const secret = await at.key({ environment });
    return sendRaw(at, `GET /v1/cases HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${secret}\r\n\r\n`);
  };

  test('the ways to sign in name the host of each environment that has one', async () => {
    const hostsOf = async (at: typeof both) => (await at.call('GET', '/v1/sign-in')).json.hosts;
    expect(await hostsOf(both)).toEqual({ sandbox: 'sandbox.example', production: 'api.example' });
    expect(await hostsOf(onlyLive)).toEqual({ sandbox: null, production: 'api.example' });
  });

  test.each([
    ['both bound', both, 'sandbox.example', [200, 403]],
    ['both bound', both, 'SANDBOX.example:8443', [200, 403]],
    ['both bound', both, 'api.example', [403, 200]],
    ['both bound', both, 'API.EXAMPLE:443', [403, 200]],
    ['both bound', both, 'elsewhere.example', [403, 403]],
    ['both bound', both, 'sandbox.example.evil', [403, 403]],
    ['both bound', both, '127.0.0.1', [403, 403]],
    ['production bound', onlyLive, 'api.example', [403, 200]],
    ['production bound', onlyLive, 'elsewhere.example', [200, 403]],
    ['sandbox bound', onlyTest, 'sandbox.example', [200, 403]],
    ['sandbox bound', onlyTest, 'elsewhere.example', [403, 200]],
    ['none bound', service, 'anything.example', [200, 200]],
  ])('%s (%#): a host accepts only keys of its environment', async (_name, at, host, statuses) => {
    const replies = [await ask(at, 'sandbox', host), await ask(at, 'production', host)];
    expect(replies.map(({ status }) => status)).toEqual(statuses);
    for (const { status, json } of replies) if (status === 403) expect(json.error.code).toBe('wrong_environment');
  });

  test('the message names the host to call', async () => {
    const { json } = await ask(both, 'sandbox', 'api.example');
    expect(json.error.message).toContain('sandbox.example');
  });

  test('an invalid key learns nothing of the environments', async () => {
    const reply = await sendRaw(both, 'GET /v1/cases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test_x\r\n\r\n');
    expect([reply.status, reply.json.error.code]).toEqual([401, 'invalid_api_key']);
  });
});
