import { gzipSync } from 'node:zlib';
import { type Operation, openapi, operations } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { NO_IDS, OPERATIONS, request } from '../fixtures/every-operation.ts';
import { client, fieldErrors, payment, type Sent, startService, unknownId } from '../fixtures/harness.ts';

const service = await startService();
const key = await service.key();
const { get, pay } = client(service, key);
const screen = (sent: Sent) => service.call('POST', '/v1/transactions/screen', { key, ...sent });
const WITH_BODY = OPERATIONS.filter(([, of]) => of.body !== undefined).map(([id]) => id);
const encode = (text: string) => new TextEncoder().encode(text);

describe('404', () => {
  test.each([
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
    '/robots.txt',
    '/..%2fv1/cases',
    '/v1/cases%00',
    '/v1/cases%3Flimit=1',
    '/%F0%9F%98%80',
  ])('%s is not a path', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, json } = await service.call(method, path, { key });
      expect([method, status, json.error.code]).toEqual([method, 404, 'not_found']);
    }
  });

  test('a slash at the end makes a path unknown', async () => {
    for (const path of ['/v1/cases/', '/v1/webhooks/', '/v1/lists/', '/healthz/']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });

  test('needs no key', async () => {
    expect((await service.call('GET', '/nowhere')).status).toBe(404);
  });
});

