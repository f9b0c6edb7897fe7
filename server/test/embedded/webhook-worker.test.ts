import { expect, test } from 'vitest';
import type { Statement } from '../../src/backend/backend.ts';
import { findWebhook } from '../../src/webhooks/store.ts';
import { startReceiver, startTcpReceiver } from '../fixtures/receiver.ts';
import { startWorker, TENANT } from '../fixtures/worker.ts';

let requests = 0;
const receiver = await startReceiver(({ path }, response) => {
  if (path.endsWith('/alternating')) response.writeHead(requests++ % 2 === 0 ? 429 : 204).end();
  else if (!path.endsWith('/hang')) response.writeHead(204).end();
});
const silent = await startTcpReceiver();

const ENDPOINTS = 150;
const EACH = 8;
const HALF = 512;

test('hanging endpoints leave slots for a healthy one, even before they are known to fail', async () => {
  const { register, registerBusy, queue, sent, stop } = await startWorker(receiver);
  const healthy = await register();
  await queue(healthy);
  await expect.poll(() => sent(healthy)).toBe(1);
  await registerBusy(ENDPOINTS, EACH, silent.url);
  await expect.poll(silent.connections).toBe(HALF);
  await Promise.all(Array.from({ length: 20 }, () => queue(healthy)));
  await expect.poll(() => sent(healthy)).toBe(21);
  expect(silent.connections()).toBe(HALF);
  await stop();
});

test('a delivery in flight when the service stops stays pending, and its endpoint is not marked as failing', async () => {
  const { backend, deliveries, sender, register, queue, newest, sent, reports } = await startWorker(receiver);
  const id = await register('/hang');
  await queue(id);
  await expect.poll(() => sent(id)).toBe(1);
  await deliveries.stop(0);
  await sender.close();
  await expect.poll(async () => (await newest(id)).due_at).toBe(0);
  expect(await newest(id)).toMatchObject({ status: 'owed', attempts: '[]' });
  expect((await findWebhook(backend, TENANT, id))?.failing_since).toBeNull();
  expect(reports).toEqual([]);
  await backend.close();
});

test('no delivery stays leased when the service stops', async () => {
  const { backend, deliveries, sender, register, queue, sent } = await startWorker(receiver);
  const id = await register('/hang');
  await Promise.all(Array.from({ length: 100 }, () => queue(id)));
  await expect.poll(() => sent(id)).toBeGreaterThan(0);
  deliveries.wakeAll();
  await deliveries.stop(50);
  await sender.close();
  const due = async () => (await backend.read<{ due: number }>('SELECT MAX(due_at) AS due FROM deliveries'))[0]?.due;
  await expect.poll(due).toBe(0);
  await backend.close();
});

/** Twice the highest concurrency limit: a slow machine may raise the limit of an endpoint that far. */
const MOST_UNSTORED = 256;

test('while outcomes are not stored, few deliveries of an endpoint are sent: a crash would repeat them all', async () => {
  const { backend, register, queue, sent, stop } = await startWorker(receiver);
  const { promise: stored, resolve: store } = Promise.withResolvers<void>();
  const { write } = backend;
  Object.assign(backend, {
    write: async (statements: readonly Statement[]) => {
      if (statements.some(({ sql }) => sql.includes('attempts = '))) await stored;
      return write(statements);
    },
  });
  const id = await register();
  const other = await register();
  const count = 3 * MOST_UNSTORED;
  await Promise.all(Array.from({ length: count }, () => queue(id)));
  await expect.poll(() => sent(id)).toBeGreaterThanOrEqual(32);
  // Each round gives the worker time to send more to the first endpoint.
  for (let i = 1; i <= 20; i++) {
    await queue(other);
    await expect.poll(() => sent(other)).toBe(i);
  }
  expect(sent(id)).toBeLessThanOrEqual(MOST_UNSTORED);
  store();
  await expect.poll(() => sent(id)).toBe(count);
  await stop();
});

test('an endpoint whose secret cannot be decrypted does not stop deliveries to others', async () => {
  const { backend, deliveries, register, queue, sent, reports, stop } = await startWorker(receiver);
  const broken = await register();
  await backend.write([
    { sql: 'UPDATE webhooks SET sealed_secret = ? WHERE id = ?', params: [Buffer.alloc(60), broken] },
  ]);
  const later = await register();
  await queue(later);
  await expect.poll(() => sent(later)).toBe(1);
  expect(reports.at(0)).toContain(`wh_${broken}`);
  await deliveries.refresh();
  await stop();
});

test('an endpoint that fails every second message does not fill the log; a later failure is reported again', async () => {
  const { clock, deliveries, register, queue, sent, reports, stop } = await startWorker(receiver);
  const id = await register('/alternating');
  for (let i = 1; i <= 20; i++) {
    await queue(id);
    await expect.poll(() => sent(id)).toBe(i);
    await deliveries.refresh();
  }
  await expect.poll(() => reports).toEqual(['failing', 'recovered']);
  clock.advance(60_000);
  await expect.poll(() => reports.slice(0, 3)).toEqual(['failing', 'recovered', 'failing']);
  await stop();
});
