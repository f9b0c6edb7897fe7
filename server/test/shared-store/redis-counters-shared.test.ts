import { DEFAULT_POLICY, decide, fact, kindIndex, makeArena, makeFacts, type Subject } from '@portcullis/engine';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import type { Counters } from '../../src/backend/counters.ts';
import type { RedisCounters } from '../../src/backend/redis/counters.ts';
import { makeKeys } from '../../src/backend/redis/keys.ts';
import { type Compaction, readHistory } from '../../src/backend/redis/record.ts';
import { compactStep, type Step, updateOf } from '../../src/backend/redis/updates.ts';
import { countOne } from '../fixtures/count-one.ts';
import {
  isRedisAvailable,
  openCounters,
  randomPrefix,
  removeKeys,
  SHARED_URL,
  subjectAt,
  untilIdle,
} from '../fixtures/redis-world.ts';

const answers = await isRedisAvailable();
const prefix = randomPrefix();
afterAll(async () => {
  if (answers) await removeKeys(SHARED_URL, prefix);
});

const AT = Date.UTC(2026, 4, 1);
const paid = (user: string, at = AT): Subject =>
  subjectAt(
    {
      path: '/v1/transactions/screen',
      afterMs: 0,
      body: { user_id: user, amount: 20, currency: 'USD', counterparty_id: 'shop', ip_address: '198.51.100.9' },
    },
    at,
  );
let seq = 1;
const count = async (
  counters: Counters,
  subject: Subject,
  stored: () => Promise<unknown> = async () => ({ written: true }),
) => {
  let seen = makeFacts();
  const { stored: written } = await countOne(counters, 1, subject, seq++, (facts) => {
    seen = facts.slice();
    return { verdict: decide(DEFAULT_POLICY, subject, facts), stored: stored() };
  });
  await written;
  return seen;
};
const actionsOf = async (counters: RedisCounters, user: string): Promise<number> => {
  const facts = makeFacts();
  await counters.user(1, user, AT, facts);
  return facts[fact('user.actions')] as number;
};

