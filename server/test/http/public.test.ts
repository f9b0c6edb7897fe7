import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { makeApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { OPERATIONS } from '../fixtures/every-operation.ts';
import { client, type Json, makeFolder, payment, startService } from '../fixtures/harness.ts';
import { openSocket } from '../fixtures/raw-socket.ts';
import { holdWrites } from '../fixtures/records.ts';

const service = await startService();

/** A connection with half a request, which is still answered while the service stops. */
const begin = (url: string, text: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text, () => resolve(socket)));
    socket.on('error', reject);
  });
const finish = (socket: Socket, text: string): Promise<string> =>
  new Promise((resolve) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.write(text);
  });

describe('/healthz', () => {
  test('answers without a key', async () => {
    const { status, json } = await service.call('GET', '/healthz');
    expect([status, json]).toEqual([200, { status: 'alive' }]);
  });
});

describe('/readyz', () => {
  test('is ready once the service can screen, without a key', async () => {
    const { status, json } = await service.call('GET', '/readyz');
    expect([status, json]).toEqual([200, { status: 'ready' }]);
  });

  test('is not ready before the service listens', async () => {
    const config = readConfig({ DATA_DIR: makeFolder() }) as Config;
    const app = await makeApp({ config, log: makeLog('silent') });
    const reply = await app.http.inject('/readyz');
    expect([reply.statusCode, reply.json().error.code, reply.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      '1',
    ]);
    expect((await app.http.inject('/healthz')).statusCode).toBe(200);
    await app.close();
  });

  test('is not ready while the service stops, and requests in flight are finished', async () => {
    const draining = await startService();
    const key = await draining.key();
    const body = JSON.stringify(payment({ user_id: 'in_flight' }));
    const head = `POST /v1/transactions/screen HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const asking = await begin(draining.url, 'GET /readyz HTTP/1.1\r\nHost: x\r\n');
    const alive = await begin(draining.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n');
    const paying = await begin(draining.url, head + body.slice(0, 20));
    // This request was sent after those: once it is answered, they are known to be in progress.
    await draining.call('GET', '/readyz');
    const stopped = draining.stop();
    expect(await finish(asking, '\r\n')).toMatch(/^HTTP\/1.1 503 [\s\S]*"unavailable"/);
    expect(await finish(alive, '\r\n')).toMatch(/^HTTP\/1.1 200 /);
    expect(await finish(paying, body.slice(20))).toMatch(/^HTTP\/1.1 200 [\s\S]*"transaction_id"/);
    await stopped;
    await expect(fetch(`${draining.url}/healthz`)).rejects.toThrow();
    const again = await startService({ dataDir: draining.dataDir });
    expect((await client(again, key).get('/v1/users/in_flight/risk-profile')).json.transactions.count).toBe(1);
  });
});

test('on localhost, every address of the name is served, within the same limits', async () => {
  const local = await startService({ env: { HOST: 'localhost', MAX_CONNECTIONS: '1' } });
  const port = Number(new URL(local.url).port);
  const addresses = [...new Set((await lookup('localhost', { all: true })).map(({ address }) => address))];
  const ask = (host: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, host, () => socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'));
      socket.once('data', (chunk) => resolve(String(chunk))).once('error', reject);
    });
  for (const address of addresses) expect(await ask(address)).toMatch(/^HTTP\/1.1 200 /);
  const headers = { authorization: `Bearer ${await local.key()}`, host: 'x' };
  const { payload } = await local.app.http.inject({ url: '/metrics', headers });
  expect(payload).toMatch(/^portcullis_connections 1$/m);
  await local.stop();
  for (const address of addresses) await expect(ask(address)).rejects.toThrow();
});

describe('stopping', () => {
  test('does not wait for idle connections', async () => {
    const stopping = await startService({ drainMs: 60_000 });
    const key = await stopping.key();
    const body = JSON.stringify(payment());
    const head = `POST /v1/transactions/screen HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const sockets = await Promise.all(Array.from({ length: 5 }, () => begin(stopping.url, head + body.slice(0, 20))));
    await stopping.call('GET', '/readyz');
    const stopped = stopping.stop();
    const answers = await Promise.all(sockets.map((socket) => finish(socket, body.slice(20))));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 200 /);
    await stopped;
  });

  test.each(['', '?'])('answers what is in flight, and names the last response of each connection%s', async (query) => {
    const stopping = await startService({ drainMs: 60_000, storeTimeoutMs: 60_000 });
    const key = await stopping.key();
    const body = JSON.stringify(payment());
    const request = `POST /v1/transactions/screen${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const release = await holdWrites(stopping.dataDir);
    const [single, pipelined] = [await openSocket(stopping), await openSocket(stopping)];
    const begun: unknown[] = [];
    stopping.app.http.server.on('request', (sent) => begun.push(sent));
    single.send(request);
    pipelined.send(request.repeat(3));
    await expect.poll(() => begun.length).toBe(4);
    const stopped = stopping.stop();
    await release();
    const endsOf = (text: string): string[] =>
      [...text.matchAll(/^connection: (\S+)/gim)].map(([, end]) => end as string);
    expect(endsOf(await single.closed)).toEqual(['close']);
    expect(endsOf(await pipelined.closed)).toEqual(['keep-alive', 'keep-alive', 'close']);
    expect([...single.statuses(), ...pipelined.statuses()]).toEqual([200, 200, 200, 200]);
    await stopped;
  });

  test('ends a request that never completes', async () => {
    const stopping = await startService({ drainMs: 100 });
    const socket = await begin(stopping.url, 'POST /v1/events HTTP/1.1\r\nHost: x\r\n');
    await stopping.call('GET', '/readyz');
    await stopping.stop();
    expect(socket.destroyed || (await finish(socket, '')) === '').toBe(true);
  });
});

describe('/openapi.json', () => {
  test('describes every operation, without a key', async () => {
    const { status, json } = await service.call('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(json.openapi).toMatch(/^3\.1\./);
    for (const [id, { method, path, status: success }] of OPERATIONS) {
      const described = (json as Json).paths[path][method.toLowerCase()];
      expect(described.operationId).toBe(id);
      expect(described.responses).toHaveProperty(String(success));
    }
  });
});

describe('/docs', () => {
  test('names every path, without a key and without scripts of others', async () => {
    const { status, text, headers } = await service.call('GET', '/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toMatch(/^<!doctype html>/i);
    expect(text).not.toMatch(/src="https?:/);
    for (const [, { path }] of OPERATIONS) expect(text.replaceAll('<wbr>', '')).toContain(path);
  });
});

describe('/metrics', () => {
  test('needs an admin key', async () => {
    const missing = await service.call('GET', '/metrics');
    expect([missing.status, missing.json.error.code]).toEqual([401, 'missing_api_key']);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    expect((await service.call('GET', '/metrics', { key: 'sk_test_unknown' })).json.error.code).toBe('invalid_api_key');
    for (const role of ['manager', 'service', 'analyst', 'reader'] as const) {
      const refused = await service.call('GET', '/metrics', { key: await service.key({ role }) });
      expect([refused.status, refused.json.error.code]).toEqual([403, 'insufficient_scope']);
    }
    expect((await service.call('GET', '/metrics', { key: await service.key() })).status).toBe(200);
  });

  test('counts in the format of Prometheus, without personal data', async () => {
    const key = await service.key();
    const body = payment({ user_id: 'private_person' });
    await client(service, key).pay(body);
    const { text, headers } = await service.call('GET', '/metrics', { key });
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toMatch(/^portcullis_screenings_total\{type="transaction",decision="allow"\} [1-9]/m);
    expect(text).toMatch(/^portcullis_http_request_seconds_count\{operation="screenTransaction",status="200"\} [1-9]/m);
    expect(text).not.toContain('private_person');
    expect(text).not.toContain(key);
  });
});
