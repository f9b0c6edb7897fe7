import { expect, test } from 'vitest';
import type { RedisClient } from './client.ts';
import { RedisUnavailable } from './connection.ts';
import { makeRetryQueue } from './retry-queue.ts';
import { cancelStep } from './updates.ts';

/** Updates that the server finishes within the timeout of a call. */
const FINISHED_IN_TIME = 5;

test('a server that is too slow for a full call gets the queued updates in smaller ones', async () => {
  const calls: number[] = [];
  let isAvailable = false;
  const redis = {
    isCluster: () => false,
    isAvailable: () => isAvailable,
    runScript: async (_script: string, keys: readonly string[]) => {
      calls.push(keys.length);
      isAvailable &&= keys.length <= FINISHED_IN_TIME;
      if (!isAvailable) throw new RedisUnavailable('no answer within 250 ms');
      return [];
    },
  } as unknown as RedisClient;
  const queue = makeRetryQueue(redis, { onLongProfile: () => {}, onQueued: () => {}, onLost: () => {} });
  for (let seq = 1; seq <= 200; seq++) await queue.send({ keys: [`key ${seq}`], bytes: cancelStep(0, seq) });
  expect(queue.stats()).toEqual({ queued: 200, lost: 0 });
  for (let answers = 0; answers < 100 && !queue.isIdle(); answers++) {
    isAvailable = true;
    await queue.drain();
  }
  expect(queue.isIdle()).toBe(true);
  expect(calls.filter((updates) => updates > 1).slice(0, 6)).toEqual([64, 32, 16, 8, 4, 8]);
});
