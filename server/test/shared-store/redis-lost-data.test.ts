import {
  DEFAULT_POLICY,
  decide,
  type Facts,
  fact,
  kindIndex,
  makeFacts,
  type Subject,
  unavailableIn,
} from '@portcullis/engine';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RedisCounters } from '../../src/backend/redis/counters.ts';
import { makeKeys } from '../../src/backend/redis/keys.ts';
import { makeLossDetector } from '../../src/backend/redis/loss-detector.ts';
import { countOne } from '../fixtures/count-one.ts';
import { beginCluster } from '../fixtures/redis-cluster.ts';
import { hasRedisServer, openCounters, startRedis, subjectAt, untilIdle } from '../fixtures/redis-world.ts';

const PREFIX = 'portcullis';
const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

/** Counters whose clock the test moves, a day after known users were last seen. */
const openWorld = async (url: string) => {
  let now = Date.UTC(2026, 4, 1);
  let seq = 1;
  const { counters } = await openCounters(url, PREFIX, { clock: () => now, hasStored: async () => seq > 1 });
  const paid = (user: string): Subject =>
    subjectAt(
      { path: '/v1/transactions/screen', afterMs: 0, body: { user_id: user, amount: 20, currency: 'USD' } },
      now,
    );
  const count = async (user: string, by: RedisCounters = counters): Promise<[unavailable: string[], Facts]> => {
    const subject = paid(user);
    let seen = makeFacts();
    await countOne(by, 1, subject, seq++, (facts) => {
      seen = facts.slice();
      return { verdict: decide(DEFAULT_POLICY, subject, facts), stored: Promise.resolve({ written: true }) };
    });
    const kinds = unavailableIn(subject.hashes, seen).filter((name) => name === 'user');
    return [kinds, seen];
  };
  return {
    counters,
    count,
    advance: (ms: number): void => {
      now += ms;
    },
    now: () => now,
  };
};
const flush = async (...urls: string[]): Promise<void> => {
  for (const url of urls) {
    const client = new Redis(url);
    await client.flushall();
    client.disconnect();
  }
};
const users = Array.from({ length: 20 }, (_, i) => `user ${i}`);

const canRun = hasRedisServer();
const cluster = canRun ? beginCluster() : async () => [];

describe.skipIf(!canRun)('after Redis has lost its data', () => {
  test('the very next decision names the histories as unavailable, as does each until the rebuild is complete', async () => {
    const redis = await startRedis();
    const { counters, count, advance, now } = await openWorld(redis.url);
    expect(await count('ada')).toEqual([[], expect.anything()]);
    advance(DAY_MS);
    expect((await count('ada'))[0]).toEqual([]);
    await untilIdle(counters);
    await flush(redis.url);
    expect((await count('ada'))[0]).toEqual(['user']);
    // Also a user whose history has begun again since, and a process that starts now.
    expect((await count('ada'))[0]).toEqual(['user']);
    const other = await openCounters(redis.url, PREFIX, { clock: now, hasStored: async () => true });
    expect((await count('ada', other.counters))[0]).toEqual(['user']);
    expect(counters.stats().screeningsWithoutHistories).toBe(2);
    for (const reader of [counters, other.counters]) {
      await expect(reader.user(1, 'ada', now(), makeFacts())).rejects.toThrow('lost');
      await expect(reader.user(1, 'nobody', now(), makeFacts())).rejects.toThrow('lost');
    }
    await makeLossDetector(counters.redis, makeKeys(PREFIX), async () => true, now).markComplete();
    expect((await count('ada'))[0]).toEqual([]);
    expect(await counters.user(1, 'nobody', now(), makeFacts())).toBeUndefined();
  });

  test('activity in windows since the loss is counted, and nothing is said of longer ones', async () => {
    const redis = await startRedis();
    const { counters, count, advance } = await openWorld(redis.url);
    await count('ada');
    advance(DAY_MS);
    await untilIdle(counters);
    await flush(redis.url);
    await count('ada');
    await untilIdle(counters);
    advance(11 * MINUTE_MS);
    for (let i = 0; i < 5; i++) await count('ada');
    const [, facts] = await count('ada');
    const read = (name: string): number => facts[fact(`user.${name}`)] as number;
    expect([read('transactions.1m'), read('transactions.10m'), read('amount.10m')]).toEqual([5, 5, 100]);
    for (const name of ['age_ms', 'actions', 'known_frauds', 'amount_mean', 'transactions.1h', 'transactions.30d'])
      expect([name, read(name)]).toEqual([name, Number.NaN]);
  });

  test('a second loss before the rebuild does not make histories between the two complete', async () => {
    const redis = await startRedis();
    const { counters, count, advance, now } = await openWorld(redis.url);
    await count('ada');
    await untilIdle(counters);
    await flush(redis.url);
    await count('ada');
    await expect.poll(() => counters.stats().isComplete).toBe(false);
    advance(2 * DAY_MS);
    await makeLossDetector(counters.redis, makeKeys(PREFIX), async () => true, now).markLost();
    expect((await count('ada'))[0]).toEqual(['user']);
  });

  test('histories from long before a loss of single updates stay available, and new ones do not', async () => {
    const redis = await startRedis();
    const { counters, count, advance, now } = await openWorld(redis.url);
    await count('ada');
    await untilIdle(counters);
    advance(DAY_MS);
    await makeLossDetector(counters.redis, makeKeys(PREFIX), async () => true, now).markLost();
    expect([(await count('ada'))[0], (await count('bea'))[0]]).toEqual([[], ['user']]);
    expect((await counters.user(1, 'ada', now(), makeFacts()))?.transactions).toBe(2);
  });

  test('a server of a cluster that has lost its data: its entities are unavailable at once, those of others are not', {
    timeout: 120_000,
  }, async () => {
    const nodes = await cluster();
    const { counters, count, advance } = await openWorld(nodes[0]?.url as string);
    for (const user of users) await count(user);
    await untilIdle(counters);
    advance(DAY_MS);
    const keys = makeKeys(PREFIX);
    const lost = nodes[1] as (typeof nodes)[number];
    const client = new Redis(lost.url);
    onTestFinished(() => client.disconnect());
    const isThere = async (user: string): Promise<boolean> => {
      const subject = subjectAt({ path: '/v1/events', afterMs: 0, body: { user_id: user, type: 'login' } }, 0);
      return (await client.exists(keys.history(1, kindIndex.user, subject)).catch(() => 0)) === 1;
    };
    const unavailable = await Promise.all(users.map(isThere));
    await client.flushall();
    for (const [i, user] of users.entries())
      expect([user, (await count(user))[0]]).toEqual([user, unavailable[i] ? ['user'] : []]);
    expect(unavailable).toContain(true);
    expect(unavailable).toContain(false);
  });
});
