import { type Facts, fact, makeFacts, type Profile } from '@portcullis/engine';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeBacklogRegistry } from '../../src/backend/redis/backlog-registry.ts';
import type { RedisCounters } from '../../src/backend/redis/counters.ts';
import { type RebuildOptions, type RebuildResult, rebuildFromJournal } from '../../src/backend/redis/rebuild.ts';
import { beginCluster } from '../fixtures/redis-cluster.ts';
import { makeRedisProxy } from '../fixtures/redis-proxy.ts';
import {
  hasRedisServer,
  makeOracle,
  makeRandom,
  type Oracle,
  openCounters,
  startRedis,
  TEST_KEY,
  untilIdle,
  withFewUsers,
} from '../fixtures/redis-world.ts';
import { type Step, traffic } from '../fixtures/traffic.ts';

const PREFIX = 'portcullis';
const USERS = 8;
const STEPS = 130;
const LATER_MS = 60_000;

/** Sends traffic with labels to the embedded counters and those in Redis. Each step waits for `mayGoOn`. */
const play = async (
  oracle: Oracle,
  counters: RedisCounters,
  steps: Iterable<Step>,
  seed: number,
  mayGoOn?: () => Promise<void>,
): Promise<void> => {
  const random = makeRandom(seed);
  for (const step of steps) {
    await mayGoOn?.();
    oracle.advance(Math.max(0, step.afterMs));
    await oracle.screen(1 + Math.floor(random() * 2), withFewUsers(step, USERS), counters);
    const item = oracle.screened[Math.floor(random() * oracle.screened.length)];
    if (random() < 0.3 && item !== undefined) await oracle.label(item, random() < 0.6, counters);
    await untilIdle(counters);
  }
};
const expectSame = async (oracle: Oracle, counters: RedisCounters, seed: number): Promise<void> => {
  for (const tenant of [1, 2])
    for (let user = 0; user < USERS; user++) {
      const [here, there] = await oracle.user(tenant, `user_${user}`, counters);
      expect(there).toEqual(here);
    }
  // Compares all other histories by the facts of screenings.
  for (const step of traffic(seed, 40)) {
    const [here, there] = await oracle.screen(1, withFewUsers(step, USERS), counters);
    expect(there).toEqual(here);
    await untilIdle(counters);
  }
};

/** Rebuilds the histories from the journal of the oracle. By default its pause only moves the clock. */
const rebuild = (oracle: Oracle, url: string, more: Partial<RebuildOptions> = {}): Promise<RebuildResult> =>
  rebuildFromJournal({
    identityKey: TEST_KEY,
    backend: oracle.backend,
    url,
    prefix: PREFIX,
    clock: oracle.now,
    pause: async (ms) => oracle.advance(ms),
    ...more,
  });

/** Compares counts only: rebuilt and later screenings may be added up in another order. */
const expectSameCounts = async (oracle: Oracle, counters: RedisCounters): Promise<void> => {
  for (let user = 0; user < USERS; user++) {
    const users = (await oracle.user(1, `user_${user}`, counters)) as { profile?: Profile; facts: Facts }[];
    const [here, there] = users.map(({ profile, facts }) => [
      profile?.transactions,
      profile?.events,
      ...['actions', 'payments', 'known_frauds', 'transactions.30d', 'distinct_device.30d'].map(
        (name) => facts[fact(`user.${name}`)],
      ),
    ]);
    expect(there).toEqual(here);
  }
};

const canRun = hasRedisServer();
const cluster = canRun ? beginCluster() : async () => [];

