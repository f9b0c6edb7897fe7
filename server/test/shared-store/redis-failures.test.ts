import { DEFAULT_POLICY, decide, fact, makeFacts } from '@portcullis/engine';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { RedisCounters } from '../../src/backend/redis/counters.ts';
import { countOne } from '../fixtures/count-one.ts';
import {
  hasRedisServer,
  openCounters,
  startRedis,
  subjectAt,
  type TestRedis,
  untilIdle,
} from '../fixtures/redis-world.ts';

const PREFIX = 'portcullis';
const AT = Date.UTC(2026, 4, 1);
const subject = subjectAt(
  {
    path: '/v1/transactions/screen',
    afterMs: 0,
    body: { user_id: 'u', amount: 20, currency: 'USD', counterparty_id: 'shop', ip_address: '198.51.100.9' },
  },
  AT,
);
let seq = 1;
const count = (counters: RedisCounters) =>
  countOne(counters, 1, subject, seq++, (facts) => ({
    verdict: decide(DEFAULT_POLICY, subject, facts),
    stored: Promise.resolve({ written: true }),
  }));
const actionsOf = async (counters: RedisCounters): Promise<unknown[]> => {
  const facts = makeFacts();
  const profile = await counters.user(1, 'u', AT, facts);
  return [facts[fact('user.actions')], profile?.transactions];
};
/** Sends a command over a connection of its own. */
const send = async (redis: TestRedis, ...command: [string, ...string[]]): Promise<void> => {
  const client = new Redis(redis.url, { enableReadyCheck: false });
  await client.call(...command).finally(() => client.disconnect());
};

const FAILURES: [
  string,
  begin: (redis: TestRedis) => unknown,
  end: (redis: TestRedis) => unknown,
  reported: string | undefined,
][] = [
  [
    'has become a replica',
    (redis) => send(redis, 'REPLICAOF', '127.0.0.1', '1'),
    (redis) => send(redis, 'REPLICAOF', 'NO', 'ONE'),
    'READONLY',
  ],
  [
    'is busy with a script',
    async (redis) => {
      await send(redis, 'CONFIG', 'SET', 'busy-reply-threshold', '1');
      send(redis, 'EVAL', 'while true do end', '0').catch(() => {});
      await expect.poll(() => send(redis, 'GET', 'x').catch(String)).toContain('BUSY');
    },
    (redis) => send(redis, 'SCRIPT', 'KILL'),
    'BUSY',
  ],
  ['has forgotten the scripts', (redis) => send(redis, 'SCRIPT', 'FLUSH'), () => {}, undefined],
  ['has closed all connections', (redis) => send(redis, 'CLIENT', 'KILL', 'TYPE', 'normal'), () => {}, 'is lost'],
  ['takes no writes for a while', (redis) => send(redis, 'CLIENT', 'PAUSE', '700', 'WRITE'), () => {}, 'no answer'],
  ['hangs', (redis) => redis.signal('SIGSTOP'), (redis) => redis.signal('SIGCONT'), 'no answer'],
];

describe.skipIf(!hasRedisServer())('a Redis that', () => {
  test.each(FAILURES)(
    '%s is reported once, and every screening is counted once in the end',
    async (_, begin, end, reported) => {
      const redis = await startRedis();
      const { counters, errors, recoveries } = await openCounters(redis.url, PREFIX, { timeoutMs: 250 });
      for (let i = 0; i < 5; i++) await count(counters);
      await untilIdle(counters);
      await begin(redis);
      for (let i = 0; i < 20; i++) {
        await count(counters);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await end(redis);
      await expect.poll(() => counters.stats().isAvailable && counters.isIdle(), { interval: 10 }).toBe(true);
      expect(await actionsOf(counters)).toEqual([25, 25]);
      expect(counters.stats()).toMatchObject({ isComplete: true, lost: 0, queued: 0 });
      if (reported === undefined) expect(errors).toEqual([]);
      else expect(errors).toEqual([expect.stringContaining(reported)]);
      expect(recoveries).toHaveLength(errors.length);
    },
  );

  test('rejects the password or is not there is reported with the reason', async () => {
    const redis = await startRedis();
    await send(redis, 'CONFIG', 'SET', 'requirepass', 'secret');
    const { host } = new URL(redis.url);
    const wrong = await openCounters(`redis://:wrong@${host}`, PREFIX);
    expect(wrong.errors).toEqual([expect.stringContaining('WRONGPASS')]);
    const right = await openCounters(`redis://:secret@${host}`, PREFIX);
    expect(right.errors).toEqual([]);
    await redis.stop();
    const gone = await openCounters(`redis://:secret@${host}`, PREFIX);
    expect(gone.errors).toEqual([expect.stringContaining('ECONNREFUSED')]);
    for (const error of [...wrong.errors, ...gone.errors]) expect(error).not.toMatch(/secret|:wrong@/);
  });
});
