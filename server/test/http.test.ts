import { gzipSync } from 'node:zlib';
import { type Operation, operations } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { NO_IDS, OPERATIONS, request } from './every-operation.ts';
import { client, payment, type Sent, startService, unknownId } from './harness.ts';

const service = await startService();
const key = await service.key();
const { get, pay } = client(service, key);
const screen = (sent: Sent) => service.call('POST', '/v1/transactions/screen', { key, ...sent });
const WITH_BODY = OPERATIONS.filter(([, of]) => of.body !== undefined).map(([id]) => id);
const encode = (text: string) => new TextEncoder().encode(text);

describe('404', () => {
  test.each([
    '/',
    '/v1',
    '/v1/',
    '/v2/cases',
    '/v1//cases',
    '/V1/cases',
    '/v1/Cases',
    '/cases',
    '/v1/transactions',
    '/v1/users/x',
    '/v1/decisions',
    '/v1/decisions/x/reviews',
    '/v1/webhooks/x/y',
    '/favicon.ico',
    '/..%2fv1/cases',
    '/v1/cases%00',
    '/v1/cases%3Flimit=1',
    '/%F0%9F%98%80',
  ])('%s is no path of ours', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, json } = await service.call(method, path, { key });
      expect([method, status, json.error.code]).toEqual([method, 404, 'not_found']);
    }
  });

  test('a slash at the end makes another path', async () => {
    for (const path of ['/v1/cases/', '/v1/webhooks/', '/v1/lists/', '/healthz/']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });

  test('needs no key to be told', async () => {
    expect((await service.call('GET', '/nowhere')).status).toBe(404);
  });
});

describe('405', () => {
  const byPath = Map.groupBy(OPERATIONS, ([, { path }]) => path);
  const ALLOWED: [string, string[]][] = [
    ...[...byPath].map(([path, of]): [string, string[]] => [path, of.map(([, { method }]) => method)]),
    ...['/healthz', '/readyz', '/openapi.json', '/docs', '/metrics'].map((path): [string, string[]] => [path, ['GET']]),
  ];
  /** Whether the last word of the path would be an id to the method: `screen` is one of a transaction that does not exist. */
  const isId = (path: string, method: string): boolean =>
    !path.endsWith('}') &&
    OPERATIONS.some(([, of]) => of.method === method && of.path.replace(/\{\w+\}$/, '') === path.replace(/\w+$/, ''));
  test.each(ALLOWED)('%s takes %j and names it for every other method', async (path, methods) => {
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const ids = { ...NO_IDS, user_id: 'a/b' };
    const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(ids[name as keyof typeof ids] ?? ''),
    );
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      if (methods.includes(method) || isId(path, method)) continue;
      const { status, json, headers } = await service.call(method, at, { key });
      expect([method, status, json.error.code]).toEqual([method, 405, 'method_not_allowed']);
      expect(headers.get('allow')?.split(', ').sort()).toEqual([...allow].sort());
    }
  });

  test('a method that is not allowed does nothing, even with a body', async () => {
    const { json } = await pay(payment({ ip_address: '203.0.113.2' }));
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const reply = await service.call(method, `/v1/cases/${json.case_id}`, { key, body: { status: 'approved' } });
      expect(reply.status).toBe(405);
    }
    expect((await get(`/v1/cases/${json.case_id}`)).json.status).toBe('open');
  });
});

describe('HEAD', () => {
  test('answers as GET would, without the body', async () => {
    const { json } = await pay(payment());
    for (const path of [`/v1/transactions/${json.transaction_id}`, '/v1/cases', '/healthz', '/openapi.json']) {
      const [head, full] = [await service.call('HEAD', path, { key }), await get(path)];
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers.get('content-type')).toBe(full.headers.get('content-type'));
    }
    expect((await service.call('HEAD', `/v1/transactions/${unknownId('txn')}`, { key })).status).toBe(404);
    expect((await service.call('HEAD', '/v1/cases')).status).toBe(401);
  });
});

describe('413', () => {
  const LIMIT = 64 * 1024;
  const sized = (bytes: number): Uint8Array<ArrayBuffer> => {
    const body = JSON.stringify(payment());
    return encode(body + ' '.repeat(bytes - body.length));
  };

  test('a body of exactly 64 KiB is taken, and one byte more is not', async () => {
    expect((await screen({ raw: sized(LIMIT) })).status).toBe(200);
    const refused = await screen({ raw: sized(LIMIT + 1) });
    expect([refused.status, refused.json.error.code]).toEqual([413, 'payload_too_large']);
    expect(refused.json.error.message).toContain('65536');
  });

  test('characters that take several bytes count as what they take', async () => {
    const body = { ...payment(), junk: 'ü'.repeat(LIMIT / 2) };
    expect((await pay(body)).status).toBe(413);
  });

  test.each(WITH_BODY)('%s has the limit, or one of its own', async (id) => {
    const { bodyKib = 64 }: Operation = operations[id];
    const reply = await request(service, id, NO_IDS, { key, raw: sized(bodyKib * 1024 + 1) });
    expect([reply.status, reply.json.error.code]).toEqual([413, 'payload_too_large']);
  });

  test('a body that does not say its length has it too', async () => {
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue(sized(LIMIT));
        controller.enqueue(encode('  '));
        controller.close();
      },
    });
    const response = await fetch(`${service.url}/v1/transactions/screen`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    });
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      413,
      'payload_too_large',
    ]);
  });
});

