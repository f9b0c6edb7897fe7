import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { RedisCounters } from '../src/backend/counters-redis.ts';
import {
  anyPrefix,
  crowded,
  isIdle,
  makeOracle,
  makeRandom,
  openCounters,
  redisAnswers,
  removeKeys,
  SHARED_URL,
} from './redis-world.ts';
import { traffic } from './traffic.ts';

const answers = await redisAnswers();
const prefix = anyPrefix();
afterAll(async () => {
  if (answers) await removeKeys(SHARED_URL, prefix);
});

const TENANTS = [1, 2, 7];
const USERS = 8;

describe.skipIf(!answers)('counters in Redis', () => {
  test('tell the same facts and profiles as those of one machine, to the bit, whenever what is remembered is folded and by whom', async () => {
    let compactions = 0;
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 30 }), async (seed) => {
        const random = makeRandom(seed);
        // Also where it is tried again with the same seed.
        const space = `${prefix}:${++runs}`;
        const compactFrom = () => [undefined, 0, 3, 30][Math.floor(random() * 4)];
        const instances = [
          (await openCounters(SHARED_URL, space, { compactFrom })).counters,
          (await openCounters(SHARED_URL, space, { compactFrom })).counters,
        ];
        const oracle = makeOracle();
        for (const step of traffic(seed, 160)) {
          oracle.advance(step.afterMs);
          const counters = instances[Math.floor(random() * 2)] as RedisCounters;
          const tenant = TENANTS[Math.floor(random() ** 2 * 3)] as number;
          const [here, there] = await oracle.screen(tenant, crowded(step, USERS), counters, random() < 0.05);
          expect(there).toEqual(here);
          await isIdle(...instances);
          if (random() < 0.3 && oracle.screened.length > 0) {
            const item = oracle.screened[Math.floor(random() * oracle.screened.length)];
            if (item !== undefined) await oracle.label(item, random() < 0.6, counters, random() < 0.05);
            await isIdle(...instances);
          }
        }
        for (const tenant of TENANTS)
          for (let user = 0; user <= USERS; user++) {
            const [here, there] = await oracle.user(tenant, `user_${user}`, instances[0] as RedisCounters);
            expect(there).toEqual(here);
          }
        for (const counters of instances) compactions += counters.stats().compactions;
        expect(instances.map((counters) => counters.stats().unavailable)).toEqual([0, 0]);
      }),
      { numRuns: 4 },
    );
    expect(compactions).toBeGreaterThan(100);
  }, 180_000);

  test('know at once of what the same process has answered, also that a payment was large', async () => {
    const { counters } = await openCounters(SHARED_URL, `${prefix}:at-once`);
    const oracle = makeOracle();
    for (const step of traffic(77, 400)) {
      oracle.advance(step.afterMs);
      const [here, there] = await oracle.screen(1, crowded(step, 3), counters, false);
      expect(there).toEqual(here);
    }
  }, 60_000);
});
