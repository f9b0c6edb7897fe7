import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask, expectStored, type Replied, startFleet, type Told, underLoad } from './fleet.ts';
import { openClient } from './postgres.ts';
import { hasPostgres } from './postgres-answers.ts';
import { hasRedisServer, startRedis } from './redis-world.ts';
import { makeSharedStore } from './shared-store.ts';

const SOME = 30;
const gauge = (name: string, { json }: Replied): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(json)?.[1]);

describe.skipIf(!hasPostgres || !hasRedisServer())('Redis', () => {
  test('restarted under load, and once with all its data lost, loses nothing, and decisions name what was unavailable', {
    timeout: 120_000,
  }, async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const env: Record<string, string> = { ...(await makeSharedStore()), REDIS_URL: redis.url };
    const running = await startFleet(env);
    const { fleet } = running;
    const database = await openClient(env.DATABASE_URL as string);
    const screenings = async (): Promise<number> =>
      Number((await database.query('SELECT COUNT(*) AS count FROM screenings')).rows[0]?.count);
    const letThrough = async (): Promise<void> => {
      const enough = (await screenings()) + SOME;
      await expect.poll(screenings, { interval: 20, timeout: 60_000 }).toBeGreaterThanOrEqual(enough);
    };
    const metricAt = (name: string) => async (): Promise<number[]> =>
      Promise.all([fleet.one, fleet.two].map(async (server) => gauge(name, await ask(server, 'GET', '/metrics'))));
    const isUp = metricAt('portcullis_redis_up');
    const isWhole = metricAt('portcullis_histories_whole');
    const newest = async (): Promise<string> =>
      (await database.query('SELECT id FROM screenings ORDER BY seq DESC LIMIT 1')).rows[0].id;
    /** What the newest decision could not know. */
    const unavailable = async (): Promise<string[]> =>
      (await ask(fleet.one, 'GET', `/v1/decisions/dec_${await newest()}`)).json.unavailable;

    /** Stops it, and starts it again when decisions have been made without it. */
    const restart = async (meanwhile: () => void): Promise<void> => {
      await letThrough();
      expect(await unavailable()).toEqual([]);
      await redis.stop();
      await letThrough();
      expect(await isUp()).toEqual([0, 0]);
      expect(await unavailable()).toContain('user');
      meanwhile();
      await redis.start();
      await expect.poll(isUp).toEqual([1, 1]);
      await letThrough();
    };
    const expectFine = async (told: Told): Promise<void> => {
      expect(Object.keys(told.statuses).filter((status) => !['200', '201', '503'].includes(status))).toEqual([]);
      expect(told.dropped).toBe(0);
      await expectStored(database, told);
    };

    await expectFine(await underLoad(running, 1, () => restart(() => {})));
    expect(await isWhole()).toEqual([1, 1]);
    const lost = (): void => rmSync(join(redis.dir, 'appendonlydir'), { recursive: true });
    await expectFine(await underLoad(running, 2, () => restart(lost)));
    // Those it has are too young, which is told until they are made anew.
    await expect.poll(isWhole).toEqual([0, 0]);
    await running.stop();
  });
});