describe('405', () => {
  const byPath = Map.groupBy(OPERATIONS, ([, { path }]) => path);
  const ALLOWED: [string, string[]][] = [
    ...[...byPath].map(([path, of]): [string, string[]] => [path, of.map(([, { method }]) => method)]),
    ...['/', '/healthz', '/readyz', '/openapi.json', '/docs', '/metrics'].map((path): [string, string[]] => [
      path,
      ['GET'],
    ]),
  ];
  test.each(ALLOWED)('%s takes %j and lists it in Allow for every other method', async (path, methods) => {
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const ids = { ...NO_IDS, user_id: 'a/b' };
    const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(ids[name as keyof typeof ids] ?? ''),
    );
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      if (methods.includes(method)) continue;
      const body = method === 'PUT' ? { description: 'x' } : undefined;
      const { status, json, headers } = await service.call(method, at, { key, ...(body && { body }) });
      expect([method, status, json.error.code]).toEqual([method, 405, 'method_not_allowed']);
      expect(headers.get('allow')?.split(', ').sort()).toEqual([...allow].sort());
    }
  });

  test('a word of a path is not taken for an id of another operation', async () => {
    for (const [method, path, allow] of [
      ['GET', '/v1/transactions/screen', 'POST'],
      ['GET', '/v1/rules/check', 'POST'],
      ['DELETE', '/v1/rules/variables?x=1', 'GET, HEAD'],
      ['GET', '/v1/lists/check', 'POST'],
      ['GET', '/v1/models/train', 'POST'],
    ] as const) {
      const { status, json, headers } = await service.call(method, path, { key });
      expect([path, status, json.error.code]).toEqual([path, 405, 'method_not_allowed']);
      expect(headers.get('allow')).toBe(allow);
      expect(json.error.message).toMatch(/^This path takes /);
    }
  });

  test('a list named like a word of a path can be read, changed and deleted', async () => {
    expect((await client(service, key).post('/v1/lists', { name: 'check' })).status).toBe(201);
    expect((await get('/v1/lists/check')).json.list_id).toBe('check');
    const change = await service.call('PUT', '/v1/lists/check', { key, body: { description: 'x' } });
    expect([change.status, change.json.description]).toEqual([200, 'x']);
    expect((await service.call('DELETE', '/v1/lists/check', { key })).status).toBe(204);
    expect((await get('/v1/lists/check')).status).toBe(405);
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

describe('GET /', () => {
  test('leads to the console', async () => {
    const response = await fetch(`${service.url}/`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/console']);
    expect((await fetch(`${service.url}/`)).headers.get('content-type')).toMatch(/^text\/html/);
  });
});

describe('an id of the wrong kind', () => {
  const BY_PARAMETER: [string, string, string][] = [
    ['/v1/transactions/', 'case', 'a transaction id, which begins with `txn_`; this is a case id'],
    ['/v1/events/', 'txn', 'an event id, which begins with `evt_`; this is a transaction id'],
    ['/v1/decisions/', 'evt', 'a decision id, which begins with `dec_`; this is an event id'],
    ['/v1/cases/', 'txn', 'a case id, which begins with `case_`; this is a transaction id'],
    ['/v1/webhooks/', 'msg', 'a webhook id, which begins with `wh_`; this is a message id'],
    ['/v1/labels/', 'dec', 'a label id, which begins with `lbl_`; this is a decision id'],
    ['/v1/rules/', 'key', 'a rule id, which begins with `rule_`; this is an API key id'],
    ['/v1/backtests/', 'trn', 'a backtest id, which begins with `bt_`; this is a training id'],
    ['/v1/cases/', 'xyz', 'a case id, which begins with `case_`'],
  ];
  test.each(BY_PARAMETER)('in %s is 404 and the message names both kinds: %s_', async (path, prefix, kinds) => {
    const { status, json } = await get(path + unknownId(prefix));
    expect([status, json.error.code]).toEqual([404, 'not_found']);
    expect(json.error.message).toBe(`Nothing was found: the id in the path must be ${kinds}.`);
  });

  test('in a body or query is 400 without a pattern in the message', async () => {
    const body = { transaction_id: unknownId('case'), label: 'fraud', source: 'chargeback' };
    const replies = [
      await client(service, key).post('/v1/labels', body),
      await get(`/v1/labels?before=${unknownId('txn')}`),
      await get(`/v1/labels?subject=${unknownId('case')}`),
      await get('/v1/labels?subject=nothing'),
    ];
    for (const { status } of replies) expect(status).toBe(400);
    expect(replies.map((reply) => Object.values(fieldErrors(reply)))).toEqual([
      ['must be a transaction id, which begins with `txn_`; this is a case id'],
      ['must be a label id, which begins with `lbl_`; this is a transaction id'],
      ['must be a transaction id or an event id, which begins with `txn_` or `evt_`; this is a case id'],
      ['must be a transaction id or an event id, which begins with `txn_` or `evt_`'],
    ]);
  });
});

describe('HEAD', () => {
  test('is answered like GET, without the body', async () => {
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

  test('a body of exactly 64 KiB is accepted, and one byte more is refused', async () => {
    expect((await screen({ raw: sized(LIMIT) })).status).toBe(200);
    const refused = await screen({ raw: sized(LIMIT + 1) });
    expect([refused.status, refused.json.error.code]).toEqual([413, 'payload_too_large']);
    expect(refused.json.error.message).toContain('65536');
  });

  test('the limit counts bytes, not characters', async () => {
    const body = { ...payment(), junk: 'ü'.repeat(LIMIT / 2) };
    expect((await pay(body)).status).toBe(413);
  });

  test.each(WITH_BODY)('%s has that limit, or its own', async (id) => {
    const { bodyKib = 64 }: Operation = operations[id];
    const reply = await request(service, id, NO_IDS, { key, raw: sized(bodyKib * 1024 + 1) });
    expect([reply.status, reply.json.error.code]).toEqual([413, 'payload_too_large']);
  });

  test('the limit holds for a body without Content-Length', async () => {
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
  ])('a body of type %s is accepted', async (type) => {
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

  const document = openapi('0') as unknown as { paths: Record<string, Record<string, { responses: object }>> };
  const WITHOUT_BODY = OPERATIONS.filter(([, of]) => of.body === undefined && of.method !== 'GET').map(([id]) => id);
  test.each(WITHOUT_BODY)('%s takes no body: it ignores one of any type and size', async (id) => {
    const { method, path }: Operation = operations[id];
    const declared = Object.keys(document.paths[path]?.[method.toLowerCase()]?.responses ?? {});
    for (const type of ['garbage', '', '/', 'text/plain', 'application/json', 'application/json; charset=latin1'])
      for (const sent of ['', '{', 'x'.repeat(70_000)]) {
        const reply = await request(service, id, NO_IDS, { key, raw: sent, headers: { 'content-type': type } });
        expect([type, reply.status]).toEqual([type, (await request(service, id, NO_IDS, { key })).status]);
        expect(declared).toContain(String(reply.status));
      }
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

  test('the message gives line and column', async () => {
    const { json } = await screen({ raw: '{\n  "user_id": "u",\n  "amount": 1,\n}' });
    expect(json.error.message).toBe(
      'The body is not valid JSON at line 4, column 1: expected a field name in double quotes, or no comma before `}`.',
    );
    expect((await screen({ raw: ' \n' })).json.error.message).toBe('The body is empty. Send a JSON object.');
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

  test.each(WITH_BODY)('%s does not quote the body', async (id) => {
    const reply = await request(service, id, NO_IDS, { key, raw: '{"secret-value' });
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_json']);
    expect(reply.text).not.toContain('secret-value');
  });

  test('the deepest possible nesting is refused or ignored like any other', async () => {
    const raw = `${'{"metadata":'.repeat(4000)}1${'}'.repeat(4000)}`;
    expect((await screen({ raw })).status).toBe(400);
    const deep = `{"user_id":"u","amount":1,"currency":"EUR","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect((await screen({ raw: deep })).status).toBe(200);
  });
});

describe('400 for invalid percent-encoding in a path', () => {
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
  ])('ignore it: %s', async (_name, raw, type) => {
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

test('every error names the anchor in /docs that explains its code', async () => {
  const replies = [
    await get('/nowhere'),
    await service.call('PATCH', '/v1/cases', { key }),
    await service.call('GET', '/v1/cases'),
    await pay({}),
    await screen({ raw: '{' }),
    await screen({ raw: '{}', headers: { 'content-type': 'text/plain' } }),
    await service.call('GET', '/v1/cases', { key, headers: { 'x-api-version': 'x' } }),
    await service.call('GET', '/v1/cases', { key, headers: { host: 'attacker.example' } }),
  ];
  const docs = await service.call('GET', '/docs');
  for (const { json } of replies.filter(({ status }) => status !== 200)) {
    expect(json.error.doc_url).toBe(`/docs#error-${json.error.code}`);
    expect(docs.text).toContain(`id="error-${json.error.code}"`);
  }
});
