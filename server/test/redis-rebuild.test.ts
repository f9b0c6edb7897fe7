import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Facts, fact, makeFacts, type Profile } from '@portcullis/engine';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RedisCounters } from '../src/backend/counters-redis.ts';
import { makeMissed } from '../src/backend/redis-missed.ts';
import { rebuildHistories } from '../src/backend/redis-rebuild.ts';
import { startCluster } from './redis-cluster.ts';
import {
  crowded,
  hasRedisServer,
  isIdle,
  makeOracle,
  makeRandom,
  type Oracle,
  openCounters,
  startRedis,
} from './redis-world.ts';
import { type Step, traffic } from './traffic.ts';

const PREFIX = 'portcullis';
const USERS = 8;
const LATER_MS = 60_000;

/** Traffic with labels, to the counters of one machine and those in Redis. */
const play = async (oracle: Oracle, counters: RedisCounters, steps: Iterable<Step>, seed: number): Promise<void> => {
  const random = makeRandom(seed);
  for (const step of steps) {
    oracle.advance(Math.max(0, step.afterMs));
    await oracle.screen(1 + Math.floor(random() * 2), crowded(step, USERS), counters);
    const item = oracle.screened[Math.floor(random() * oracle.screened.length)];
    if (random() < 0.3 && item !== undefined) await oracle.label(item, random() < 0.6, counters);
    await isIdle(counters);
  }
};
const same = async (oracle: Oracle, counters: RedisCounters, seed: number): Promise<void> => {
  for (const tenant of [1, 2])
    for (let user = 0; user < USERS; user++) {
      const [here, there] = await oracle.user(tenant, `user_${user}`, counters);
      expect(there).toEqual(here);
    }
  // All the other histories, by what screenings know of them.
  for (const step of traffic(seed, 40)) {
    const [here, there] = await oracle.screen(1, crowded(step, USERS), counters);
    expect(there).toEqual(here);
    await isIdle(counters);
  }
};

/** The same in numbers: what was counted anew and what came meanwhile may add up in another order. */
const sameNumbers = async (oracle: Oracle, counters: RedisCounters): Promise<void> => {
  for (let user = 0; user < USERS; user++) {
    const told = (await oracle.user(1, `user_${user}`, counters)) as { profile?: Profile; facts: Facts }[];
    const [here, there] = told.map(({ profile, facts }) => [
      profile?.transactions,
      profile?.events,
      ...['actions', 'payments', 'known_frauds', 'transactions.30d', 'distinct_device.30d'].map(
        (name) => facts[fact(`user.${name}`)],
      ),
    ]);
    expect(there).toEqual(here);
  }
};

/** A way to Redis that can be shut for those who take it. */
const makeGate = async (port: number) => {
  let isOpen = true;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    if (!isOpen) return socket.destroy();
    const onward = connect(port, '127.0.0.1');
    for (const [from, to] of [[socket, onward] as const, [onward, socket] as const]) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      isOpen = false;
      for (const socket of sockets) socket.destroy();
    },
    open: () => {
      isOpen = true;
    },
  };
};

