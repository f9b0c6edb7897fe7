import { describe, expect, test } from 'vitest';
import { makeIds } from '../src/ids.ts';
import { makeDeliveries } from '../src/webhooks/deliveries.ts';
import { insertOwed } from '../src/webhooks/delivery-store.ts';
import { makeSender } from '../src/webhooks/send.ts';
import { findWebhook } from '../src/webhooks/store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, START } from './harness.ts';
import { startReceiver } from './receiver.ts';
import { seal, startWorker as startWorkerFor, TENANT } from './worker.ts';

let status = 500;
const receiver = await startReceiver(({ path }, response) =>
  response.writeHead(path.endsWith('/witness') ? 204 : status).end(),
);

const startWorker = (random: () => number) => startWorkerFor(receiver, random);

const SCHEDULE_MS = [5000, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 10 * HOUR_MS];

describe('the schedule', () => {
  test.each([
    ['a fifth earlier at most', 0, 0.8],
    ['as written in the middle', 0.5, 1],
    ['a fifth later at most', 1, 1.2],
  ])('after each failure comes the next attempt, %s, until none is left', async (_name, random, share) => {
    status = 500;
    const { clock, register, owe, newest, attempts, sent, settle, told, stop } = await startWorker(() => random);
    const id = await register();
    await owe(id);
    for (const [made, afterMs] of SCHEDULE_MS.entries()) {
      await expect.poll(async () => (await attempts(id)).length).toBe(made + 1);
      const { status: state, due_at: due } = await newest(id);
      expect(state).toBe('owed');
      expect(due - clock.now()).toBe(Math.round(afterMs * share));
      clock.set(due - 1);
      await settle();
      expect(sent(id)).toBe(made + 1);
      clock.set(due);
    }
    await expect.poll(async () => (await newest(id)).status).toBe('failed');
    expect((await attempts(id)).map((attempt) => attempt.status)).toEqual(new Array(8).fill(500));
    clock.advance(30 * DAY_MS);
    await settle();
    expect(sent(id)).toBe(8);
    expect(told).toContain('failing');
    await stop();
  });

  test('ends with the first success', async () => {
    status = 503;
    const { clock, backend, register, owe, newest, attempts, sent, settle, told, stop } = await startWorker(() => 0.5);
    const id = await register();
    await owe(id);
    await expect.poll(async () => (await attempts(id)).length).toBe(1);
    await expect.poll(async () => (await findWebhook(backend, TENANT, id))?.failing_since).toBe(START);
    status = 204;
    clock.set((await newest(id)).due_at);
    await expect.poll(async () => (await newest(id)).status).toBe('delivered');
    await expect.poll(async () => (await findWebhook(backend, TENANT, id))?.failing_since).toBeNull();
    expect(told).toContain('recovered');
    clock.advance(30 * DAY_MS);
    await settle();
    expect(sent(id)).toBe(2);
    await stop();
  });
});

describe('an endpoint that fails everything', () => {
  test('for 5 days is disabled, and what it is still owed stays', async () => {
    status = 500;
    const { clock, backend, register, owe, newest, attempts, sent, settle, told, stop } = await startWorker(() => 0.5);
    const id = await register();
    await owe(id);
    await expect.poll(async () => (await attempts(id)).length).toBe(1);
    clock.set(START + 5 * DAY_MS - 1);
    await owe(id);
    await expect.poll(async () => (await attempts(id)).length).toBe(1);
    expect((await findWebhook(backend, TENANT, id))?.status).toBe('enabled');
    clock.advance(1);
    await owe(id);
    await expect.poll(async () => (await findWebhook(backend, TENANT, id))?.status).toBe('disabled');
    expect(told).toContain('disabled');
    const before = sent(id);
    clock.advance(DAY_MS);
    await settle();
    expect(sent(id)).toBe(before);
    expect((await newest(id)).status).toBe('owed');
    await stop();
  });

  test('is not disabled when one thing succeeds in between', async () => {
    status = 500;
    const { clock, backend, register, owe, attempts, newest, stop } = await startWorker(() => 0.5);
    const id = await register();
    for (const [day, answer] of [
      [0, 500],
      [3, 200],
      [4, 500],
      [8, 500],
    ] as const) {
      clock.set(START + day * DAY_MS);
      status = answer;
      await owe(id);
      await expect.poll(async () => (await attempts(id)).length).toBe(1);
      await expect.poll(async () => (await newest(id)).status).toBe(answer === 200 ? 'delivered' : 'owed');
    }
    expect((await findWebhook(backend, TENANT, id))?.status).toBe('enabled');
    await stop();
  });
});

describe('a lease', () => {
  test('is given to one of two workers, and to another when its holder is gone', async () => {
    status = 200;
    const { clock, backend, register, sent, settle, stop } = await startWorker(() => 0.5);
    const other = makeDeliveries({
      backend,
      seal,
      sender: makeSender({ rules: { allowLoopback: true, allowedNetworks: [] }, ca: receiver.ca }),
      clock: clock.now,
      report: { outcome: () => {}, failing: () => {}, recovered: () => {}, disabled: () => {}, fault: () => {} },
    });
    await other.start();
    const id = await register();
    await other.refresh();
    const newId = makeIds(clock.now);
    const message = () => ({ id: newId(), type: 'case.created' as const, body: '{}', createdAt: clock.now() });
    await Promise.all(Array.from({ length: 50 }, () => backend.write([insertOwed(TENANT, id, message())])));
    const owed = async () =>
      (await backend.read("SELECT 1 FROM deliveries WHERE webhook_id = ? AND status = 'owed'", id)).length;
    for (let round = 0; round < 20; round++) {
      settle().catch(() => {});
      other.wake(id);
    }
    await expect.poll(owed).toBe(0);
    expect(sent(id)).toBe(50);
    await other.stop(0);
    // As a worker leaves it that was killed: taken until a moment, and nobody there.
    await backend.write([insertOwed(TENANT, id, message())]);
    await backend.write([
      { sql: "UPDATE deliveries SET due_at = ? WHERE status = 'owed'", params: [clock.now() + 20_000] },
    ]);
    clock.advance(19_999);
    await settle();
    expect(sent(id)).toBe(50);
    clock.advance(1);
    await settle();
    await expect.poll(() => sent(id)).toBe(51);
    await stop();
  });
});
