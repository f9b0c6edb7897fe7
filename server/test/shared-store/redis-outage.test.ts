import {
  DEFAULT_POLICY,
  DETAILED_KINDS,
  decide,
  type Facts,
  fact,
  makeFacts,
  type Subject,
  unavailableIn,
} from '@portcullis/engine';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { RedisCounters } from '../../src/backend/redis/counters.ts';
import { makeKeys } from '../../src/backend/redis/keys.ts';
import { makeLossDetector } from '../../src/backend/redis/loss-detector.ts';
import { countOne } from '../fixtures/count-one.ts';
import {
  hasRedisServer,
  makeTestRegistry,
  openCounters,
  startRedis,
  subjectAt,
  untilIdle,
} from '../fixtures/redis-world.ts';

const AT = Date.UTC(2026, 4, 1);
const PREFIX = 'portcullis';
/** Health checks as often as a test can wait for. */
const OFTEN = { checkEveryMs: 100 };
/** The data of a Redis started with these survives a restart. */
const SURVIVES = ['--appendonly', 'yes', '--appendfsync', 'always'];
const paid = (user: string): Subject =>
  subjectAt(
    {
      path: '/v1/transactions/screen',
      afterMs: 0,
      body: {
        user_id: user,
        amount: 20,
        currency: 'USD',
        counterparty_id: 'shop',
        payment_fingerprint: 'card',
        ip_address: '198.51.100.9',
        device_token: 'd',
        email: 'ada@example.com',
      },
    },
    AT,
  );
let seq = 1;
const count = async (counters: RedisCounters, subject: Subject, written = true): Promise<Facts> => {
  let seen = makeFacts();
  await countOne(counters, 1, subject, seq++, (facts) => {
    seen = facts.slice();
    return { verdict: decide(DEFAULT_POLICY, subject, facts), stored: Promise.resolve({ written }) };
  });
  return seen;
};
const kindsIn = ({ hashes }: Subject): string[] => DETAILED_KINDS.filter((_, kind) => hashes[kind] !== 0);
const missing = (subject: Subject, facts: Facts): string[] => unavailableIn(subject.hashes, facts);
const actionsOf = async (counters: RedisCounters, user: string): Promise<number> => {
  const facts = makeFacts();
  await counters.user(1, user, AT, facts);
  return facts[fact('user.actions')] as number;
};
const untilBack = (counters: RedisCounters) =>
  expect.poll(() => counters.stats().isAvailable && counters.isIdle(), { interval: 10 }).toBe(true);

