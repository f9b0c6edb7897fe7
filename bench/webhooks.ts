import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callApi } from './api.ts';
import { closedLoop } from './load.ts';
import { nextMessage, startServer } from './process.ts';
import { makeSharedStore } from './shared-store.ts';

export interface WebhookCost {
  readonly delivered: number;
  readonly deliveriesPerSecond: number;
  /** Deliveries per second on PostgreSQL; undefined if it is not available. */
  readonly sharedPerSecond: number | undefined;
  readonly screeningsWithout: number;
  readonly screeningsWith: number;
  readonly share: number;
}

const PENDING = 10_000;
const ROUNDS = 5;
const ROUND_MS = 3000;
const CONNECTIONS = 32;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

const startReceiver = async () => {
  const child = fork(fileURLToPath(new URL('./receiver-server.ts', import.meta.url)));
  const { port, ca } = await nextMessage<{ port: number; ca: string }>(child);
  const send = (message: 'hold' | 'open' | 'count'): Promise<{ received: number }> => {
    child.send(message);
    return nextMessage(child);
  };
  return {
    url: `https://127.0.0.1:${port}`,
    ca,
    hold: () => send('hold'),
    open: () => send('open'),
    count: async () => (await send('count')).received,
    stop: () => void child.send('stop'),
  };
};

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a service with an endpoint that receives every screening. `deliver` measures the delivery of pending webhooks. */
const startService = async (receiver: Receiver, directory: string, env: Record<string, string>, next: () => string) => {
  const caFile = join(directory, 'ca.pem');
  writeFileSync(caFile, receiver.ca);
  const service = await startServer('./service-server.ts', { DATA_DIR: directory, WEBHOOK_CA_FILE: caFile, ...env });
  const { target } = service;
  const events = ['transaction.screened'];
  const { webhook_id: id } = await callApi<{ webhook_id: string }>(target, 'POST', '/webhooks', {
    url: receiver.url,
    events,
  });
  const waitForDeliveries = async (count: number): Promise<void> => {
    while ((await receiver.count()) < count) await pause(5);
  };
  const deliver = async (): Promise<{ delivered: number; perSecond: number }> => {
    const received = await receiver.count();
    await receiver.hold();
    await closedLoop(target, CONNECTIONS, next, { requests: PENDING });
    const before = await receiver.count();
    const startedAt = performance.now();
    await receiver.open();
    await waitForDeliveries(received + PENDING);
    const delivered = (await receiver.count()) - before;
    return { delivered, perSecond: (delivered / (performance.now() - startedAt)) * 1000 };
  };
  return { service, target, id, waitForDeliveries, deliver };
};

/** Deliveries per second with PostgreSQL as the store. */
const measureShared = async (receiver: Receiver, next: () => string): Promise<number | undefined> => {
  const store = await makeSharedStore();
  if (store === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-webhooks-'));
  try {
    const { service, deliver } = await startService(receiver, directory, store.env, next);
    try {
      return (await deliver()).perSecond;
    } finally {
      await service.stop();
    }
  } finally {
    await store.drop();
    rmSync(directory, { recursive: true, force: true });
  }
};

/** Deliveries per second, and the cost of one subscribed endpoint for screening. */
export const measureWebhooks = async (next: () => string): Promise<WebhookCost> => {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-webhooks-'));
  const receiver = await startReceiver();
  const { service, target, id, waitForDeliveries, deliver } = await startService(receiver, directory, {}, next);
  try {
    const { delivered, perSecond } = await deliver();
    const screened = { disabled: 0, enabled: 0 };
    let expected = await receiver.count();
    for (let round = 0; round < ROUNDS; round++) {
      for (const status of ['disabled', 'enabled'] as const) {
        await callApi(target, 'PUT', `/webhooks/${id}`, { status });
        const { requests, seconds, errors } = await closedLoop(target, CONNECTIONS, next, { ms: ROUND_MS });
        if (errors > 0) throw new Error(`${errors} responses were not 200`);
        screened[status] += requests / seconds / ROUNDS;
        if (status === 'enabled') expected += requests;
        // Pending deliveries must not be sent in a round that measures screening without them.
        await waitForDeliveries(expected);
      }
    }
    return {
      delivered,
      deliveriesPerSecond: perSecond,
      sharedPerSecond: await measureShared(receiver, next),
      screeningsWithout: screened.disabled,
      screeningsWith: screened.enabled,
      share: screened.enabled / screened.disabled,
    };
  } finally {
    await service.stop();
    receiver.stop();
    rmSync(directory, { recursive: true, force: true });
  }
};