describe.skipIf(!hasRedisServer())('a rebuild', () => {
  test.each([
    ['one server, in one go', 1, 2 ** 20],
    ['one server, with hardly any memory', 1, 500],
    ['a cluster', 3, 5000],
  ])(
    'of %s makes what was lost anew, to the bit',
    async (_, servers, mostWords) => {
      const nodes = servers === 1 ? [await startRedis()] : await startCluster();
      const url = nodes[0]?.url as string;
      const { counters } = await openCounters(url, PREFIX, { hasStored: async () => false });
      const oracle = makeOracle();
      await play(oracle, counters, traffic(11, 250), 1);
      for (const node of nodes) {
        const client = new Redis(node.url);
        await client.flushall();
        client.disconnect();
      }
      expect(await counters.user(1, 'user_1', oracle.now(), makeFacts())).toBeUndefined();
      oracle.advance(LATER_MS);
      const progress: number[] = [];
      const rebuilt = await rebuildHistories({
        backend: oracle.backend,
        url,
        prefix: PREFIX,
        clock: oracle.now,
        // A process that looks only now has not lost it once more.
        pause: async (ms) => {
          oracle.advance(ms);
          await expect.poll(() => counters.stats().isWhole).toBe(false);
        },
        mostWords,
        onFolded: (done, total) => void progress.push(done / total),
      });
      expect(rebuilt.forced).toBe(0);
      expect(rebuilt.isWhole).toBe(true);
      expect(rebuilt.rows).toBeGreaterThan(250);
      expect(rebuilt.restored).toBeGreaterThan(50);
      expect(progress.at(-1)).toBe(1);
      await same(oracle, counters, 13);
      const again = await openCounters(url, PREFIX, { hasStored: async () => true });
      expect(again.counters.stats().isWhole).toBe(true);
      for (const node of nodes) {
        const client = new Redis(node.url);
        onTestFinished(() => client.disconnect());
        expect(await client.keys('portcullis:*:r*:*')).toEqual([]);
      }
    },
    60_000,
  );

  test('changes nothing where nothing was lost', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX, { compactFrom: () => 3 });
    const oracle = makeOracle();
    await play(oracle, counters, traffic(17, 150), 2);
    oracle.advance(LATER_MS);
    await rebuildHistories({
      backend: oracle.backend,
      url: redis.url,
      prefix: PREFIX,
      clock: oracle.now,
      pause: async (ms: number) => oracle.advance(ms),
    });
    await same(oracle, counters, 19);
  });

  test('takes what is screened while it runs in once', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX);
    const oracle = makeOracle();
    await play(oracle, counters, traffic(23, 150), 3);
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    oracle.advance(LATER_MS);
    const during = [...traffic(29, 80)].map((step) => ({ ...step, afterMs: 0 }));
    const [rebuilt] = await Promise.all([
      rebuildHistories({
        backend: oracle.backend,
        url: redis.url,
        prefix: PREFIX,
        clock: oracle.now,
        pause: async (ms) => oracle.advance(ms),
        mostWords: 2000,
      }),
      play(oracle, counters, during, 5),
    ]);
    expect(rebuilt.forced).toBe(0);
    await isIdle(counters);
    await sameNumbers(oracle, counters);
  });

  test('counts what a process remembers of an outage, which that process then does not count again', async () => {
    const redis = await startRedis();
    const gate = await makeGate(redis.port);
    const { counters } = await openCounters(gate.url, PREFIX);
    const oracle = makeOracle();
    const steps = [...traffic(37, 120)];
    await play(oracle, counters, steps.slice(0, 60), 6);
    gate.close();
    for (const step of steps.slice(60)) await oracle.screen(1, crowded(step, USERS), counters);
    expect(counters.stats().waiting).toBeGreaterThan(50);
    oracle.advance(LATER_MS);
    await rebuildHistories({
      backend: oracle.backend,
      url: redis.url,
      prefix: PREFIX,
      clock: oracle.now,
      pause: async (ms: number) => oracle.advance(ms),
    });
    gate.open();
    await expect.poll(() => counters.stats().isHere && counters.isIdle(), { interval: 10 }).toBe(true);
    await same(oracle, counters, 41);
  });

  test('replaces also those so busy that they are always ahead, without what the last seconds brought', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX, { compactFrom: () => 0 });
    const oracle = makeOracle();
    const steps = [...traffic(31, 40)].map((step) => ({ ...step, afterMs: 100 }));
    await play(oracle, counters, steps, 4);
    const later = [...traffic(32, 40)].map((step) => ({ ...step, afterMs: 100 }));
    const { forced, rows } = await rebuildHistories({
      backend: oracle.backend,
      url: redis.url,
      prefix: PREFIX,
      clock: oracle.now,
      // Until it is done waiting, they are ahead again.
      pause: async (ms) => {
        oracle.advance(ms - 3000);
        await play(oracle, counters, later, 5);
      },
    });
    expect(rows).toBeGreaterThan(0);
    expect(forced).toBeGreaterThan(0);
  });

  test('holds all that was screened before it began, however short before, and waits for it', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX);
    const oracle = makeOracle();
    await play(oracle, counters, traffic(43, 60), 6);
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    const waited: number[] = [];
    await rebuildHistories({
      backend: oracle.backend,
      url: redis.url,
      prefix: PREFIX,
      clock: oracle.now,
      pause: async (ms) => oracle.advance(ms),
      onWaiting: (ms) => void waited.push(ms),
    });
    expect(waited).toEqual([15_000]);
    await same(oracle, counters, 47);
  });

  test('does not say that all is there where something was lost again meanwhile', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX, { hasStored: async () => true });
    const oracle = makeOracle();
    await play(oracle, counters, traffic(53, 30), 7);
    const client = new Redis(redis.url);
    onTestFinished(() => client.disconnect());
    const rebuild = (pause: () => Promise<unknown>) =>
      rebuildHistories({ backend: oracle.backend, url: redis.url, prefix: PREFIX, clock: oracle.now, pause });
    const { isWhole } = await rebuild(async () => {
      await client.flushall();
      oracle.advance(LATER_MS);
    });
    expect(isWhole).toBe(false);
    const meanwhile = await openCounters(redis.url, PREFIX, { hasStored: async () => true });
    expect(meanwhile.counters.stats().isWhole).toBe(false);
    expect((await rebuild(async () => oracle.advance(LATER_MS))).isWhole).toBe(true);
    const after = await openCounters(redis.url, PREFIX, { hasStored: async () => true });
    expect(after.counters.stats().isWhole).toBe(true);
  });

  test('counts what processes remembered that have ended, and they are forgotten', async () => {
    const redis = await startRedis();
    const oracle = makeOracle();
    const missed = makeMissed(oracle.backend);
    await missed.note(0);
    const { isWhole } = await rebuildHistories({
      backend: oracle.backend,
      url: redis.url,
      prefix: PREFIX,
      clock: oracle.now,
      pause: async (ms) => oracle.advance(ms),
    });
    expect(isWhole).toBe(true);
    expect(await missed.ended(oracle.now())).toEqual([]);
  });
});
