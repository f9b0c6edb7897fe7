import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openSqlite } from '../src/backend/sqlite.ts';
import { makeIds } from '../src/ids.ts';
import { makeLog } from '../src/log.ts';
import { makeMetrics } from '../src/metrics.ts';
import { makeDeliveryWorker } from '../src/webhooks/delivery-worker.ts';
import { newFolder, SANDBOX_KEY, serve } from './crash-process.ts';
import { makeFolder, payment } from './harness.ts';
import { startReceiver } from './receiver.ts';
import { insertEndpoint, oweMessage, SECRET_KEY } from './worker.ts';

const receiver = await startReceiver();

test('a thread that ends is started again, and sends what was owed meanwhile', async () => {
  const store = openSqlite({ directory: makeFolder() });
  const logs: string[] = [];
  let starts = 0;
  const worker = makeDeliveryWorker({
    // The first one cannot open the store, and ends.
    connect: () => ({ ...store.connect(), ...(starts++ === 0 ? { path: '/nowhere/portcullis.db' } : {}) }),
    secretKey: SECRET_KEY,
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
  await store.backend.write([oweMessage(id, newId(), Date.now())]);
  worker.wake([id]);
  const arrived = () => receiver.received.filter(({ path }) => path === '/again').length;
  await expect.poll(arrived).toBe(1);
  expect(starts).toBe(2);
  expect(logs.join('\n')).toContain('the thread that sends webhooks ended');
  await worker.stop();
  await store.backend.close();
});

test('with receivers and callers that hang, SIGTERM ends the service within 10 seconds, exit 0', {
  timeout: 40_000,
}, async () => {
  const server = await serve(newFolder(), { WEBHOOK_CA_FILE: receiver.caFile });
  const post = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${SANDBOX_KEY}`, 'content-type': 'application/json' };
    const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBeLessThan(300);
  };
  await post('/v1/webhooks', { url: `${receiver.url}/hang`, events: ['transaction.screened'] });
  await Promise.all(Array.from({ length: 50 }, () => post('/v1/transactions/screen', payment())));
  await expect.poll(() => receiver.received.filter(({ path }) => path === '/hang').length).toBeGreaterThan(0);
  const caller = connect(server.port, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) =>
    caller.write(
      `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SANDBOX_KEY}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
      resolve,
    ),
  );
  const startedAt = performance.now();
  server.kill('SIGTERM');
  expect((await server.exited).code).toBe(0);
  // Five seconds for the caller; the receivers' three are among them.
  expect(performance.now() - startedAt).toBeLessThan(7500);
  caller.destroy();
});
