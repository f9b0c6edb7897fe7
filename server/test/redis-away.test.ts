import {
  DEFAULT_POLICY,
  decide,
  ENTITY_KINDS,
  type Facts,
  fact,
  makeFacts,
  type Subject,
  unavailableIn,
} from '@portcullis/engine';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { RedisCounters } from '../src/backend/counters-redis.ts';
import { makeMarker } from '../src/backend/redis-marker.ts';
import { makeKeys } from '../src/backend/redis-records.ts';
import { hasRedisServer, isIdle, makeNotes, openCounters, startRedis, subjectAt } from './redis-world.ts';

const AT = Date.UTC(2026, 4, 1);
const PREFIX = 'portcullis';
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
  await counters.count(1, subject, seq++, (facts) => {
    seen = facts.slice();
    return { verdict: decide(DEFAULT_POLICY, subject, facts), stored: Promise.resolve({ written }) };
  });
  return seen;
};
const kindsIn = ({ hashes }: Subject): string[] => ENTITY_KINDS.filter((_, kind) => hashes[kind] !== 0);
const missing = (subject: Subject, facts: Facts): string[] => unavailableIn(subject.hashes, facts);
const actionsOf = async (counters: RedisCounters, user: string): Promise<number> => {
  const facts = makeFacts();
  await counters.user(1, user, AT, facts);
  return facts[fact('user.actions')] as number;
};
const isBack = (counters: RedisCounters) =>
  expect.poll(() => counters.stats().isHere && counters.isIdle(), { interval: 10 }).toBe(true);