describe.skipIf(!hasRedisServer())('while Redis is unavailable', () => {
  test('screening continues without histories and never waits, and Redis counts it when it is back', async () => {
    const redis = await startRedis(SURVIVES);
    // The test itself would time out if a screening waited for an answer of Redis.
    const { counters, errors, recoveries } = await openCounters(redis.url, PREFIX, { timeoutMs: 3_600_000 });
    const subject = paid('u');
    for (let i = 0; i < 5; i++) expect(missing(subject, await count(counters, subject))).toEqual([]);
    await untilIdle(counters);
    await redis.stop();
    const seen = [];
    for (let i = 0; i < 200; i++) seen.push(await count(counters, subject));
    await count(counters, subject, false);
    for (const facts of seen) expect(missing(subject, facts)).toEqual(kindsIn(subject));
    expect(counters.stats()).toMatchObject({ isAvailable: false, screeningsWithoutHistories: 201, lost: 0 });
    await expect(counters.user(1, 'u', AT, makeFacts())).rejects.toThrow('cannot be read');
    expect(errors).toHaveLength(1);
    await redis.start();
    await untilBack(counters);
    expect(recoveries).toHaveLength(1);
    const facts = await count(counters, subject);
    expect(missing(subject, facts)).toEqual([]);
    expect([facts[fact('user.actions')], facts[fact('counterparty.transactions.1h')]]).toEqual([205, 205]);
    await untilIdle(counters);
    expect((await counters.user(1, 'u', AT, makeFacts()))?.transactions).toBe(206);
    expect(errors).toHaveLength(1);
  });

  test('a Redis that hangs delays one screening until the timeout, and no other', async () => {
    const redis = await startRedis();
    const { counters, errors } = await openCounters(redis.url, PREFIX, { timeoutMs: 250 });
    const subject = paid('u');
    await count(counters, subject);
    await untilIdle(counters);
    redis.signal('SIGSTOP');
    expect(missing(subject, await count(counters, subject))).toEqual(kindsIn(subject));
    expect(errors).toEqual([expect.stringContaining('no answer within 250 ms')]);
    // None waits for Redis: each is answered within two turns of the event loop.
    for (let i = 0; i < 101; i++) {
      let isAnswered = false;
      const counted = count(counters, subject, i < 100).then(() => {
        isAnswered = true;
      });
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(isAnswered).toBe(true);
      await counted;
    }
    redis.signal('SIGCONT');
    await untilBack(counters);
    // Redis has counted the delayed screening after all. It is not counted twice.
    expect(await actionsOf(counters, 'u')).toBe(102);
    const profile = await counters.user(1, 'u', AT, makeFacts());
    expect(profile?.transactions).toBe(102);
  });

  test('an update without an answer is sent again, and counted once', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX, { timeoutMs: 250 });
    const subject = paid('u');
    await count(counters, subject);
    await untilIdle(counters);
    // Redis has counted the screening, and hangs when it is stored.
    let store = (_: unknown): void => {};
    await countOne(counters, 1, subject, seq++, (facts) => ({
      verdict: decide(DEFAULT_POLICY, subject, facts),
      stored: new Promise((resolve) => {
        store = resolve;
      }),
    }));
    redis.signal('SIGSTOP');
    store({ written: true });
    await expect.poll(() => counters.stats().queued, { interval: 10 }).toBeGreaterThan(0);
    redis.signal('SIGCONT');
    await untilBack(counters);
    expect(await actionsOf(counters, 'u')).toBe(2);
    expect((await counters.user(1, 'u', AT, makeFacts()))?.transactions).toBe(2);
  });

  test('a service that starts without Redis screens, and counts once Redis is there', async () => {
    const redis = await startRedis();
    await redis.stop();
    const { counters, errors } = await openCounters(redis.url, PREFIX);
    const subject = paid('u');
    expect(missing(subject, await count(counters, subject))).toEqual(kindsIn(subject));
    expect(errors).toHaveLength(1);
    await redis.start();
    await untilBack(counters);
    expect(await actionsOf(counters, 'u')).toBe(1);
  });

  test('a label is stored, and counted when Redis is back', async () => {
    const redis = await startRedis(SURVIVES);
    const { counters } = await openCounters(redis.url, PREFIX);
    const subject = paid('u');
    await count(counters, subject);
    await untilIdle(counters);
    await redis.stop();
    const row = {
      type: subject.type,
      screened_at: AT,
      request: JSON.stringify(subject.request),
      facts_version: 0,
      facts: new Uint8Array(),
      imported: 0,
    };
    let isStored = false;
    await counters.label(1, row, { fraud: true, at: AT }, seq++, async () => {
      isStored = true;
      return { written: true };
    });
    expect(isStored).toBe(true);
    await redis.start();
    await untilBack(counters);
    const facts = makeFacts();
    await counters.user(1, 'u', AT, facts);
    expect(facts[fact('user.known_frauds')]).toBe(1);
  });

  test('updates that do not fit the retry queue are reported as lost, once', async () => {
    const redis = await startRedis();
    const { counters, errors } = await openCounters(redis.url, PREFIX, { maxBytes: 20_000 });
    await redis.stop();
    for (let i = 0; i < 50; i++) await count(counters, paid('u'));
    await expect.poll(() => counters.stats().lost).toBeGreaterThan(0);
    expect(errors.filter((error) => error.includes('portcullis rebuild'))).toHaveLength(1);
    expect(counters.stats().isComplete).toBe(false);
    await redis.start();
    await untilBack(counters);
  });

  test('a Redis that is out of memory is unavailable too', async () => {
    const redis = await startRedis();
    const { counters, errors } = await openCounters(redis.url, PREFIX);
    const client = new Redis(redis.url);
    const subject = paid('u');
    await count(counters, subject);
    await untilIdle(counters);
    await client.config('SET', 'maxmemory', '1');
    expect(missing(subject, await count(counters, subject))).toEqual(kindsIn(subject));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(counters.stats().isAvailable).toBe(false);
    expect(errors).toHaveLength(1);
    await client.config('SET', 'maxmemory', '0');
    await untilBack(counters);
    expect(await actionsOf(counters, 'u')).toBe(2);
    client.disconnect();
  });
});

