import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { encode, openConnection } from '../fixtures/crash-connection.ts';
import { load } from '../fixtures/crash-load.ts';
import { newFolder, SANDBOX_KEY, serve } from '../fixtures/crash-process.ts';
import { readStore } from '../fixtures/crash-store.ts';
import { expectExact, faultTraffic, orderOf, sendAll, startForLoad, stop, take } from '../fixtures/fault-load.ts';
import { payment } from '../fixtures/harness.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { holdWrites } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';

// Each test has its own server, so that one waits while another works. A server that is not done after 9.5 s exits with
// code 1: code 0 proves that it was.
describe.concurrent('SIGTERM', () => {
  test('under load: exits with 0 within 10 s, every acknowledged screening is stored, and no other one is', async () => {
    const dataDir = newFolder();
    const server = await serve(dataDir);
    const loaded = await load(server, {
      connections: 32,
      next: faultTraffic(),
      pauseMs: () => 0,
      onAnswer: (count) => {
        if (count === 500) server.kill('SIGTERM');
      },
    });
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(loaded.refused).toEqual([]);
    expect(loaded.acknowledged.length).toBeGreaterThanOrEqual(500);
    await expectExact(await startForLoad({ dataDir, logLevel: 'warn' }), dataDir, loaded.acknowledged);
  });

  test.skipIf(isShared)(
    'with connections that are idle or never finish their request, and receivers that hang: still exits with 0 within 10 s',
    async () => {
      const receiver = await startReceiver();
      const server = await serve(newFolder(), { WEBHOOK_CA_FILE: receiver.caFile });
      const idle = openConnection(server.port);
      const post = (path: string, body: unknown) =>
        idle.send(encode({ method: 'POST', path, key: SANDBOX_KEY, body: JSON.stringify(body) }));
      await post('/v1/webhooks', { url: `${receiver.url}/hang`, events: ['transaction.screened'] });
      await post('/v1/transactions/screen', payment());
      await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
      const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SANDBOX_KEY}\r\nContent-Type: application/json\r\n`;
      const stuck = [
        openConnection(server.port).send('GET /healthz HT'),
        openConnection(server.port).send(`${head}Content-Length: 100\r\n\r\n{"user_id":`),
      ];
      for (const request of stuck) request.catch(() => {});
      await sleep(200);
      await stop(server);
    },
  );
});

test('a service that stops with requests in flight answers all of them, is not ready, and refuses new connections', async () => {
  const limits = { drainMs: 60_000, storeTimeoutMs: 60_000 };
  const { app, dataDir, url, port, stop: stopService } = await startForLoad(limits);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const sockets: Socket[] = [];
  app.http.server.on('connection', (socket: Socket) => sockets.push(socket));
  const release = await holdWrites(dataDir);
  const sent = take(20, faultTraffic());
  const answering = sendAll({ port }, sent);
  const probe = openConnection(port);
  const ready = probe.send('GET /readyz HTTP/1.1\r\nHost: x\r\n');
  // A connection without a request would be closed.
  await expect.poll(() => sockets.filter(({ bytesRead }) => bytesRead > 0).length).toBe(sent.length + 1);
  const stopped = stopService();
  const isRefused = (): Promise<boolean> =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    );
  await expect.poll(isRefused, { interval: 20 }).toBe(true);
  probe.write('\r\n');
  expect((await ready).status).toBe(503);
  await release();
  expect((await answering).map(({ status }) => status)).toEqual(sent.map(() => 200));
  await stopped;
  expect((await readStore(dataDir)).screenings.map(orderOf).sort()).toEqual(sent.map(({ order }) => order).sort());
});
