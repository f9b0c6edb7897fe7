import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { client, payment, type Service, startService } from '../fixtures/harness.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { isShared } from '../fixtures/shared-store.ts';

/** The threads that the process has started, by name. */
const threads = new Map<string, Worker>();
const remember = (thread: Worker): void => void threads.set(thread.threadName ?? '', thread);
beforeEach(() => {
  threads.clear();
  process.on('worker', remember);
});
afterEach(() => process.off('worker', remember));
const endThread = (name: string): Promise<number> => (threads.get(name) as Worker).terminate();

/** A service whose last write failed tries again after a second. */
const PROBED_MS = 1200;

const start = async (more: { env?: Record<string, string> } = {}) => {
  let fatal = 0;
  const service = await startService({ onFatal: () => void fatal++, ...more });
  return { service, api: client(service, await service.key()), fatal: () => fatal };
};
const logged = ({ logs }: Service, text: string): boolean => logs.some((line) => line.includes(text));

describe.skipIf(isShared)('a thread that ends', () => {
  test.each([
    ['writer-thread', 'the writer ended'],
    ['housekeeper-thread', 'the thread that saves histories ended'],
  ])(
    '%s: the process reports it once and ends, and acknowledged screenings are there after the next start',
    async (name, reason) => {
      const { service, api, fatal } = await start();
      expect((await api.pay(payment({ user_id: 'ada' }))).status).toBe(200);
      await endThread(name);
      await expect.poll(fatal).toBe(1);
      expect(logged(service, reason)).toBe(true);
      expect((await service.call('GET', '/readyz')).status).toBe(503);
      expect((await api.pay(payment())).status).toBe(503);
      // By then the service has tried to write to the thread that is gone. Waiting for it would never end.
      await new Promise((resolve) => setTimeout(resolve, PROBED_MS));
      await service.stop();
      expect(fatal()).toBe(1);
      const again = await startService({ dataDir: service.dataDir });
      const profile = await client(again, await again.key()).get('/v1/users/ada/risk-profile');
      expect(profile.json.transactions.count).toBe(1);
    },
  );

  test('reader-thread: it is started again, and lists are read', async () => {
    const { service, api, fatal } = await start();
    expect((await api.get('/v1/cases')).status).toBe(200);
    await endThread('reader-thread');
    await expect.poll(async () => (await api.get('/v1/cases')).status).toBe(200);
    expect([fatal(), (await service.call('GET', '/readyz')).status]).toEqual([0, 200]);
  });

  test('delivery-thread: it is started again, and messages are sent', async () => {
    const receiver = await startReceiver((_request, response) => response.writeHead(204).end());
    const { service, api, fatal } = await start({ env: { WEBHOOK_CA_FILE: receiver.caFile } });
    await api.post('/v1/webhooks', { url: receiver.url, events: ['transaction.screened'] });
    await api.pay(payment());
    await expect.poll(() => receiver.received.length).toBe(1);
    await endThread('delivery-thread');
    await api.pay(payment());
    await expect.poll(() => receiver.received.length).toBe(2);
    expect([fatal(), (await service.call('GET', '/readyz')).status]).toEqual([0, 200]);
    await receiver.close();
  });
});