describe.skipIf(!hasRedisServer())('while Redis is away', () => {
  test('screening goes on at once without histories, and what it missed is counted when it is back', async () => {
    // Its data survives the restart.
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const { counters, faults, recoveries } = await openCounters(redis.url, PREFIX);
    const subject = paid('u');
    for (let i = 0; i < 5; i++) expect(missing(subject, await count(counters, subject))).toEqual([]);
    await isIdle(counters);
    await redis.stop();
    const from = performance.now();
    const seen = [];
    for (let i = 0; i < 200; i++) seen.push(await count(counters, subject));
    await count(counters, subject, false);
    expect(performance.now() - from).toBeLessThan(2000);
    for (const facts of seen) expect(missing(subject, facts)).toEqual(kindsIn(subject));
    expect(counters.stats()).toMatchObject({ isHere: false, unavailable: 201, lost: 0 });
    await expect(counters.user(1, 'u', AT, makeFacts())).rejects.toThrow('cannot be read');
    expect(faults).toHaveLength(1);
    await redis.start();
    await isBack(counters);
    expect(recoveries).toHaveLength(1);
    const facts = await count(counters, subject);
    expect(missing(subject, facts)).toEqual([]);
    expect([facts[fact('user.actions')], facts[fact('counterparty.transactions.1h')]]).toEqual([205, 205]);
    await isIdle(counters);
    expect((await counters.user(1, 'u', AT, makeFacts()))?.transactions).toBe(206);
    expect(faults).toHaveLength(1);
  });

  test('one that hangs keeps a screening waiting for a quarter of a second, and no other', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX, { limitMs: 250 });
    const subject = paid('u');
    await count(counters, subject);
    await isIdle(counters);
    redis.signal('SIGSTOP');
    const from = performance.now();
    expect(missing(subject, await count(counters, subject))).toEqual(kindsIn(subject));
    expect(performance.now() - from).toBeLessThan(1000);
    const then = performance.now();
    for (let i = 0; i < 100; i++) await count(counters, subject);
    await count(counters, subject, false);
    expect(performance.now() - then).toBeLessThan(1000);
    redis.signal('SIGCONT');
    await isBack(counters);
    // The one that hung was taken by Redis after all, and is not counted a second time.
    expect(await actionsOf(counters, 'u')).toBe(102);
    const profile = await counters.user(1, 'u', AT, makeFacts());
    expect(profile?.transactions).toBe(102);
  });

  test('what it was told but did not say it heard is told again, and counted once', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX, { limitMs: 250 });
    const subject = paid('u');
    await count(counters, subject);
    await isIdle(counters);
    // Redis has counted, and hangs when it is told that it stays.
    let store = (_: unknown): void => {};
    await counters.count(1, subject, seq++, (facts) => ({
      verdict: decide(DEFAULT_POLICY, subject, facts),
      stored: new Promise((resolve) => {
        store = resolve;
      }),
    }));
    redis.signal('SIGSTOP');
    store({ written: true });
    await expect.poll(() => counters.stats().waiting, { interval: 10 }).toBeGreaterThan(0);
    redis.signal('SIGCONT');
    await isBack(counters);
    expect(await actionsOf(counters, 'u')).toBe(2);
    expect((await counters.user(1, 'u', AT, makeFacts()))?.transactions).toBe(2);
  });

  test('also a service that starts without it screens, and counts once it is there', async () => {
    const redis = await startRedis();
    await redis.stop();
    const { counters, faults } = await openCounters(redis.url, PREFIX);
    const subject = paid('u');
    expect(missing(subject, await count(counters, subject))).toEqual(kindsIn(subject));
    expect(faults).toHaveLength(1);
    await redis.start();
    await isBack(counters);
    expect(await actionsOf(counters, 'u')).toBe(1);
  });

  test('a label is stored, and counted when it is back', async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const { counters } = await openCounters(redis.url, PREFIX);
    const subject = paid('u');
    await count(counters, subject);
    await isIdle(counters);
    await redis.stop();
    const row = {
      type: subject.type,
      screened_at: AT,
      request: JSON.stringify(subject.request),
      facts_version: 0,
      facts: new Uint8Array(),
    };
    let isStored = false;
    await counters.label(1, row, { fraud: true, at: AT }, seq++, async () => {
      isStored = true;
      return { written: true };
    });
    expect(isStored).toBe(true);
    await redis.start();
    await isBack(counters);
    const facts = makeFacts();
    await counters.user(1, 'u', AT, facts);
    expect(facts[fact('user.known_frauds')]).toBe(1);
  });

  test('more than can be remembered is told of as lost, once', async () => {
    const redis = await startRedis();
    const { counters, faults } = await openCounters(redis.url, PREFIX, { mostBytes: 20_000 });
    await redis.stop();
    for (let i = 0; i < 50; i++) await count(counters, paid('u'));
    await expect.poll(() => counters.stats().lost).toBeGreaterThan(0);
    expect(faults.filter((fault) => fault.includes('portcullis rebuild'))).toHaveLength(1);
    expect(counters.stats().isWhole).toBe(false);
    await redis.start();
    await isBack(counters);
  });

  test('one that is full, and takes nothing more, is away too', async () => {
    const redis = await startRedis();
    const { counters, faults } = await openCounters(redis.url, PREFIX);
    const client = new Redis(redis.url);
    const subject = paid('u');
    await count(counters, subject);
    await isIdle(counters);
    await client.config('SET', 'maxmemory', '1');
    expect(missing(subject, await count(counters, subject))).toEqual(kindsIn(subject));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(counters.stats().isHere).toBe(false);
    expect(faults).toHaveLength(1);
    await client.config('SET', 'maxmemory', '0');
    await isBack(counters);
    expect(await actionsOf(counters, 'u')).toBe(2);
    client.disconnect();
  });
});

describe.skipIf(!hasRedisServer())('what a process remembers while Redis is away', () => {
  const survives = ['--appendonly', 'yes', '--appendfsync', 'always'];

  test('is noted for others at once, and no more when Redis was told', async () => {
    const redis = await startRedis(survives);
    const notes = makeNotes();
    const { counters } = await openCounters(redis.url, PREFIX, { missed: notes.of('one') });
    await redis.stop();
    await count(counters, paid('u'));
    await expect.poll(() => [...notes.until.keys()]).toEqual(['one']);
    expect(notes.until.get('one')).toBeGreaterThan(Date.now());
    await redis.start();
    await isBack(counters);
    await expect.poll(() => [...notes.until.keys()]).toEqual([]);
    expect(counters.stats().isWhole).toBe(true);
  });

  test('is told of as lost where that process was stopped before Redis is back', async () => {
    const redis = await startRedis(survives);
    const notes = makeNotes();
    const one = await openCounters(redis.url, PREFIX, { missed: notes.of('one') });
    await redis.stop();
    await count(one.counters, paid('u'));
    await one.counters.close();
    expect(one.faults.at(-1)).toContain('portcullis rebuild');
    await redis.start();
    const other = await openCounters(redis.url, PREFIX, { missed: notes.of('other') });
    expect(other.counters.stats().isWhole).toBe(false);
    expect(other.faults.at(-1)).toContain('portcullis rebuild');
    expect(notes.until.size).toBe(0);
    const third = await openCounters(redis.url, PREFIX, { missed: notes.of('third') });
    expect(third.counters.stats().isWhole).toBe(false);
  });

  test('is told of as lost where that process was killed, when it has not been heard of for long enough', async () => {
    const redis = await startRedis();
    const notes = makeNotes();
    notes.until.set('killed', Date.now() + 3_600_000);
    const { counters } = await openCounters(redis.url, PREFIX, { missed: notes.of() });
    expect(counters.stats().isWhole).toBe(true);
    notes.until.set('killed', Date.now() - 1);
    await expect.poll(() => counters.stats().isWhole).toBe(false);
    expect(notes.until.size).toBe(0);
  });
});