describe.skipIf(!hasRedisServer())('updates that a process has queued', () => {
  test('are registered at once, and unregistered when Redis has taken them', async () => {
    const redis = await startRedis(SURVIVES);
    const registry = makeTestRegistry();
    const { counters } = await openCounters(redis.url, PREFIX, {
      ...OFTEN,
      backlogRegistry: registry.forProcess('one'),
    });
    await redis.stop();
    await count(counters, paid('u'));
    await expect.poll(() => [...registry.entries.keys()]).toEqual(['one']);
    expect(registry.entries.get('one')).toBeGreaterThan(Date.now());
    await redis.start();
    await untilBack(counters);
    await expect.poll(() => [...registry.entries.keys()]).toEqual([]);
    expect(counters.stats().isComplete).toBe(true);
  });

  test('are reported as lost when the process was stopped before Redis is back', async () => {
    const redis = await startRedis(SURVIVES);
    const registry = makeTestRegistry();
    const one = await openCounters(redis.url, PREFIX, { backlogRegistry: registry.forProcess('one') });
    await redis.stop();
    await count(one.counters, paid('u'));
    await one.counters.close();
    expect(one.errors.at(-1)).toContain('portcullis rebuild');
    await redis.start();
    const other = await openCounters(redis.url, PREFIX, { backlogRegistry: registry.forProcess('other') });
    expect(other.counters.stats().isComplete).toBe(false);
    expect(other.errors.at(-1)).toContain('portcullis rebuild');
    expect(registry.entries.size).toBe(0);
    const third = await openCounters(redis.url, PREFIX, { backlogRegistry: registry.forProcess('third') });
    expect(third.counters.stats().isComplete).toBe(false);
  });

  test('are reported as lost when the process was killed and its registration has expired', async () => {
    const redis = await startRedis();
    const registry = makeTestRegistry();
    registry.entries.set('killed', Date.now() + 3_600_000);
    const { counters } = await openCounters(redis.url, PREFIX, { ...OFTEN, backlogRegistry: registry.forProcess() });
    expect(counters.stats().isComplete).toBe(true);
    registry.entries.set('killed', Date.now() - 1);
    await expect.poll(() => counters.stats().isComplete).toBe(false);
    expect(registry.entries.size).toBe(0);
  });
});

describe.skipIf(!hasRedisServer())('a process without traffic', () => {
  test('notices that Redis is unavailable, and that it is back', async () => {
    const redis = await startRedis(SURVIVES);
    const { counters, errors, recoveries } = await openCounters(redis.url, PREFIX, OFTEN);
    await redis.stop();
    await expect.poll(() => counters.stats().isAvailable).toBe(false);
    await redis.start();
    await expect.poll(() => counters.stats().isAvailable).toBe(true);
    expect([errors.length, recoveries.length]).toEqual([1, 1]);
  });

  test('warns while Redis may evict keys', async () => {
    const redis = await startRedis(['--maxmemory', '100mb', '--maxmemory-policy', 'volatile-ttl']);
    const { counters, warnings } = await openCounters(redis.url, PREFIX, OFTEN);
    expect(warnings).toEqual([expect.stringContaining('volatile-ttl')]);
    expect(counters.stats().mayEvict).toBe(true);
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    await expect.poll(() => counters.stats().mayEvict).toBe(false);
    // Without a memory limit nothing is evicted, whatever the policy.
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', '0');
    const unlimited = await openCounters(redis.url, PREFIX, OFTEN);
    expect([unlimited.warnings, unlimited.counters.stats().mayEvict]).toEqual([[], false]);
    client.disconnect();
  });
});

describe.skipIf(!hasRedisServer())('a Redis that lost its data', () => {
  test('is noticed when it was restored from a copy older than some seconds', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX);
    let now = Date.now();
    const detector = makeLossDetector(
      counters.redis,
      makeKeys(PREFIX),
      async () => true,
      () => now,
    );
    const isCompleteAfterRollback = async (ms: number): Promise<boolean> => {
      expect(await detector.check()).toBe(true);
      await counters.redis.send((client) => (client as Redis).save());
      now += ms;
      expect(await detector.check()).toBe(true);
      await redis.stop();
      await count(counters, paid('u'));
      await redis.start();
      await untilBack(counters);
      return detector.check();
    };
    expect(await isCompleteAfterRollback(5000)).toBe(true);
    expect(await isCompleteAfterRollback(60_000)).toBe(false);
    expect(await detector.check()).toBe(false);
  });

  test('is noticed by every process, also by those that start later', async () => {
    const redis = await startRedis();
    const hasStored = async () => true;
    const first = await openCounters(redis.url, PREFIX, { hasStored: async () => false });
    const second = await openCounters(redis.url, PREFIX, { hasStored });
    expect([first.errors, second.errors]).toEqual([[], []]);
    expect(second.counters.stats().isComplete).toBe(true);
    await count(first.counters, paid('u'));
    await count(second.counters, paid('u'));
    await redis.stop();
    await count(first.counters, paid('u'));
    await count(second.counters, paid('u'));
    await redis.start();
    for (const { counters, errors } of [first, second]) {
      await untilBack(counters);
      await expect.poll(() => counters.stats().isComplete).toBe(false);
      expect(errors.at(-1)).toContain('portcullis rebuild');
    }
    const third = await openCounters(redis.url, PREFIX, { hasStored });
    expect(third.counters.stats().isComplete).toBe(false);
    expect(third.errors.at(-1)).toContain('portcullis rebuild');
  });

  test('is noticed by a process that never saw the data, if any screening was stored', async () => {
    const redis = await startRedis();
    const { counters, errors } = await openCounters(redis.url, PREFIX, { hasStored: async () => true });
    expect(counters.stats().isComplete).toBe(false);
    expect(errors).toHaveLength(1);
  });
});
