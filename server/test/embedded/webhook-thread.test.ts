import { connect } from 'node:net';
import { identifyOffline } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { openSqlite } from '../../src/backend/embedded/store.ts';
import { makeIds } from '../../src/runtime/ids.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { makeMetrics } from '../../src/runtime/metrics.ts';
import { makeDeliveryWorker } from '../../src/webhooks/delivery-thread-host.ts';
import { CACHE_BYTES, client, makeFolder, payment, startService } from '../fixtures/harness.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { DATA_KEY, insertEndpoint, queueMessage } from '../fixtures/worker.ts';

const receiver = await startReceiver();

test('a thread that ends is restarted and sends the deliveries stored in between', async () => {
  const store = openSqlite({ directory: makeFolder(), identities: () => identifyOffline, cacheBytes: CACHE_BYTES });
  const logs: string[] = [];
  let starts = 0;
  const worker = makeDeliveryWorker({
    // The first thread cannot open the store and ends.
    connect: () => ({ ...store.connect(), ...(starts++ === 0 ? { path: '/nowhere/portcullis.db' } : {}) }),
    dataKeys: () => [{ version: 1, key: DATA_KEY, activeAt: 0, isRetired: false }],
    rules: { allowLoopback: true, allowedNetworks: [] },
    ca: receiver.ca,
    limitMs: undefined,
    log: makeLog('info', { write: (line) => void logs.push(line) }),
    metrics: makeMetrics(),
  });
  const newId = makeIds(Date.now);
  const id = newId();
  await store.backend.write([insertEndpoint(id, `${receiver.url}/again`, Date.now())]);
  await worker.refresh();
  await store.backend.write([queueMessage(id, newId(), Date.now())]);
  worker.wake([id]);
  const arrived = () => receiver.received.filter(({ path }) => path === '/again').length;
  await expect.poll(arrived).toBe(1);
  expect(starts).toBe(2);
  expect(logs.join('\n')).toContain('webhook thread ended; restarting it');
  await worker.stop();
  await store.backend.close();
});

test('deliveries in flight are given up while a caller that hangs still has time: the time limits run together', async () => {
  const service = await startService({ env: { WEBHOOK_CA_FILE: receiver.caFile }, drainMs: 60_000 });
  const key = await service.key();
  const api = client(service, key);
  await api.post('/v1/webhooks', { url: `${receiver.url}/hang`, events: ['transaction.screened'] });
  await api.pay(payment());
  await expect.poll(() => receiver.received.filter(({ path }) => path === '/hang').length).toBeGreaterThan(0);
  const caller = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
  const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  // A connection whose request has not arrived would be closed at once.
  const arrived = new Promise((resolve) => service.app.http.server.once('request', resolve));
  await new Promise((resolve) => caller.write(`${head}Content-Length: 9\r\n\r\n{`, resolve));
  await arrived;
  const stopped = service.stop();
  const due = async () =>
    (await service.app.backend.read<{ due_at: number }>('SELECT due_at FROM deliveries'))[0]?.due_at;
  await expect.poll(due).toBe(0);
  caller.destroy();
  await stopped;
});
