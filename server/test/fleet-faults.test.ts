import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, expectStored, type Fleet, startFleet, type Told, underLoad } from './fleet.ts';
import { cutAll, openClient } from './postgres.ts';
import { hasPostgres } from './postgres-answers.ts';
import { startReceiver } from './receiver.ts';
import { redisAnswers } from './redis-world.ts';
import { makeSharedStore } from './shared-store.ts';

const canRun = hasPostgres && (await redisAnswers());
const CUTS = 5;
/** What is let through between two faults, so that each meets a fleet at work. */
const SOME = 25;

describe.skipIf(!canRun)('under load', () => {
  let running: Fleet;
  let env: Record<string, string> = {};
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let database: Client;
  const arrived = new Set<string>();
  beforeAll(async () => {
    receiver = await startReceiver(({ body }, response) => {
      arrived.add(JSON.parse(String(body)).data.transaction_id);
      response.writeHead(204).end();
    });
    env = await makeSharedStore();
    running = await startFleet({ ...env, WEBHOOK_CA_FILE: receiver.caFile });
    const made = await ask(running.fleet.one, 'POST', '/v1/webhooks', {
      url: receiver.url,
      events: ['transaction.screened'],
    });
    expect(made.status).toBe(201);
    database = await openClient(env.DATABASE_URL as string);
    // Before the other process knows of it, it owes nothing.
    for (let owed = 0; owed === 0; ) {
      const body = { user_id: 'first', amount: 1, currency: 'EUR' };
      expect((await ask(running.fleet.two, 'POST', '/v1/transactions/screen', body)).status).toBe(200);
      owed = (await database.query('SELECT 1 FROM deliveries')).rowCount ?? 0;
    }
  }, 60_000);
  afterAll(async () => {
    await running?.stop();
    await receiver?.close();
  });

  const screenings = async (): Promise<number> =>
    Number((await database.query('SELECT COUNT(*) AS count FROM screenings')).rows[0]?.count);
  const letThrough = async (count: number): Promise<void> => {
    const enough = (await screenings()) + count;
    await expect.poll(screenings, { interval: 20, timeout: 60_000 }).toBeGreaterThanOrEqual(enough);
  };
  /** What was under way in a crash is free again when its lease ends. */
  const expectArrived = ({ screened }: Told): Promise<void> =>
    expect.poll(() => screened.filter(({ id }) => !arrived.has(id)), { timeout: 60_000, interval: 100 }).toEqual([]);

  test('kill -9 of each process in turn loses nothing that was acknowledged, and no webhook', {
    timeout: 120_000,
  }, async () => {
    const told = await underLoad(running, 1, async () => {
      for (const name of ['one', 'two', 'worker'] as const) {
        await letThrough(SOME);
        await running.kill(name);
      }
      await letThrough(SOME);
    });
    expect(Object.keys(told.statuses).filter((status) => !['200', '201', '503'].includes(status))).toEqual([]);
    expect(told.dropped).toBeGreaterThan(0);
    await expectStored(database, told);
    await expectArrived(told);
  });

  test('cutting all connections to the database gives 200s and 503s alone, five times, and loses nothing', {
    timeout: 120_000,
  }, async () => {
    const told = await underLoad(running, 2, async () => {
      for (let cut = 0; cut < CUTS; cut++) {
        await letThrough(SOME);
        await cutAll(env.DATABASE_URL as string);
      }
      await letThrough(SOME);
    });
    expect(Object.keys(told.statuses).filter((status) => !['200', '201', '503'].includes(status))).toEqual([]);
    expect(told.statuses[503]).toBeGreaterThan(0);
    expect(told.dropped).toBe(0);
    await expectStored(database, told);
    await expectArrived(told);
  });
});
