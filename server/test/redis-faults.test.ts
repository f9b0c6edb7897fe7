import { DEFAULT_POLICY, decide, fact, makeFacts } from '@portcullis/engine';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { RedisCounters } from '../src/backend/counters-redis.ts';
import { hasRedisServer, isIdle, type OwnRedis, openCounters, startRedis, subjectAt } from './redis-world.ts';

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
  counters.count(1, subject, seq++, (facts) => ({
    verdict: decide(DEFAULT_POLICY, subject, facts),
    stored: Promise.resolve({ written: true }),
  }));
const actionsOf = async (counters: RedisCounters): Promise<unknown[]> => {
  const facts = makeFacts();
  const profile = await counters.user(1, 'u', AT, facts);
  return [facts[fact('user.actions')], profile?.transactions];
};
/** Says something to a server by a connection of its own. */
const say = async (redis: OwnRedis, ...words: [string, ...string[]]): Promise<void> => {
  const client = new Redis(redis.url, { enableReadyCheck: false });
  await client.call(...words).finally(() => client.disconnect());
};

const FAULTS: [
  string,
  begin: (redis: OwnRedis) => unknown,
  end: (redis: OwnRedis) => unknown,
  told: string | undefined,
][] = [
  [
    'has become a copy of another',
    (redis) => say(redis, 'REPLICAOF', '127.0.0.1', '1'),
    (redis) => say(redis, 'REPLICAOF', 'NO', 'ONE'),
    'READONLY',
  ],
  [
    'is busy with a script',
    async (redis) => {
      await say(redis, 'CONFIG', 'SET', 'busy-reply-threshold', '1');
      say(redis, 'EVAL', 'while true do end', '0').catch(() => {});
      await expect.poll(() => say(redis, 'GET', 'x').catch(String)).toContain('BUSY');
    },
    (redis) => say(redis, 'SCRIPT', 'KILL'),
    'BUSY',
  ],
  ['has forgotten the scripts', (redis) => say(redis, 'SCRIPT', 'FLUSH'), () => {}, undefined],
  ['has cut all connections', (redis) => say(redis, 'CLIENT', 'KILL', 'TYPE', 'normal'), () => {}, 'is lost'],
  ['takes no writes for a while', (redis) => say(redis, 'CLIENT', 'PAUSE', '700', 'WRITE'), () => {}, 'no answer'],
  ['stands still', (redis) => redis.signal('SIGSTOP'), (redis) => redis.signal('SIGCONT'), 'no answer'],
];

describe.skipIf(!hasRedisServer())('a Redis that', () => {
  test.each(FAULTS)('%s is told of once, and everything is counted once in the end', async (_, begin, end, told) => {
    const redis = await startRedis();
    const { counters, faults, recoveries } = await openCounters(redis.url, PREFIX, { limitMs: 250 });
    for (let i = 0; i < 5; i++) await count(counters);
    await isIdle(counters);
    await begin(redis);
    for (let i = 0; i < 20; i++) {
      await count(counters);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await end(redis);
    await expect.poll(() => counters.stats().isHere && counters.isIdle(), { interval: 10 }).toBe(true);
    expect(await actionsOf(counters)).toEqual([25, 25]);
    expect(counters.stats()).toMatchObject({ isWhole: true, lost: 0, waiting: 0 });
    if (told === undefined) expect(faults).toEqual([]);
    else expect(faults).toEqual([expect.stringContaining(told)]);
    expect(recoveries).toHaveLength(faults.length);
  });

  test('does not let us in, or is not there, is told of with the reason', async () => {
    const redis = await startRedis();
    await say(redis, 'CONFIG', 'SET', 'requirepass', 'secret');
    const { host } = new URL(redis.url);
    const wrong = await openCounters(`redis://:wrong@${host}`, PREFIX);
    expect(wrong.faults).toEqual([expect.stringContaining('WRONGPASS')]);
    const right = await openCounters(`redis://:secret@${host}`, PREFIX);
    expect(right.faults).toEqual([]);
    await redis.stop();
    const gone = await openCounters(`redis://:secret@${host}`, PREFIX);
    expect(gone.faults).toEqual([expect.stringContaining('ECONNREFUSED')]);
    for (const fault of [...wrong.faults, ...gone.faults]) expect(fault).not.toMatch(/secret|:wrong@/);
  });
});
