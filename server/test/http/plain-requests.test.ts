import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { makePlainRequests, readBody } from '../../src/http/plain-requests.ts';
import { makeIds } from '../../src/runtime/ids.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { makeMetrics } from '../../src/runtime/metrics.ts';
import { makeClock, type Service, sendRaw, startService } from '../fixtures/harness.ts';

/**
 * Plain requests to a screening bypass Fastify. A query makes Fastify handle the same request, so two services that get
 * the same requests, one of them with a query, must give the same answers.
 */
const clock = makeClock();
const start = () => startService({ clock: clock.now });
const [plain, full] = [await start(), await start()];
const keysOf = async (service: Service) => ({
  admin: await service.key(),
  reader: await service.key({ role: 'reader' }),
});
const keys = new Map([
  [plain, await keysOf(plain)],
  [full, await keysOf(full)],
]);

let handledByFastify = 0;
const count = (): void => {
  handledByFastify++;
};
subscribe('tracing:fastify.request.handler:start', count);
afterAll(() => unsubscribe('tracing:fastify.request.handler:start', count));

interface Request {
  readonly path?: string;
  readonly body?: string | Buffer;
  /** Undefined leaves a header out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly version?: string;
  readonly role?: 'admin' | 'reader';
}

const PAYMENT = { user_id: 'u1', amount: 49.9, currency: 'EUR' };
const encode = (service: Service, query: string, request: Request): Buffer => {
  const { path = '/v1/transactions/screen', body = JSON.stringify(PAYMENT), version = '1.1', role = 'admin' } = request;
  const headers = {
    Host: 'localhost',
    Authorization: `Bearer ${keys.get(service)?.[role]}`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...request.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const head = `POST ${path}${query} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
};

/** An answer without what differs between any two: ids, and times of the machine. */
const ask = async (service: Service, query: string, request: Request) => {
  const reply = await sendRaw(service, encode(service, query, request));
  const withoutIds = (text: string): string => text.replaceAll(/\b(req|txn|evt|dec|case|key)_[0-9a-z]{26}\b/g, '$1_…');
  const headers = [...reply.headers]
    .filter(([name]) => name !== 'date' && name !== 'x-ratelimit-reset')
    .map(([name, value]) => `${name}: ${withoutIds(value)}`);
  return { status: reply.status, headers, text: withoutIds(reply.text) };
};

const PLAIN: Readonly<Record<string, Request>> = {
  'a payment': {},
  'an event': { path: '/v1/events', body: '{"user_id":"u1","type":"login"}' },
  'a payment with warnings': { body: JSON.stringify({ ...PAYMENT, unknown_field: 1 }) },
  'text beyond ASCII': { body: JSON.stringify({ ...PAYMENT, user_id: 'Łucja 🦊' }) },
  'an id of the caller': { headers: { 'X-Request-Id': 'mine-1' } },
  'an id that cannot be sent back': { headers: { 'X-Request-Id': 'x'.repeat(200) } },
  'a charset': { headers: { 'Content-Type': 'application/json; charset=UTF-8' } },
  'a body that is not JSON': { body: '{"user_id":' },
  'a body that is not UTF-8': { body: Buffer.from([0x22, 0xff, 0x22]) },
  'a body that is no object': { body: '[]' },
  'invalid fields': { body: JSON.stringify({ ...PAYMENT, amount: -1, currency: 'EURO', ip: '1.2.3.4' }) },
  'no key': { headers: { Authorization: undefined } },
  'an unknown key': { headers: { Authorization: 'Bearer sk_test_unknown' } },
  'a key that may not screen': { role: 'reader' },
  'a body of 60,000 bytes': { body: JSON.stringify({ ...PAYMENT, user_id: 'x'.repeat(60_000) }) },
  'no keep-alive': { headers: { Connection: 'close' } },
  'HTTP/1.0': { version: '1.0' },
};
const OTHER: Readonly<Record<string, Request>> = {
  'an idempotency key': { headers: { 'Idempotency-Key': 'k1' } },
  'a version': { headers: { 'X-Api-Version': '2026-11-01' } },
  'an unknown version': { headers: { 'X-Api-Version': 'x' } },
  'another type': { headers: { 'Content-Type': 'text/plain' } },
  'no type': { headers: { 'Content-Type': undefined } },
  'a compressed body': { headers: { 'Content-Encoding': 'gzip' } },
  'a body of 70,000 bytes': { body: 'x'.repeat(70_000) },
  'no body': { body: '' },
  'an expectation': { headers: { Expect: 'something' } },
  'a body in chunks': { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }, body: '0\r\n\r\n' },
  'no host': { headers: { Host: undefined } },
  'two hosts': { headers: { Host: 'localhost\r\nHost: other' } },
  'two keys': { headers: { Authorization: 'Bearer a\r\nAuthorization: Bearer b' } },
};

describe('a request to screen', () => {
  test.each(Object.entries(PLAIN))(
    'with %s is answered as Fastify answers it, without Fastify',
    async (_name, request) => {
      const before = handledByFastify;
      const answer = await ask(plain, '', request);
      expect(handledByFastify).toBe(before);
      expect(answer).toEqual(await ask(full, '?', request));
    },
  );

  test.each(Object.entries(OTHER))(
    'with %s, which is not plain, is answered as Fastify answers it',
    async (_name, request) => {
      expect(await ask(plain, '', request)).toEqual(await ask(full, '?', request));
    },
  );

  test.each([
    ['an error', new Error('SELECT secret')],
    ['a text', 'SELECT secret'],
    ['nothing', undefined],
  ])('whose key is looked up in a store that fails with %s gets 500, by Fastify or not', async (name, thrown) => {
    const headers = { Authorization: `Bearer sk_test_${name.replace(' ', '_')}` };
    for (const [service, query] of [
      [plain, ''],
      [full, '?'],
    ] as const) {
      const { backend } = service.app;
      const { read } = backend;
      backend.read = () => Promise.reject(thrown);
      const reply = await sendRaw(service, encode(service, query, { headers })).finally(() => {
        backend.read = read;
      });
      expect([reply.status, reply.json.error.code]).toEqual([500, 'internal_error']);
      expect(reply.text).not.toContain('SELECT');
      expect(reply.json.error.request_id).toBe(reply.headers.get('x-request-id'));
      expect(service.logs.join('\n')).toContain(`"request_id":"${reply.json.error.request_id}"`);
    }
  });

  test('of Fastify and a plain one are counted alike', async () => {
    const countsOf = async (service: Service): Promise<string[]> =>
      (await service.call('GET', '/metrics', { key: keys.get(service)?.admin })).text
        .split('\n')
        .filter((line) => /^portcullis_(http_request_seconds_count|screenings_total)\{/.test(line));
    const counts = await countsOf(plain);
    expect(counts.length).toBeGreaterThan(3);
    expect(counts).toEqual(await countsOf(full));
  });
});

test('an error after the body of a plain request is read is answered with 500 and does not end the process', async () => {
  const [log, metrics] = [makeLog('silent'), makeMetrics()];
  const requests = makePlainRequests({ log, metrics, newId: makeIds(clock.now) });
  requests.add('screenEvent', '/v1/events', 1024, (request, reply) =>
    readBody(request, reply, () => {
      throw new Error('SELECT secret');
    }),
  );
  const server = createServer((request, response) => void requests.take(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`http://127.0.0.1:${port}/v1/events`, { method: 'POST', headers, body: '{}' });
  expect([reply.status, await reply.json()]).toMatchObject([500, { error: { code: 'internal_error' } }]);
  server.closeAllConnections();
  server.close();
});