describe.skipIf(!hasRedisServer())('a process that asks nothing of Redis', () => {
  test('notices that it went away, and that it is back', async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const { counters, faults, recoveries } = await openCounters(redis.url, PREFIX);
    await redis.stop();
    await expect.poll(() => counters.stats().isHere).toBe(false);
    await redis.start();
    await expect.poll(() => counters.stats().isHere).toBe(true);
    expect([faults.length, recoveries.length]).toEqual([1, 1]);
  });

  test('warns of one that throws keys away when its memory is full, until it does not', async () => {
    const redis = await startRedis(['--maxmemory', '100mb', '--maxmemory-policy', 'volatile-ttl']);
    const { counters, warnings } = await openCounters(redis.url, PREFIX);
    expect(warnings).toEqual([expect.stringContaining('volatile-ttl')]);
    expect(counters.stats().mayEvict).toBe(true);
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    await expect.poll(() => counters.stats().mayEvict).toBe(false);
    // Without a limit nothing is thrown away, whatever the policy.
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', '0');
    const unlimited = await openCounters(redis.url, PREFIX);
    expect([unlimited.warnings, unlimited.counters.stats().mayEvict]).toEqual([[], false]);
    client.disconnect();
  });
});

describe.skipIf(!hasRedisServer())('a Redis that lost its data', () => {
  test('is noticed where it came back from a copy of some time ago, and not where that was seconds', async () => {
    const redis = await startRedis();
    const { counters } = await openCounters(redis.url, PREFIX);
    let now = Date.now();
    const marker = makeMarker(
      counters.link,
      makeKeys(PREFIX),
      async () => true,
      () => now,
    );
    const comeBackAfter = async (ms: number): Promise<boolean> => {
      expect(await marker.check()).toBe(true);
      await counters.link.ask((client) => (client as Redis).save());
      now += ms;
      expect(await marker.check()).toBe(true);
      await redis.stop();
      await count(counters, paid('u'));
      await redis.start();
      await isBack(counters);
      return marker.check();
    };
    expect(await comeBackAfter(5000)).toBe(true);
    expect(await comeBackAfter(60_000)).toBe(false);
    expect(await marker.check()).toBe(false);
  });

  test('is noticed by every process when it is back, also by those that start later', async () => {
    const redis = await startRedis();
    const hasStored = async () => true;
    const first = await openCounters(redis.url, PREFIX, { hasStored: async () => false });
    const second = await openCounters(redis.url, PREFIX, { hasStored });
    expect([first.faults, second.faults]).toEqual([[], []]);
    expect(second.counters.stats().isWhole).toBe(true);
    await count(first.counters, paid('u'));
    await count(second.counters, paid('u'));
    await redis.stop();
    await count(first.counters, paid('u'));
    await count(second.counters, paid('u'));
    await redis.start();
    for (const { counters, faults } of [first, second]) {
      await isBack(counters);
      await expect.poll(() => counters.stats().isWhole).toBe(false);
      expect(faults.at(-1)).toContain('portcullis rebuild');
    }
    const third = await openCounters(redis.url, PREFIX, { hasStored });
    expect(third.counters.stats().isWhole).toBe(false);
    expect(third.faults.at(-1)).toContain('portcullis rebuild');
  });

  test('is noticed by a process that never saw the data, if something was stored', async () => {
    const redis = await startRedis();
    const { counters, faults } = await openCounters(redis.url, PREFIX, { hasStored: async () => true });
    expect(counters.stats().isWhole).toBe(false);
    expect(faults).toHaveLength(1);
  });
});
