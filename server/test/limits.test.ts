import { describe, expect, test } from 'vitest';
import { makeLocalLimits, type Taken } from '../src/backend/limits.ts';
import { makeSharedLimits } from '../src/backend/limits-redis.ts';
import { hasRedisServer, type OwnRedis, openCounters, startRedis } from './redis-world.ts';

const START = Date.UTC(2026, 4, 1);

/** Some processes' limits on one Redis. */
const startLimits = (count: number, redis: OwnRedis) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { link } = (await openCounters(redis.url, 'test')).counters;
      return { link, limits: makeSharedLimits(link, 'test') };
    }),
  );
type Started = Awaited<ReturnType<typeof startLimits>>[0];
const granted = (taken: readonly Taken[]): number => taken.filter((one) => one.granted).length;

describe.skipIf(!hasRedisServer())('limits that processes share', () => {
  test.each([1, 7, 60, 600, 5000, 90_000])(
    'grant %d a minute to all of them together, and little less, however requests come',
    async (perMinute) => {
      const all = await startLimits(3, await startRedis());
      let total = 0;
      // At once, and one after the other.
      const burst = all.flatMap(({ limits }) =>
        Array.from({ length: Math.ceil(perMinute / 4) }, () => limits.take('key', perMinute, START)),
      );
      total += granted(await Promise.all(burst));
      for (let i = 0; i < perMinute; i++) {
        const taken = await (all[i % 3] as Started).limits.take('key', perMinute, START);
        total += Number(taken.granted);
      }
      expect(total).toBeLessThanOrEqual(perMinute);
      // Another may hold a slice of it.
      expect(total).toBeGreaterThanOrEqual(perMinute - 2 * (Math.ceil(perMinute / 600) - 1));
    },
  );

  test('refill by the time that passed, once for all of them, although their clocks differ', async () => {
    const [one, two] = (await startLimits(2, await startRedis())) as [Started, Started];
    for (let i = 0; i < 6; i++) await one.limits.take('key', 6, START);
    expect(await one.limits.take('key', 6, START)).toMatchObject({ granted: false, left: 0 });
    // The second is three seconds behind.
    let total = 0;
    for (let ms = 0; ms <= 60_000; ms += 500) {
      total += Number((await one.limits.take('key', 6, START + ms)).granted);
      total += Number((await two.limits.take('key', 6, START + ms - 3000)).granted);
    }
    expect(total).toBe(6);
  });

  test('ask Redis once for a tenth of a second of a busy key, and wait for it only at first', async () => {
    const redis = await startRedis();
    const [only] = (await startLimits(1, redis)) as [Started];
    const calls = async (): Promise<number> => {
      const info = String(await only.link.ask((client) => client.info('commandstats')));
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
    };
    let waited = 0;
    for (let i = 0; i < 6000; i++) {
      const taken = only.limits.take('key', 60_000, START);
      if (!(taken instanceof Promise)) {
        // The answer to what is asked in the background comes with a turn of the event loop.
        if (i % 25 === 0) await only.link.ask((client) => client.get('nothing'));
        continue;
      }
      waited++;
      expect((await taken).granted).toBe(true);
    }
    expect(waited).toBe(1);
    // Slices are of 100.
    expect(await calls()).toBeLessThan(130);
  });

  test('are counted by each for itself while Redis is away, what it granted before included', async () => {
    const redis = await startRedis();
    const [only] = (await startLimits(1, redis)) as [Started];
    for (let i = 0; i < 6; i++) expect((await only.limits.take('key', 10, START)).granted).toBe(true);
    await redis.stop();
    const taken = [];
    for (let i = 0; i < 10; i++) taken.push(await only.limits.take('key', 10, START));
    expect(granted(taken)).toBe(4);
    await redis.start();
    await expect.poll(() => only.link.isHere()).toBe(true);
    // It came back empty: the bucket is full again.
    expect(await only.limits.take('key', 10, START)).toEqual({ granted: true, left: 9 });
  });
});

test('one process by itself grants as many, and waits for nobody', () => {
  const limits = makeLocalLimits();
  const taken = Array.from({ length: 20 }, () => limits.take('key', 7, START));
  expect(granted(taken)).toBe(7);
});