describe.skipIf(!canRun)('a rebuild', () => {
  test.each([
    ['one server, in one go', 1, 2 ** 20],
    ['one server, with hardly any memory', 1, 500],
    ['a cluster', 3, 5000],
  ])(
    'of %s restores lost histories, to the bit',
    async (_, servers, maxWords) => {
      const nodes = servers === 1 ? [await startRedis()] : await cluster();
      const url = nodes[0]?.url as string;
      const { counters } = await openCounters(url, PREFIX, { hasStored: async () => false });
      const oracle = makeOracle();
      await play(oracle, counters, traffic(11, STEPS), 1);
      for (const node of nodes) {
        const client = new Redis(node.url);
        await client.flushall();
        client.disconnect();
      }
      await expect(counters.user(1, 'user_1', oracle.now(), makeFacts())).rejects.toThrow('lost');
      oracle.advance(LATER_MS);
      const progress: number[] = [];
      const rebuilt = await rebuild(oracle, url, {
        // A process that notices the same loss only now must not record it again.
        pause: async (ms) => {
          oracle.advance(ms);
          await expect.poll(() => counters.stats().isComplete).toBe(false);
        },
        maxWords,
        onFolded: (done, total) => void progress.push(done / total),
      });
      expect(rebuilt.forced).toBe(0);
      expect(rebuilt.isComplete).toBe(true);
      expect(rebuilt.rows).toBeGreaterThan(STEPS);
      expect(rebuilt.restored).toBeGreaterThan(50);
      expect(progress.at(-1)).toBe(1);
      await expectSame(oracle, counters, 13);
      const again = await openCounters(url, PREFIX, { hasStored: async () => true });
      expect(again.counters.stats().isComplete).toBe(true);
      for (const node of nodes) {
        const client = new Redis(node.url);
        onTestFinished(() => client.disconnect());
        expect(await client.keys('portcullis:*:r*:*')).toEqual([]);
      }
    },
    120_000,
  );

  test('changes nothing when nothing was lost', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX, { compactFrom: () => 3 });
    const oracle = makeOracle();
    await play(oracle, counters, traffic(17, 100), 2);
    oracle.advance(LATER_MS);
    await rebuild(oracle, redis.url);
    await expectSame(oracle, counters, 19);
  });

  test('counts screenings that arrive during it once', async () => {
    const redis = await startRedis();
    // The clock stands still after the pause, so a history compacted then would stay too busy to be rebuilt.
    const { counters } = await openCounters(redis.url, PREFIX, { compactFrom: () => 1000 });
    const oracle = makeOracle();
    await play(oracle, counters, traffic(23, 100), 3);
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    oracle.advance(LATER_MS);
    const during = [...traffic(29, 80)].map((step) => ({ ...step, afterMs: 0 }));
    // In a real rebuild the pause is longer than a screening takes. Here the clock jumps, so no screening may be in progress then.
    const stopped = Promise.withResolvers<void>();
    const jumped = Promise.withResolvers<void>();
    let played = 0;
    const mayGoOn = async (): Promise<void> => {
      if (++played !== 30) return;
      stopped.resolve();
      await jumped.promise;
    };
    let playedAtEnd = 0;
    const [rebuilt] = await Promise.all([
      rebuild(oracle, redis.url, {
        pause: async (ms) => {
          await stopped.promise;
          oracle.advance(ms);
          jumped.resolve();
          await expect.poll(() => played).toBeGreaterThan(32);
        },
        maxWords: 2000,
      }).finally(() => {
        playedAtEnd = played;
      }),
      play(oracle, counters, during, 5, mayGoOn),
    ]);
    // Screenings arrived before the pause, and while the new values were put in place.
    expect(playedAtEnd).toBeGreaterThan(33);
    expect(rebuilt.forced).toBe(0);
    await untilIdle(counters);
    await expectSameCounts(oracle, counters);
  });

  test('counts screenings that a process has queued, and the process does not count them again', async () => {
    const redis = await startRedis();
    const proxy = await makeRedisProxy(redis.port);
    const { counters } = await openCounters(proxy.url, PREFIX);
    const oracle = makeOracle();
    const steps = [...traffic(37, 120)];
    await play(oracle, counters, steps.slice(0, 60), 6);
    proxy.close();
    for (const step of steps.slice(60)) await oracle.screen(1, withFewUsers(step, USERS), counters);
    expect(counters.stats().queued).toBeGreaterThan(50);
    oracle.advance(LATER_MS);
    await rebuild(oracle, redis.url);
    proxy.open();
    await expect.poll(() => counters.stats().isAvailable && counters.isIdle(), { interval: 10 }).toBe(true);
    await expectSame(oracle, counters, 41);
  });

  test('replaces histories so busy that they are always ahead, without the screenings of the last seconds', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX, { compactFrom: () => 0 });
    const oracle = makeOracle();
    const steps = [...traffic(31, 40)].map((step) => ({ ...step, afterMs: 100 }));
    await play(oracle, counters, steps, 4);
    const later = [...traffic(32, 40)].map((step) => ({ ...step, afterMs: 100 }));
    const { forced, rows } = await rebuild(oracle, redis.url, {
      // The histories are ahead again when the pause ends.
      pause: async (ms) => {
        oracle.advance(ms - 3000);
        await play(oracle, counters, later, 5);
      },
    });
    expect(rows).toBeGreaterThan(0);
    expect(forced).toBeGreaterThan(0);
  });

  test('waits for the screenings just before it began, and includes them', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX);
    const oracle = makeOracle();
    await play(oracle, counters, traffic(43, 60), 6);
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    const waited: number[] = [];
    await rebuild(oracle, redis.url, {
      pause: async (ms) => oracle.advance(ms),
      onWaiting: (ms) => void waited.push(ms),
    });
    expect(waited).toEqual([15_000]);
    await expectSame(oracle, counters, 47);
  });

  test('does not report complete histories when another loss happened during it', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX, { hasStored: async () => true });
    const oracle = makeOracle();
    await play(oracle, counters, traffic(53, 30), 7);
    const client = new Redis(redis.url);
    onTestFinished(() => client.disconnect());
    const rebuildWith = (pause: () => Promise<unknown>) => rebuild(oracle, redis.url, { pause });
    const { isComplete } = await rebuildWith(async () => {
      await client.flushall();
      oracle.advance(LATER_MS);
    });
    expect(isComplete).toBe(false);
    const during = await openCounters(redis.url, PREFIX, { hasStored: async () => true });
    expect(during.counters.stats().isComplete).toBe(false);
    expect((await rebuildWith(async () => oracle.advance(LATER_MS))).isComplete).toBe(true);
    const after = await openCounters(redis.url, PREFIX, { hasStored: async () => true });
    expect(after.counters.stats().isComplete).toBe(true);
  });

  test('includes the queued updates of ended processes, and removes these from the registry', async () => {
    const redis = await startRedis();
    const oracle = makeOracle();
    const registry = makeBacklogRegistry(oracle.backend);
    await registry.register(0);
    const { isComplete } = await rebuild(oracle, redis.url);
    expect(isComplete).toBe(true);
    expect(await registry.findEnded(oracle.now())).toEqual([]);
  });
});
