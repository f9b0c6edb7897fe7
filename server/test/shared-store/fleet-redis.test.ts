import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectStored, type LoadResult, type Reply, runUnderLoad, send } from '../fixtures/fleet.ts';
import { startServices } from '../fixtures/fleet-services.ts';
import { openClient } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { hasRedisServer, startRedis } from '../fixtures/redis-world.ts';
import { makeSharedStore } from '../fixtures/shared-store.ts';

const SOME = 30;
const gauge = (name: string, { json }: Reply): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(json)?.[1]);

describe.skipIf(!hasPostgres || !hasRedisServer())('Redis', () => {
  test('restarted under load, once with all its data lost, loses no screening, and decisions name the unavailable histories', {
    timeout: 120_000,
  }, async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const env: Record<string, string> = { ...(await makeSharedStore()), REDIS_URL: redis.url };
    const fleet = await startServices(env);
    const database = await openClient(env.DATABASE_URL as string);
    const screenings = async (): Promise<number> =>
      Number((await database.query('SELECT COUNT(*) AS count FROM screenings')).rows[0]?.count);
    const waitForScreenings = async (): Promise<void> => {
      const enough = (await screenings()) + SOME;
      await expect.poll(screenings, { interval: 20, timeout: 60_000 }).toBeGreaterThanOrEqual(enough);
    };
    const metricAt = (name: string) => async (): Promise<number[]> =>
      Promise.all([fleet.one, fleet.two].map(async (server) => gauge(name, await send(server, 'GET', '/metrics'))));
    const isUp = metricAt('portcullis_redis_up');
    const isComplete = metricAt('portcullis_histories_whole');
    const newest = async (): Promise<string> =>
      (await database.query('SELECT id FROM screenings ORDER BY seq DESC LIMIT 1')).rows[0].id;
    /** The histories that were unavailable to the newest decision. */
    const unavailable = async (): Promise<string[]> =>
      (await send(fleet.one, 'GET', `/v1/decisions/dec_${await newest()}`)).json.unavailable;

    /** Stops Redis, and starts it again after decisions were made without it. */
    const restart = async (whileStopped: () => void): Promise<void> => {
      await waitForScreenings();
      expect(await unavailable()).toEqual([]);
      await redis.stop();
      await waitForScreenings();
      expect(await isUp()).toEqual([0, 0]);
      expect(await unavailable()).toContain('user');
      whileStopped();
      await redis.start();
      await expect.poll(isUp).toEqual([1, 1]);
      await waitForScreenings();
    };
    const expectNothingLost = async (result: LoadResult): Promise<void> => {
      expect(Object.keys(result.statuses).filter((status) => !['200', '201', '503'].includes(status))).toEqual([]);
      expect(result.dropped).toBe(0);
      await expectStored(database, result);
    };

    await expectNothingLost(await runUnderLoad({ fleet }, 1, () => restart(() => {})));
    expect(await isComplete()).toEqual([1, 1]);
    const deleteData = (): void => rmSync(join(redis.dir, 'appendonlydir'), { recursive: true });
    await expectNothingLost(await runUnderLoad({ fleet }, 2, () => restart(deleteData)));
    // The histories are reported as incomplete until a rebuild.
    await expect.poll(isComplete).toEqual([0, 0]);
  });
});
