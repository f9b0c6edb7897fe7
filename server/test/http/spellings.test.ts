import { describe, expect, test } from 'vitest';
import { client, payment, sendRaw, startService } from '../fixtures/harness.ts';

// `fetch` normalises paths before it sends them, so these tests write their requests themselves.
const service = await startService();
const key = await service.key();
const api = client(service, key);

const ask = (method: string, target: string, more: { body?: string; headers?: string; host?: string } = {}) => {
  const { body = '', headers = '', host = 'x' } = more;
  const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return sendRaw(
    service,
    `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n${length}${headers}\r\n${body}`,
  );
};

describe('spellings of one path', () => {
  const SAME = [
    '/v1/transactions/screen',
    '/v1/transactions/%73creen',
    '/v1/transactions/%73%63%72%65%65%6e',
    '/%76%31/%74ransactions/scree%6E',
    '/v1/transactions/screen?x=1',
    '/v1/transactions/screen?',
    '/v1/transactions/screen#x',
    'http://x/v1/transactions/screen',
    'http://x/v1/transactions/%73creen?x',
  ];
  const OTHER = [
    '/v1/transactions/screen/',
    '/v1/transactions//screen',
    '//v1/transactions/screen',
    '/v1/./transactions/screen',
    '/v1/cases/../transactions/screen',
    '/v1/%2e%2e/v1/transactions/screen',
    '/v1/transactions%2Fscreen',
    '/v1/transactions/screen;x=1',
    '/v1/transactions/screen%3Fx',
    '/v1/transactions/screen%00',
    '/v1/transactions/screen%20',
    '/v1/transactions/%2573creen',
    '/V1/transactions/screen',
    '/v1/transactions/Screen',
    '/v1/transactions/%53creen',
  ];
  const body = JSON.stringify(payment({ user_id: 'spelled' }));
  const headers = 'Idempotency-Key: spellings\r\n';

  test('share an idempotency key: the payment is counted once', async () => {
    const replies = [];
    for (const target of SAME) replies.push(await ask('POST', target, { body, headers }));
    expect(replies.map(({ status }) => status)).toEqual(SAME.map(() => 200));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies.slice(1).every((reply) => reply.headers.get('idempotent-replayed') === 'true')).toBe(true);
    expect((await api.get('/v1/users/spelled/risk-profile')).json.transactions.count).toBe(1);
  });

  test.each(OTHER)('%s is another path, which takes no POST', async (target) => {
    expect([404, 405]).toContain((await ask('POST', target, { body, headers })).status);
  });

  test('are 405 with the same methods for a method that the path does not take', async () => {
    for (const target of SAME) {
      for (const method of ['GET', 'PATCH']) {
        const reply = await ask(method, target);
        expect([method, target, reply.status, reply.headers.get('allow')]).toEqual([method, target, 405, 'POST']);
      }
    }
    expect((await ask('PATCH', '/openapi-json')).status).toBe(404);
    expect((await ask('PATCH', '/openapi%2Ejson')).status).toBe(405);
  });

  test('count for one operation in the metrics and for one rate limit', async () => {
    const limited = await service.key({ perMinute: 2 });
    const asLimited = (target: string) =>
      sendRaw(service, `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${limited}\r\n\r\n`);
    const statuses = [];
    for (const target of ['/v1/cases', '/v1/%63ases', '/%761/cases']) statuses.push((await asLimited(target)).status);
    expect(statuses).toEqual([200, 200, 429]);
    const { text } = await api.get('/metrics');
    expect(text).toMatch(/^portcullis_http_request_seconds_count\{operation="listCases",status="200"\} 2$/m);
    expect(text).toMatch(/^portcullis_http_request_seconds_count\{operation="screenTransaction",status="200"\} 9$/m);
  });

  test('name the same user, however the name is spelled', async () => {
    await api.pay(payment({ user_id: 'a/b;c:d ü' }));
    for (const name of ['a%2Fb%3Bc%3Ad%20%C3%BC', 'a%2fb;c:d%20%c3%bc', '%61%2fb;c%3ad%20%C3%bc']) {
      const { status, json } = await ask('GET', `/v1/users/${name}/risk-profile`);
      expect([status, json.user_id]).toEqual([200, 'a/b;c:d ü']);
    }
  });

  test('public pages have them too', async () => {
    for (const target of ['/healthz', '/%68ealthz', 'http://x/healthz'])
      expect((await ask('GET', target)).status).toBe(200);
    expect((await ask('GET', '/docs/guides/web%68ooks')).text).toContain('<!doctype html>');
    expect((await ask('GET', '/docs/guides/nothing')).status).toBe(404);
  });

  test('invalid percent-encoding is 400', async () => {
    for (const target of ['/v1/transactions/%zz', '/v1/%', '/v1/cases%c3', '/%e0%a4%a'])
      expect((await ask('GET', target)).json.error.details[0].field).toBe('URL');
  });
});

test('the host of a whole URL must be the Host header', async () => {
  const { status, json } = await ask('GET', 'http://other/v1/cases');
  expect([status, json.error.details[0].field]).toEqual([400, 'Host']);
  expect((await ask('GET', 'http://X:80/v1/cases', { host: 'x:80' })).status).toBe(200);
});
