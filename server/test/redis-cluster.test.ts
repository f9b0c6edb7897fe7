import { DEFAULT_POLICY, decide, ENTITY_KINDS, type Facts, fact, makeFacts, unavailableIn } from '@portcullis/engine';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RedisCounters } from '../src/backend/counters-redis.ts';
import { slotOf } from '../src/backend/redis-link.ts';
import { startCluster } from './redis-cluster.ts';
import { crowded, hasRedisServer, isIdle, makeOracle, makeRandom, openCounters, subjectAt } from './redis-world.ts';
import { traffic } from './traffic.ts';

const PREFIX = 'portcullis';
const AT = Date.UTC(2026, 4, 1);

describe.skipIf(!hasRedisServer())('a Redis cluster', () => {
  test('keeps the same histories as one machine, spread over all its servers', async () => {
    const nodes = await startCluster();
    const url = nodes[0]?.url as string;
    const random = makeRandom(5);
    const instances = [
      (await openCounters(url, PREFIX, { compactFrom: () => 3 })).counters,
      (await openCounters(nodes[2]?.url as string, PREFIX)).counters,
    ];
    const oracle = makeOracle();
    for (const step of traffic(5, 250)) {
      oracle.advance(step.afterMs);
      const counters = instances[Math.floor(random() * 2)] as RedisCounters;
      const [here, there] = await oracle.screen(1, crowded(step, 8), counters, random() < 0.05);
      expect(there).toEqual(here);
      await isIdle(...instances);
      const item = oracle.screened[Math.floor(random() * oracle.screened.length)];
      if (random() < 0.3 && item !== undefined) await oracle.label(item, random() < 0.6, counters);
      await isIdle(...instances);
    }
    for (let user = 0; user < 8; user++) {
      const [here, there] = await oracle.user(1, `user_${user}`, instances[1] as RedisCounters);
      expect(there).toEqual(here);
    }
    expect(instances[0]?.stats()).toMatchObject({ isHere: true, isWhole: true, unavailable: 0 });
    const sizes = await Promise.all(
      nodes.map(async ({ url: at }) => {
        const client = new Redis(at);
        const keys = await client.keys('portcullis:*:h:*');
        for (const key of keys) expect(await client.cluster('KEYSLOT', key)).toBe(slotOf(key));
        client.disconnect();
        return keys.length;
      }),
    );
    for (const size of sizes) expect(size).toBeGreaterThan(10);
  }, 60_000);

  test('one of whose servers is away still tells what the others keep, and is told what it missed when it is back', async () => {
    const nodes = await startCluster();
    const { counters } = await openCounters(nodes[0]?.url as string, PREFIX, { limitMs: 500 });
    let seq = 1;
    const count = async (user: string): Promise<[Facts, string[]]> => {
      const subject = subjectAt(
        {
          path: '/v1/transactions/screen',
          afterMs: 0,
          body: {
            user_id: user,
            amount: 20,
            currency: 'USD',
            counterparty_id: `shop ${user}`,
            ip_address: '198.51.100.9',
            device_token: `device ${user}`,
          },
        },
        AT,
      );
      let seen = makeFacts();
      await counters.count(1, subject, seq++, (facts) => {
        seen = facts.slice();
        return { verdict: decide(DEFAULT_POLICY, subject, facts), stored: Promise.resolve({ written: true }) };
      });
      return [seen, unavailableIn(subject.hashes, seen)];
    };
    const users = Array.from({ length: 12 }, (_, i) => `user ${i}`);
    for (const user of users) await count(user);
    await isIdle(counters);
    nodes[1]?.signal('SIGSTOP');
    await count(users[0] as string);
    const from = performance.now();
    const partial = [];
    for (const user of users) partial.push((await count(user))[1]);
    // It takes a screening to notice of each server.
    expect(performance.now() - from).toBeLessThan(3000);
    const kinds = new Set(partial.flat());
    expect(kinds.size).toBeGreaterThan(1);
    expect([...kinds].every((kind) => (ENTITY_KINDS as readonly string[]).includes(kind))).toBe(true);
    expect(partial.every((missing) => missing.length < 6)).toBe(true);
    nodes[1]?.signal('SIGCONT');
    await expect.poll(() => counters.stats().isHere && counters.isIdle(), { interval: 20 }).toBe(true);
    for (const user of users.slice(1)) {
      const [facts, missing] = await count(user);
      expect(missing).toEqual([]);
      expect([facts[fact('user.actions')], facts[fact('device.actions')]]).toEqual([2, 2]);
    }
  }, 60_000);

  test('that loses a connection when it has counted but not answered is not asked to count again', async () => {
    const nodes = await startCluster();
    const { counters } = await openCounters(nodes[0]?.url as string, PREFIX);
    const subject = subjectAt(
      { path: '/v1/transactions/screen', afterMs: 0, body: { user_id: 'u', amount: 20, currency: 'USD' } },
      AT,
    );
    let seq = 1;
    const count = () =>
      counters.count(1, subject, seq++, (facts) => ({
        verdict: decide(DEFAULT_POLICY, subject, facts),
        stored: Promise.resolve({ written: true }),
      }));
    await count();
    await isIdle(counters);
    const clients = nodes.map(({ url }) => new Redis(url));
    onTestFinished(() => {
      for (const client of clients) client.disconnect();
    });
    const holds = async (client: Redis): Promise<boolean> => (await client.keys('portcullis:*:h:{1:0:*')).length > 0;
    const at = (await Promise.all(clients.map(holds))).indexOf(true);
    const own = await (clients[at] as Redis).client('ID');
    const others = String(await (clients[at] as Redis).call('CLIENT', 'LIST', 'TYPE', 'normal'))
      .split('\n')
      .map((line) => Number(/^id=(\d+)/.exec(line)?.[1]))
      .filter((id) => id > 0 && id !== own);
    // Both are read in one go when it wakes up: it counts, and before it answers it is told to hang up.
    nodes[at]?.signal('SIGSTOP');
    const counted = count();
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const id of others) (clients[at] as Redis).client('KILL', 'ID', id).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    nodes[at]?.signal('SIGCONT');
    await counted;
    await expect.poll(() => counters.stats().isHere && counters.isIdle(), { interval: 20 }).toBe(true);
    const facts = makeFacts();
    await counters.user(1, 'u', AT, facts);
    expect(facts[fact('user.actions')]).toBe(2);
  }, 60_000);
});
