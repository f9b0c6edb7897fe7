import { describe, expect, test } from 'vitest';
import { makeLocalRateLimits, type RateLimitResult } from '../../src/backend/rate-limits.ts';
import { makeSharedRateLimits } from '../../src/backend/redis/rate-limits.ts';
import { hasRedisServer, openCounters, startRedis, type TestRedis } from '../fixtures/redis-world.ts';

const START = Date.UTC(2026, 4, 1);

/** Rate limits of several processes on one Redis. */
const startLimits = (count: number, redis: TestRedis) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { redis: client } = (await openCounters(redis.url, 'test')).counters;
      return { client, limits: makeSharedRateLimits(client, 'test') };
    }),
  );
type Started = Awaited<ReturnType<typeof startLimits>>[0];
const countGranted = (results: readonly RateLimitResult[]): number => results.filter((one) => one.granted).length;

describe.skipIf(!hasRedisServer())('rate limits that processes share', () => {
  test.each([1, 7, 60, 600, 5000, 90_000])(
    'grant %d requests a minute to all processes together, and hardly less',
    async (perMinute) => {
      const all = await startLimits(3, await startRedis());
      let total = 0;
      // At once, and one after the other.
      const burst = all.flatMap(({ limits }) =>
        Array.from({ length: Math.ceil(perMinute / 4) }, () => limits.take('key', perMinute, START)),
      );
      total += countGranted(await Promise.all(burst));
      for (let i = 0; i < perMinute; i++) {
        const taken = await (all[i % 3] as Started).limits.take('key', perMinute, START);
        total += Number(taken.granted);
      }
      expect(total).toBeLessThanOrEqual(perMinute);
      // Other processes may hold a slice each.
      expect(total).toBeGreaterThanOrEqual(perMinute - 2 * (Math.ceil(perMinute / 600) - 1));
    },
  );

  test('refill once for all processes, although their clocks differ', async () => {
    const [one, two] = (await startLimits(2, await startRedis())) as [Started, Started];
    for (let i = 0; i < 6; i++) await one.limits.take('key', 6, START);
    expect(await one.limits.take('key', 6, START)).toMatchObject({ granted: false, left: 0 });
    // The clock of the second process is three seconds behind.
    let total = 0;
    for (let ms = 0; ms <= 60_000; ms += 500) {
      total += Number((await one.limits.take('key', 6, START + ms)).granted);
      total += Number((await two.limits.take('key', 6, START + ms - 3000)).granted);
    }
    expect(total).toBe(6);
  });

  test('call Redis once per tenth of a second for a busy key, and wait only for the first call', async () => {
    const redis = await startRedis();
    const [only] = (await startLimits(1, redis)) as [Started];
    const calls = async (): Promise<number> => {
      const info = String(await only.client.send((connection) => connection.info('commandstats')));
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
    };
    let waited = 0;
    for (let i = 0; i < 6000; i++) {
      const taken = only.limits.take('key', 60_000, START);
      if (!(taken instanceof Promise)) {
        // Lets the answer of a background call arrive.
        if (i % 25 === 0) await only.client.send((connection) => connection.get('nothing'));
        continue;
      }
      waited++;
      expect((await taken).granted).toBe(true);
    }
    expect(waited).toBe(1);
    // A slice has 100 tokens.
    expect(await calls()).toBeLessThan(130);
  });

  test('are counted by each process while Redis is unavailable, including earlier requests', async () => {
    const redis = await startRedis();
    const [only] = (await startLimits(1, redis)) as [Started];
    for (let i = 0; i < 6; i++) expect((await only.limits.take('key', 10, START)).granted).toBe(true);
    await redis.stop();
    const taken = [];
    for (let i = 0; i < 10; i++) taken.push(await only.limits.take('key', 10, START));
    expect(countGranted(taken)).toBe(4);
    await redis.start();
    await expect.poll(() => only.client.isAvailable()).toBe(true);
    // Redis came back empty, so the bucket is full again.
    expect(await only.limits.take('key', 10, START)).toEqual({ granted: true, left: 9 });
  });
});

test('a single process grants the same number without waiting', () => {
  const limits = makeLocalRateLimits();
  const taken = Array.from({ length: 20 }, () => limits.take('key', 7, START));
  expect(countGranted(taken)).toBe(7);
});
