import { describe, expect, test } from 'vitest';
import { client, payment, sendRaw, startService } from '../fixtures/harness.ts';

const service = await startService();
const key = await service.key();
const { get, pay, post, delete: remove } = client(service, key);
const OWN = /^req_[0-9a-hjkmnp-tv-z]{26}$/;

describe('X-Request-Id', () => {
  test.each(['x', '7', 'a1b2-c3', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 'x'.repeat(128)])('%s is kept', async (id) => {
    expect((await get('/v1/cases', { 'X-Request-Id': id })).headers.get('x-request-id')).toBe(id);
    const refused = await get('/v1/cases?limit=0', { 'X-Request-Id': id });
    expect(refused.json.error.request_id).toBe(id);
  });

  test.each(['', 'x'.repeat(129), 'a b', 'a\tb', 'ü', 'a, b'])('%j is replaced by a new id', async (id) => {
    expect((await get('/v1/cases', { 'X-Request-Id': id })).headers.get('x-request-id')).toMatch(OWN);
  });

  test('two ids are both replaced', async () => {
    const { headers } = await sendRaw(
      service,
      'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n',
    );
    expect(headers.get('x-request-id')).toMatch(OWN);
  });

  test('differs for each request: success, error and 204', async () => {
    const { json } = await post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.created'] });
    const replies = [
      await pay(payment()),
      await pay({}),
      await get('/nowhere'),
      await service.call('GET', '/v1/cases'),
      await remove(`/v1/webhooks/${json.webhook_id}`),
      await service.call('GET', '/healthz'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 400, 404, 401, 204, 200]);
    const ids = replies.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(replies.length);
    for (const id of ids) expect(id).toMatch(OWN);
  });

  test('is in the log line of the request', async () => {
    const { headers } = await pay(payment());
    const lines = service.logs.map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ request_id: headers.get('x-request-id'), operation: 'screenTransaction', status: 200 }),
    );
  });
});

describe('X-Api-Version', () => {
  test('a known release is used, and the newest by default', async () => {
    expect((await get('/v1/cases')).headers.get('x-api-version')).toBe('2026-11-01');
    expect((await get('/v1/cases', { 'X-Api-Version': '2026-11-01' })).headers.get('x-api-version')).toBe('2026-11-01');
  });

  test.each(['2026-11-02', '2025-01-01', 'v1', '1', 'latest', '2026-11-1', '20261101', '', '2026-11-01, 2026-11-01'])(
    '%j is refused and the message lists the known releases',
    async (version) => {
      const reply = await pay(payment(), { 'X-Api-Version': version });
      expect([reply.status, reply.json.error.code]).toEqual([400, 'unsupported_api_version']);
      expect(reply.json.error.message).toContain('2026-11-01');
      expect(reply.headers.get('x-api-version')).toBe('2026-11-01');
    },
  );

  test('is on every response, errors and 204 included', async () => {
    const { json } = await post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.created'] });
    for (const reply of [
      await pay(payment()),
      await pay({}),
      await get('/nowhere'),
      await service.call('GET', '/v1/cases'),
      await service.call('PATCH', '/v1/cases', { key }),
      await remove(`/v1/webhooks/${json.webhook_id}`),
      await get('/v1/transactions/%zz'),
      await sendRaw(service, 'garbage\r\n\r\n'),
    ]) {
      expect(reply.headers.get('x-api-version')).toBe('2026-11-01');
    }
  });
});