describe.skipIf(!answers)('counters in Redis, shared by several processes', () => {
  test('count every screening exactly once, and each screening sees a different number of earlier ones', async () => {
    const [a, b] = [await openCounters(SHARED_URL, `${prefix}:a`), await openCounters(SHARED_URL, `${prefix}:a`)];
    const both = [a.counters, b.counters];
    const users = ['one', 'two', 'three'];
    const before: number[] = [];
    for (let round = 0; round < 12; round++) {
      const seen = await Promise.all(
        Array.from({ length: 99 }, (_, i) => count(both[i % 2] as RedisCounters, paid(users[i % 3] as string))),
      );
      before.push(...seen.map((facts) => facts[fact('counterparty.actions')] as number));
    }
    await untilIdle(...both);
    expect(before.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 1188 }, (_, i) => i));
    const actions = await Promise.all(users.map((user) => actionsOf(a.counters, user)));
    expect(actions).toEqual([396, 396, 396]);
    const profiles = await Promise.all(users.map((user) => b.counters.user(1, user, AT, makeFacts())));
    expect(profiles.map((profile) => profile?.transactions)).toEqual([396, 396, 396]);
    expect(a.counters.stats().compactions + b.counters.stats().compactions).toBeGreaterThan(10);
  });

  test('cancel a screening that could not be stored, and forget an entity that only it had', async () => {
    const { counters } = await openCounters(SHARED_URL, `${prefix}:b`);
    await expect(count(counters, paid('gone'), () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
    await count(counters, paid('refused'), async () => ({ written: false }));
    await untilIdle(counters);
    expect(await counters.user(1, 'gone', AT, makeFacts())).toBeUndefined();
    expect(await counters.user(1, 'refused', AT, makeFacts())).toBeUndefined();
    const facts = await count(counters, paid('gone'));
    expect([facts[fact('user.actions')], facts[fact('counterparty.actions')]]).toEqual([0, 0]);
  });

  test('count a screening before it is stored but do not compact it, so that it can be cancelled', async () => {
    const options = { compactFrom: () => 0 };
    const [a, b] = [
      await openCounters(SHARED_URL, `${prefix}:h`, options),
      await openCounters(SHARED_URL, `${prefix}:h`, options),
    ];
    await count(a.counters, paid('u'));
    let fail = (_: Error): void => {};
    const lost = new Promise<unknown>((_, reject) => {
      fail = reject;
    });
    const slow = count(a.counters, paid('u'), () => lost);
    const seen = [];
    for (let i = 0; i < 6; i++) {
      seen.push((await count(i % 2 === 0 ? b.counters : a.counters, paid('u')))[fact('user.actions')]);
      await untilIdle(b.counters);
      await untilIdle(a.counters);
    }
    expect(seen).toEqual([2, 3, 4, 5, 6, 7]);
    fail(new Error('no room'));
    await expect(slow).rejects.toThrow('no room');
    await untilIdle(a.counters);
    expect((await count(b.counters, paid('u')))[fact('user.actions')]).toBe(7);
  });

  test('keep a profile readable after a screening that hundreds of rules matched', async () => {
    const { counters } = await openCounters(SHARED_URL, `${prefix}:i`);
    const signals = Array.from({ length: 900 }, (_, i) => `rule.${'x'.repeat(90)}${i}`);
    const subject = paid('u');
    await countOne(counters, 1, subject, seq++, (facts) => ({
      verdict: { ...decide(DEFAULT_POLICY, subject, facts), signals },
      stored: Promise.resolve({ written: true }),
    }));
    await untilIdle(counters);
    const profile = await counters.user(1, 'u', AT, makeFacts());
    expect(profile?.signals.map(({ value }) => value)).toEqual(signals.slice(-20));
  });

  test('count nothing when the decision throws', async () => {
    const { counters } = await openCounters(SHARED_URL, `${prefix}:c`);
    const failing = countOne(counters, 1, paid('u'), seq++, () => {
      throw new Error('decision failed');
    });
    await expect(failing).rejects.toThrow('decision failed');
    await untilIdle(counters);
    expect(await counters.user(1, 'u', AT, makeFacts())).toBeUndefined();
  });

  test('are separate for each tenant', async () => {
    const { counters } = await openCounters(SHARED_URL, `${prefix}:d`);
    await count(counters, paid('u'));
    expect(await counters.user(2, 'u', AT, makeFacts())).toBeUndefined();
    expect((await counters.user(1, 'u', AT, makeFacts()))?.firstAt).toBe(AT);
  });

  test('expire every key half a year after the day it was last used', async () => {
    const { counters } = await openCounters(SHARED_URL, `${prefix}:e`);
    const client = new Redis(SHARED_URL);
    const left = async (): Promise<number[]> => {
      const keys = await client.keys(`${prefix}:e:*:[hp]:*`);
      return Promise.all(keys.map((key) => client.pttl(key)));
    };
    const DAY = 24 * 3_600_000;
    await count(counters, paid('u'));
    await untilIdle(counters);
    expect((await left()).length).toBe(7);
    for (const key of await client.keys(`${prefix}:e:*`)) await client.pexpire(key, 1000 * 60);
    await count(counters, paid('u', AT + DAY));
    await untilIdle(counters);
    for (const ms of await left()) expect(Math.abs(ms - 180 * DAY)).toBeLessThan(60_000);
    client.disconnect();
  });

  test('report a key of another type once, and count everything else', async () => {
    const { counters, errors } = await openCounters(SHARED_URL, `${prefix}:g`);
    await count(counters, paid('u'));
    await untilIdle(counters);
    const client = new Redis(SHARED_URL);
    const [key] = await client.keys(`${prefix}:g:*:p:*`);
    await client.del(key as string);
    await client.sadd(key as string, 'not a history');
    for (let i = 0; i < 5; i++) expect((await count(counters, paid('u')))[fact('user.actions')]).toBe(i + 1);
    await untilIdle(counters);
    expect(counters.stats()).toMatchObject({ isAvailable: true, screeningsWithoutHistories: 0, lost: 5, queued: 0 });
    expect(errors.filter((error) => error.includes('WRONGTYPE'))).toHaveLength(1);
    client.disconnect();
  });

  test('count updates exactly once that were sent together with a rejected one', async () => {
    const { counters } = await openCounters(SHARED_URL, `${prefix}:j`);
    const users = ['before', 'wrong', 'behind'];
    for (const user of users) await count(counters, paid(user));
    await untilIdle(counters);
    const client = new Redis(SHARED_URL);
    const keys = await client.keys(`${prefix}:j:*:p:*`);
    const wrong = keys.find((key) => key.includes(`:${paid('wrong').hashes[0]}.`)) as string;
    await client.del(wrong);
    await client.sadd(wrong, 'not a history');
    await Promise.all(users.map((user) => count(counters, paid(user))));
    await untilIdle(counters);
    const transactions = await Promise.all(
      ['before', 'behind'].map(async (user) => (await counters.user(1, user, AT, makeFacts()))?.transactions),
    );
    expect(transactions).toEqual([2, 2]);
    client.disconnect();
  });

  test('a compaction of a history that was deleted in the meantime does not bring it back', async () => {
    const space = `${prefix}:n`;
    const { counters } = await openCounters(SHARED_URL, space, { compactFrom: () => 1000 });
    const subject = paid('erased');
    for (let i = 0; i < 30; i++) await count(counters, subject);
    await untilIdle(counters);
    const kind = kindIndex.user;
    const keys = makeKeys(space);
    const client = new Redis(SHARED_URL);
    const [history, profile] = [keys.history(1, kind, subject), keys.profile(1, subject)];
    // What a reader of the long value sends, and Redis receives late.
    const late: Step[] = [];
    const send = (key: string) => (compaction: Compaction) => void late.push([key, compactStep(compaction)]);
    readHistory(makeArena(2 ** 12), kind, (await client.getBuffer(history)) as Buffer, () => true, send(history));
    expect(late.map(([key]) => key)).toEqual([history]);
    const identity = { kind, key: subject.hashes[kind] as number, check: subject.checks[kind] as number };
    await counters.forget(1, [identity], [identity], seq);
    expect(await client.exists(history, profile)).toBe(0);
    seq++;
    await count(counters, subject);
    await untilIdle(counters);
    for (const step of late) {
      const { keys: applied, bytes } = updateOf([step]);
      await counters.redis.runScript('apply', applied, [bytes]);
    }
    expect(await actionsOf(counters, 'erased')).toBe(1);
    expect((await counters.user(1, 'erased', AT, makeFacts()))?.transactions).toBe(1);
    client.disconnect();
  });

  test('report a damaged history, and treat it as unavailable', async () => {
    const { counters, errors } = await openCounters(SHARED_URL, `${prefix}:f`);
    await count(counters, paid('u'));
    await untilIdle(counters);
    const client = new Redis(SHARED_URL);
    const [key] = await client.keys(`${prefix}:f:*:h:{1:6:*`);
    await client.set(key as string, 'not a history');
    const facts = await count(counters, paid('u'));
    expect(facts[fact('counterparty.actions')]).toBeNaN();
    expect(facts[fact('user.actions')]).toBe(1);
    expect(errors).toHaveLength(1);
    client.disconnect();
  });

  test('report a damaged profile, and answer that it is unavailable', async () => {
    const { counters, errors } = await openCounters(SHARED_URL, `${prefix}:k`);
    await count(counters, paid('u'));
    await untilIdle(counters);
    const client = new Redis(SHARED_URL);
    const [key] = await client.keys(`${prefix}:k:*:p:*`);
    await client.set(key as string, 'not a profile');
    await expect(counters.user(1, 'u', AT, makeFacts())).rejects.toThrow('damaged');
    expect(errors).toEqual([expect.stringContaining('a value in Redis is damaged')]);
    client.disconnect();
  });
});
