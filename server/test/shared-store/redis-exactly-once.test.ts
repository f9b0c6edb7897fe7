import { DEFAULT_POLICY, decide, type Facts, fact, makeFacts, type Subject } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { UnknownOutcome } from '../../src/backend/backend.ts';
import type { RedisCounters } from '../../src/backend/redis/counters.ts';
import { countOne } from '../fixtures/count-one.ts';
import { makeRedisProxy } from '../fixtures/redis-proxy.ts';
import {
  hasRedisServer,
  makeTestRegistry,
  openCounters,
  startRedis,
  subjectAt,
  untilIdle,
} from '../fixtures/redis-world.ts';

const PREFIX = 'portcullis';
const AT = Date.UTC(2026, 4, 1);
const paid = (user: string): Subject =>
  subjectAt(
    {
      path: '/v1/transactions/screen',
      afterMs: 0,
      body: { user_id: user, amount: 20, currency: 'USD', counterparty_id: 'shop', ip_address: '198.51.100.9' },
    },
    AT,
  );
let seq = 1;
const count = async (counters: RedisCounters, subject: Subject): Promise<Facts> => {
  let seen = makeFacts();
  await countOne(counters, 1, subject, seq++, (facts) => {
    seen = facts.slice();
    return { verdict: decide(DEFAULT_POLICY, subject, facts), stored: Promise.resolve({ written: true }) };
  });
  return seen;
};
/** Counts a screening whose write got no answer. */
const countUnknown = async (counters: RedisCounters, subject: Subject, ended: Promise<void>): Promise<number> => {
  const stored = Promise.reject(new UnknownOutcome(ended));
  stored.catch(() => {});
  const number = seq++;
  await countOne(counters, 1, subject, number, (facts) => ({
    verdict: decide(DEFAULT_POLICY, subject, facts),
    stored,
  }));
  return number;
};
const countMany = async (counters: RedisCounters, subject: Subject, times: number): Promise<void> => {
  for (let i = 0; i < times; i++) await count(counters, subject);
};
/** Payments of a user by the history and by the profile, the total, and payments of the shop. */
const countsOf = async (counters: RedisCounters, user: string): Promise<unknown[]> => {
  const facts = makeFacts();
  const profile = await counters.user(1, user, AT, facts);
  const shop = (await count(counters, paid('other')))[fact('counterparty.actions')];
  return [facts[fact('user.actions')], profile?.transactions, profile?.totals.USD, shop];
};
const untilBack = (counters: RedisCounters) =>
  expect.poll(() => counters.stats().isAvailable && counters.isIdle(), { interval: 10 }).toBe(true);

describe.skipIf(!hasRedisServer())('every screening is counted once in histories and profiles', () => {
  test('when its commands reach Redis after their retries', async () => {
    const redis = await startRedis();
    const proxy = await makeRedisProxy(redis.port);
    const { counters } = await openCounters(proxy.url, PREFIX, { timeoutMs: 250 });
    await countMany(counters, paid('u'), 5);
    await untilIdle(counters);
    // Counted, and not settled when the network stops: the update of the profile is delayed too.
    await count(counters, paid('u'));
    proxy.holdRequests();
    await countMany(counters, paid('u'), 3);
    await untilBack(counters);
    await proxy.deliverHeld();
    expect(await countsOf(counters, 'u')).toEqual([9, 9, 180, 9]);
    expect(counters.stats()).toMatchObject({ lost: 0, queued: 0 });
  });

  test.each([30, 300])('when another process counts %i more before the retry', async (more) => {
    const redis = await startRedis();
    const proxy = await makeRedisProxy(redis.port);
    const { counters } = await openCounters(proxy.url, PREFIX, { timeoutMs: 250 });
    const other = await openCounters(redis.url, PREFIX);
    await countMany(counters, paid('u'), 5);
    await untilIdle(counters);
    await count(counters, paid('u'));
    proxy.loseReplies();
    await countMany(counters, paid('u'), 3);
    await countMany(other.counters, paid('u'), more);
    await untilIdle(other.counters);
    if (more > 128) expect(other.counters.stats().compactions).toBeGreaterThan(0);
    await untilBack(counters);
    const total = 9 + more;
    expect(await countsOf(other.counters, 'u')).toEqual([total, total, 20 * total, total]);
  });

  test('when its write got no answer: once the outcome is known, it is counted if it is stored', async () => {
    const redis = await startRedis();
    const stored = new Set<number>();
    let reads = 0;
    const isStored = async (number: number): Promise<boolean> => {
      if (reads++ === 0) throw new Error('the store is away');
      return stored.has(number);
    };
    const registry = makeTestRegistry();
    const { counters } = await openCounters(redis.url, PREFIX, { isStored, backlogRegistry: registry.forProcess() });
    await countMany(counters, paid('u'), 5);
    const ended = Promise.withResolvers<void>();
    stored.add(await countUnknown(counters, paid('u'), ended.promise));
    await countUnknown(counters, paid('u'), ended.promise);
    const label = { fraud: true, at: AT };
    const row = { type: 'transaction', screened_at: AT, request: JSON.stringify(paid('u').request) } as const;
    for (const isThere of [true, false]) {
      const labelled = counters.label(
        1,
        { ...row, facts_version: 0, facts: new Uint8Array(), imported: 0 },
        label,
        seq,
        async () => {
          throw new UnknownOutcome(ended.promise);
        },
      );
      await expect(labelled).rejects.toThrow(UnknownOutcome);
      if (isThere) stored.add(seq);
      seq++;
    }
    // A process that is killed now leaves counts in doubt, so it is registered.
    await expect.poll(() => registry.entries.size).toBe(1);
    expect(counters.isIdle()).toBe(false);
    ended.resolve();
    await untilIdle(counters);
    const facts = makeFacts();
    const profile = await counters.user(1, 'u', AT, facts);
    expect([facts[fact('user.actions')], profile?.transactions, facts[fact('user.known_frauds')]]).toEqual([6, 6, 1]);
  });
});
