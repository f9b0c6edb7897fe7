import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closedLoop, type Target } from './load.ts';
import { answer, startServer } from './process.ts';
import { makeSharedStore } from './shared-store.ts';

export interface WebhookCost {
  readonly delivered: number;
  readonly deliveriesPerSecond: number;
  /** On PostgreSQL; undefined where none answers. */
  readonly sharedPerSecond: number | undefined;
  readonly screeningsWithout: number;
  readonly screeningsWith: number;
  readonly share: number;
}

const OWED = 10_000;
const ROUNDS = 5;
const ROUND_MS = 3000;
const CONNECTIONS = 32;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

const startReceiver = async () => {
  const child = fork(fileURLToPath(new URL('./receiver-server.ts', import.meta.url)));
  const { port, ca } = await answer<{ port: number; ca: string }>(child);
  const say = (message: 'hold' | 'open' | 'count'): Promise<{ received: number }> => {
    child.send(message);
    return answer(child);
  };
  return {
    url: `https://127.0.0.1:${port}`,
    ca,
    hold: () => say('hold'),
    open: () => say('open'),
    count: async () => (await say('count')).received,
    stop: () => void child.send('stop'),
  };
};

const call = async ({ port, key }: Target, method: string, path: string, body: unknown) => {
  const response = await fetch(`http://127.0.0.1:${port}/v1/webhooks${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`);
  return (await response.json()) as { webhook_id: string };
};

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A service with an endpoint that is told of every screening, and how fast what is owed to it leaves. */
const startTelling = async (receiver: Receiver, directory: string, env: Record<string, string>, next: () => string) => {
  const caFile = join(directory, 'ca.pem');
  writeFileSync(caFile, receiver.ca);
  const service = await startServer('./service-server.ts', { DATA_DIR: directory, WEBHOOK_CA_FILE: caFile, ...env });
  const { target } = service;
  const events = ['transaction.screened'];
  const { webhook_id: id } = await call(target, 'POST', '', { url: receiver.url, events });
  const arrived = async (count: number): Promise<void> => {
    while ((await receiver.count()) < count) await pause(5);
  };
  const deliver = async (): Promise<{ delivered: number; perSecond: number }> => {
    const received = await receiver.count();
    await receiver.hold();
    await closedLoop(target, CONNECTIONS, next, { requests: OWED });
    const before = await receiver.count();
    const startedAt = performance.now();
    await receiver.open();
    await arrived(received + OWED);
    const delivered = (await receiver.count()) - before;
    return { delivered, perSecond: (delivered / (performance.now() - startedAt)) * 1000 };
  };
  return { service, target, id, arrived, deliver };
};

/** How fast deliveries leave where the store is PostgreSQL. */
const measureShared = async (receiver: Receiver, next: () => string): Promise<number | undefined> => {
  const store = await makeSharedStore();
  if (store === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-webhooks-'));
  try {
    const { service, deliver } = await startTelling(receiver, directory, store.env, next);
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

/** How fast deliveries leave, and what one subscribed endpoint costs screening. */
export const measureWebhooks = async (next: () => string): Promise<WebhookCost> => {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-webhooks-'));
  const receiver = await startReceiver();
  const { service, target, id, arrived, deliver } = await startTelling(receiver, directory, {}, next);
  try {
    const { delivered, perSecond } = await deliver();
    const screened = { disabled: 0, enabled: 0 };
    let owed = await receiver.count();
    for (let round = 0; round < ROUNDS; round++) {
      for (const status of ['disabled', 'enabled'] as const) {
        await call(target, 'PUT', `/${id}`, { status });
        const { requests, seconds, errors } = await closedLoop(target, CONNECTIONS, next, { ms: ROUND_MS });
        if (errors > 0) throw new Error(`${errors} answers were not 200`);
        screened[status] += requests / seconds / ROUNDS;
        if (status === 'enabled') owed += requests;
        // What is still owed must not be sent in a round that is to be without.
        await arrived(owed);
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
