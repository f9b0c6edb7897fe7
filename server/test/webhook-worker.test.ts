import { expect, test } from 'vitest';
import { findWebhook } from '../src/webhooks/store.ts';
import { startReceiver, startTcpReceiver } from './receiver.ts';
import { startWorker, TENANT } from './worker.ts';

let turns = 0;
const receiver = await startReceiver(({ path }, response) => {
  if (path.endsWith('/turns')) response.writeHead(turns++ % 2 === 0 ? 429 : 204).end();
  else if (!path.endsWith('/hang')) response.writeHead(204).end();
});
const silent = await startTcpReceiver();

const ENDPOINTS = 150;
const EACH = 8;
const HALF = 512;

test('endpoints that hang do not take the places of one that answers, even before they are known to fail', async () => {
  const { register, owe, sent, stop } = await startWorker(receiver);
  const healthy = await register();
  await owe(healthy);
  await expect.poll(() => sent(healthy)).toBe(1);
  for (let i = 0; i < ENDPOINTS; i++) {
    const id = await register('', silent.url);
    await Promise.all(Array.from({ length: EACH }, () => owe(id)));
  }
  await expect.poll(silent.connections, { timeout: 9000 }).toBe(HALF);
  await Promise.all(Array.from({ length: 20 }, () => owe(healthy)));
  await expect.poll(() => sent(healthy), { timeout: 3000 }).toBe(21);
  expect(silent.connections()).toBe(HALF);
  await stop();
});

test('what is under way when the service stops is owed as before, and its receiver has not failed', async () => {
  const { backend, deliveries, sender, register, owe, newest, sent, told } = await startWorker(receiver);
  const id = await register('/hang');
  await owe(id);
  await expect.poll(() => sent(id)).toBe(1);
  await deliveries.stop(0);
  await sender.close();
  await expect.poll(async () => (await newest(id)).due_at).toBe(0);
  expect(await newest(id)).toMatchObject({ status: 'owed', attempts: '[]' });
  expect((await findWebhook(backend, TENANT, id))?.failing_since).toBeNull();
  expect(told).toEqual([]);
  await backend.close();
});

test('nothing stays leased when the service stops', async () => {
  const { backend, deliveries, sender, register, owe, sent } = await startWorker(receiver);
  const id = await register('/hang');
  await Promise.all(Array.from({ length: 100 }, () => owe(id)));
  await expect.poll(() => sent(id)).toBeGreaterThan(0);
  deliveries.wakeAll();
  await deliveries.stop(50);
  await sender.close();
  const due = async () => (await backend.read<{ due: number }>('SELECT MAX(due_at) AS due FROM deliveries'))[0]?.due;
  await expect.poll(due).toBe(0);
  await backend.close();
});

test('an endpoint whose secret cannot be opened keeps no other from being sent to', async () => {
  const { backend, deliveries, register, owe, sent, told, stop } = await startWorker(receiver);
  const broken = await register();
  await backend.write([
    { sql: 'UPDATE webhooks SET sealed_secret = ? WHERE id = ?', params: [Buffer.alloc(60), broken] },
  ]);
  const later = await register();
  await owe(later);
  await expect.poll(() => sent(later)).toBe(1);
  expect(told.at(0)).toContain(`wh_${broken}`);
  await deliveries.refresh();
  await stop();
});

test('an endpoint that takes every second message does not fill the log, and one that goes on failing is told of', async () => {
  const { clock, deliveries, register, owe, sent, told, stop } = await startWorker(receiver);
  const id = await register('/turns');
  for (let i = 1; i <= 20; i++) {
    await owe(id);
    await expect.poll(() => sent(id)).toBe(i);
    await deliveries.refresh();
  }
  await expect.poll(() => told).toEqual(['failing', 'recovered']);
  clock.advance(60_000);
  await expect.poll(() => told.slice(0, 3)).toEqual(['failing', 'recovered', 'failing']);
  await stop();
});