describe('415', () => {
  const raw = JSON.stringify(payment());
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'application/json-patch+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'text/json',
    'json',
    '*/*',
    '',
  ])('a body of type %j is refused', async (type) => {
    const reply = await screen({ raw, headers: { 'content-type': type } });
    expect([reply.status, reply.json.error.code]).toEqual([415, 'unsupported_media_type']);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json; charset="utf-8"',
  ])('a body of type %s is taken', async (type) => {
    expect((await screen({ raw, headers: { 'content-type': type } })).status).toBe(200);
  });

  test.each(['gzip', 'deflate', 'br', 'zstd'])('a body compressed with %s is refused', async (encoding) => {
    const reply = await screen({ raw: new Uint8Array(gzipSync(raw)), headers: { 'content-encoding': encoding } });
    expect([reply.status, reply.json.error.code]).toEqual([415, 'unsupported_media_type']);
    expect(reply.json.error.message).toMatch(/not compressed/);
  });

  test.each(WITH_BODY)('%s with another type is refused', async (id) => {
    const reply = await request(service, id, NO_IDS, { key, raw: '{}', headers: { 'content-type': 'text/plain' } });
    expect(reply.status).toBe(415);
  });

  test('a request without a body and without a type is refused', async () => {
    const response = await fetch(`${service.url}/v1/transactions/screen`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(415);
  });
});

describe('400 invalid_json', () => {
  test.each([
    '',
    ' ',
    '{',
    '{"user_id":',
    "{'user_id':'u'}",
    '{"a":1,}',
    'user_id=u',
    'NaN',
    '{"amount":NaN}',
    '{"a":1}{"b":2}',
    '\ufeff{}',
    '{"a":"\n"}',
    '{"a":01}',
    'undefined',
  ])('%j is not JSON', async (raw) => {
    const reply = await screen({ raw });
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_json']);
  });

  test.each([
    ['a lone byte', [0xff]],
    ['a truncated character', [0xc3]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond Unicode', [0xf5, 0x80, 0x80, 0x80]],
  ])('a body that is not UTF-8 is refused: %s', async (_name, bytes) => {
    const [before, after] = JSON.stringify(payment({ user_id: 'a|b' })).split('|') as [string, string];
    const raw = new Uint8Array([...encode(before), ...bytes, ...encode(after)]);
    const reply = await screen({ raw });
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_json']);
    expect(reply.json.error.message).toContain('UTF-8');
  });

  test.each(WITH_BODY)('%s says so, and does not quote the body', async (id) => {
    const reply = await request(service, id, NO_IDS, { key, raw: '{"secret-value' });
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_json']);
    expect(reply.text).not.toContain('secret-value');
  });

  test('a body nested as deep as it can be is refused like any other', async () => {
    const raw = `${'{"metadata":'.repeat(4000)}1${'}'.repeat(4000)}`;
    expect((await screen({ raw })).status).toBe(400);
    const deep = `{"user_id":"u","amount":1,"currency":"EUR","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect((await screen({ raw: deep })).status).toBe(200);
  });
});

describe('400 for a path that cannot be read', () => {
  test.each([
    '/v1/transactions/%zz',
    '/v1/transactions/%',
    '/v1/transactions/%ff',
    '/v1/users/%C3/risk-profile',
    '/v1/cases/%E0%80%80',
  ])('%s', async (path) => {
    const { status, json } = await get(path);
    expect([status, json.error.code]).toEqual([400, 'invalid_request']);
  });
});

describe('GET and DELETE with a body', () => {
  test.each([
    ['not JSON', 'garbage', 'application/json'],
    ['of another type', 'a=b', 'application/x-www-form-urlencoded'],
    ['valid', '{"a":1}', 'application/json'],
  ])('are answered as if they had none: %s', async (_name, raw, type) => {
    for (const [id] of OPERATIONS.filter(([, { method }]) => method === 'DELETE')) {
      const reply = await request(service, id, NO_IDS, { key, raw, headers: { 'content-type': type } });
      expect([id, reply.status]).toEqual([id, 404]);
    }
    const made = await client(service, key).post('/v1/webhooks', {
      url: 'https://receiver.invalid',
      events: ['case.created'],
    });
    const path = `/v1/webhooks/${made.json.webhook_id}`;
    expect((await service.call('DELETE', path, { key, raw, headers: { 'content-type': type } })).status).toBe(204);
  });
});
