import { describe, expect, test } from 'vitest';
import { makeIds } from '../../src/runtime/ids.ts';
import { makeDeliveries } from '../../src/webhooks/deliver.ts';
import { insertDelivery } from '../../src/webhooks/delivery-store.ts';
import { makeSender } from '../../src/webhooks/send.ts';
import { findWebhook } from '../../src/webhooks/store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, START } from '../fixtures/harness.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { seal, startWorker as startWorkerFor, TENANT } from '../fixtures/worker.ts';

let status = 500;
const receiver = await startReceiver(({ path }, response) =>
  response.writeHead(path.endsWith('/witness') ? 204 : status).end(),
);

const startWorker = (random: () => number) => startWorkerFor(receiver, random);

const SCHEDULE_MS = [5000, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 10 * HOUR_MS];

describe('the schedule', () => {
  test.each([
    ['20 % early at most', 0, 0.8],
    ['on time in the middle', 0.5, 1],
    ['20 % late at most', 1, 1.2],
  ])('retries after each failure, %s, until no retry is left', async (_name, random, share) => {
    status = 500;
    const { clock, register, queue, newest, attempts, sent, settle, reports, stop } = await startWorker(() => random);
    const id = await register();
    await queue(id);
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
    expect(reports).toContain('failing');
    await stop();
  });

  test('sends a delivery at once that a clock ahead of time has put off for months', async () => {
    status = 500;
    const { clock, register, queue, newest, attempts, stop } = await startWorker(() => 0.5);
    const id = await register();
    clock.advance(100 * DAY_MS);
    await queue(id);
    await expect.poll(async () => (await attempts(id)).length).toBe(1);
    // The worker looks for such deliveries every 5 seconds.
    clock.advance(6000 - 100 * DAY_MS);
    status = 204;
    await expect.poll(async () => (await newest(id)).status, { interval: 20 }).toBe('delivered');
    await stop();
  });

  test('ends with the first success', async () => {
    status = 503;
    const { clock, backend, register, queue, newest, attempts, sent, settle, reports, stop } = await startWorker(
      () => 0.5,
    );
    const id = await register();
    await queue(id);
    await expect.poll(async () => (await attempts(id)).length).toBe(1);
    await expect.poll(async () => (await findWebhook(backend, TENANT, id))?.failing_since).toBe(START);
    status = 204;
    clock.set((await newest(id)).due_at);
    await expect.poll(async () => (await newest(id)).status).toBe('delivered');
    await expect.poll(async () => (await findWebhook(backend, TENANT, id))?.failing_since).toBeNull();
    await expect.poll(() => reports).toContain('recovered');
    clock.advance(30 * DAY_MS);
    await settle();
    expect(sent(id)).toBe(2);
    await stop();
  });
});

describe('an endpoint that fails everything', () => {
  test('is not disabled while the clock is in doubt', async () => {
    status = 500;
    let isCertain = false;
    const { clock, backend, register, queue, newest, attempts, stop } = await startWorkerFor(
      receiver,
      () => 0.5,
      () => isCertain,
    );
    const id = await register();
    const state = async () => (await findWebhook(backend, TENANT, id))?.status;
    await queue(id);
    await expect.poll(async () => (await attempts(id)).length).toBe(1);
    clock.advance(100 * DAY_MS);
    await expect.poll(async () => (await attempts(id)).length).toBe(2);
    expect(await state()).toBe('enabled');
    isCertain = true;
    clock.set((await newest(id)).due_at);
    await expect.poll(state).toBe('disabled');
    await stop();
  });

  test('for 5 days is disabled, with an audit entry, and its pending deliveries stay', async () => {
    status = 500;
    const { clock, backend, register, queue, newest, attempts, sent, settle, reports, stop } = await startWorker(
      () => 0.5,
    );
    const id = await register();
    await queue(id);
    await expect.poll(async () => (await attempts(id)).length).toBe(1);
    clock.set(START + 5 * DAY_MS - 1);
    await queue(id);
    // Both are stored as failed. One that fails later would disable the endpoint before the third is sent.
    const attemptsOfAll = async (): Promise<number> => {
      const rows = await backend.read<{ attempts: string }>('SELECT attempts FROM deliveries WHERE webhook_id = ?', id);
      return rows.reduce((sum, row) => sum + JSON.parse(row.attempts).length, 0);
    };
    await expect.poll(attemptsOfAll).toBe(3);
    expect((await findWebhook(backend, TENANT, id))?.status).toBe('enabled');
    clock.advance(1);
    await queue(id);
    await expect.poll(async () => (await findWebhook(backend, TENANT, id))?.status).toBe('disabled');
    await expect.poll(() => reports).toContain('disabled');
    expect(await backend.read('SELECT tenant, key_id, action, target FROM audit')).toEqual([
      { tenant: TENANT, key_id: 'key_webhook_worker', action: 'webhook.disabled', target: `wh_${id}` },
    ]);
    const before = sent(id);
    clock.advance(DAY_MS);
    await settle();
    expect(sent(id)).toBe(before);
    expect((await newest(id)).status).toBe('owed');
    await stop();
  });

  test('is not disabled if one delivery succeeds in between', async () => {
    status = 500;
    const { clock, backend, register, queue, attempts, newest, stop } = await startWorker(() => 0.5);
    const id = await register();
    for (const [day, answer] of [
      [0, 500],
      [3, 200],
      [4, 500],
      [8, 500],
    ] as const) {
      clock.set(START + day * DAY_MS);
      status = answer;
      await queue(id);
      await expect.poll(async () => (await attempts(id)).length).toBe(1);
      await expect.poll(async () => (await newest(id)).status).toBe(answer === 200 ? 'delivered' : 'owed');
    }
    expect((await findWebhook(backend, TENANT, id))?.status).toBe('enabled');
    await stop();
  });
});

describe('a lease', () => {
  test('goes to one of two workers, and to another after its holder died', async () => {
    status = 200;
    const { clock, backend, register, sent, settle, stop } = await startWorker(() => 0.5);
    const other = makeDeliveries({
      backend,
      seal,
      sender: makeSender({ rules: { allowLoopback: true, allowedNetworks: [] }, ca: receiver.ca }),
      clock: clock.now,
      report: { outcome: () => {}, failing: () => {}, recovered: () => {}, disabled: () => {}, error: () => {} },
    });
    await other.start();
    const id = await register();
    await other.refresh();
    const newId = makeIds(clock.now);
    const message = () => ({ id: newId(), type: 'case.created' as const, body: '{}', createdAt: clock.now() });
    await Promise.all(Array.from({ length: 50 }, () => backend.write([insertDelivery(TENANT, id, message())])));
    const pending = async () =>
      (await backend.read("SELECT 1 FROM deliveries WHERE webhook_id = ? AND status = 'owed'", id)).length;
    for (let round = 0; round < 20; round++) {
      settle().catch(() => {});
      other.wake(id);
    }
    await expect.poll(pending).toBe(0);
    expect(sent(id)).toBe(50);
    await other.stop(0);
    // The state after a worker was killed: leased, and no worker holds the lease.
    await backend.write([insertDelivery(TENANT, id, message())]);
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
