import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectStored, type Fleet, type LoadResult, runUnderLoad, send, startFleet } from '../fixtures/fleet.ts';
import { openClient, terminateConnections } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { isRedisAvailable } from '../fixtures/redis-world.ts';
import { makeSharedStore } from '../fixtures/shared-store.ts';

const canRun = hasPostgres && (await isRedisAvailable());
const CUTS = 5;
/** Screenings between two failures, so that each meets a busy fleet. */
const SOME = 25;
/** Of a caller between two requests while processes start, which takes seconds of processor time. */
const SLOW_MS = 50;

describe.skipIf(!canRun)('a fleet under load', () => {
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
    const made = await send(running.fleet.one, 'POST', '/v1/webhooks', {
      url: receiver.url,
      events: ['transaction.screened'],
    });
    expect(made.status).toBe(201);
    database = await openClient(env.DATABASE_URL as string);
    // The other process queues deliveries once it knows the webhook.
    for (let queued = 0; queued === 0; ) {
      const body = { user_id: 'first', amount: 1, currency: 'EUR' };
      expect((await send(running.fleet.two, 'POST', '/v1/transactions/screen', body)).status).toBe(200);
      queued = (await database.query('SELECT 1 FROM deliveries')).rowCount ?? 0;
    }
  }, 120_000);
  afterAll(async () => {
    await running?.stop();
    await receiver?.close();
  });

  const screenings = async (): Promise<number> =>
    Number((await database.query('SELECT COUNT(*) AS count FROM screenings')).rows[0]?.count);
  const waitForScreenings = async (count: number): Promise<void> => {
    const enough = (await screenings()) + count;
    await expect.poll(screenings, { interval: 20, timeout: 60_000 }).toBeGreaterThanOrEqual(enough);
  };
  /** Ends the leases of a killed worker. Its deliveries would become due by themselves, but 20 s later. */
  const endLeases = () =>
    database.query("UPDATE deliveries SET due_at = $1 WHERE status = 'owed' AND due_at > $1", [Date.now()]);
  const expectArrived = ({ screened }: LoadResult): Promise<void> =>
    expect.poll(() => screened.filter(({ id }) => !arrived.has(id)), { timeout: 60_000, interval: 100 }).toEqual([]);

  test('loses no acknowledged request and no webhook when each process is killed in turn', {
    timeout: 120_000,
  }, async () => {
    const killEach = async (): Promise<void> => {
      for (const name of ['one', 'two', 'worker'] as const) {
        await waitForScreenings(SOME);
        await running.kill(name, name === 'worker' ? endLeases : undefined);
      }
      await waitForScreenings(SOME);
    };
    const result = await runUnderLoad(running, 1, killEach, SLOW_MS);
    expect(Object.keys(result.statuses).filter((status) => !['200', '201', '503'].includes(status))).toEqual([]);
    expect(result.dropped).toBeGreaterThan(0);
    await expectStored(database, result);
    await expectArrived(result);
  });

  test('answers only 200, 201 and 503 and loses nothing when all database connections are cut five times', {
    timeout: 120_000,
  }, async () => {
    const result = await runUnderLoad(running, 2, async () => {
      for (let cut = 0; cut < CUTS; cut++) {
        await waitForScreenings(SOME);
        await terminateConnections(env.DATABASE_URL as string);
      }
      await waitForScreenings(SOME);
    });
    expect(Object.keys(result.statuses).filter((status) => !['200', '201', '503'].includes(status))).toEqual([]);
    expect(result.statuses[503]).toBeGreaterThan(0);
    expect(result.dropped).toBe(0);
    await expectStored(database, result);
    await expectArrived(result);
  });
});
