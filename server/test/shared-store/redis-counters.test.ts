import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { RedisCounters } from '../../src/backend/redis/counters.ts';
import { rounds } from '../fixtures/effort.ts';
import {
  isRedisAvailable,
  makeOracle,
  makeRandom,
  openCounters,
  randomPrefix,
  removeKeys,
  SHARED_URL,
  untilIdle,
  withFewUsers,
} from '../fixtures/redis-world.ts';
import { traffic } from '../fixtures/traffic.ts';

const answers = await isRedisAvailable();
const prefix = randomPrefix();
afterAll(async () => {
  if (answers) await removeKeys(SHARED_URL, prefix);
});

const TENANTS = [1, 2, 7];
const USERS = 8;

describe.skipIf(!answers)('counters in Redis', () => {
  test('return the same facts and profiles as the embedded counters, to the bit, whenever and by whichever process tails are compacted', async () => {
    let compactions = 0;
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 30 }), async (seed) => {
        const random = makeRandom(seed);
        // A prefix per run, because a failing run is repeated with the same seed.
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
          const [here, there] = await oracle.screen(tenant, withFewUsers(step, USERS), counters, random() < 0.05);
          expect(there).toEqual(here);
          await untilIdle(...instances);
          if (random() < 0.3 && oracle.screened.length > 0) {
            const item = oracle.screened[Math.floor(random() * oracle.screened.length)];
            if (item !== undefined) await oracle.label(item, random() < 0.6, counters, random() < 0.05);
            await untilIdle(...instances);
          }
        }
        for (const tenant of TENANTS)
          for (let user = 0; user <= USERS; user++) {
            const [here, there] = await oracle.user(tenant, `user_${user}`, instances[0] as RedisCounters);
            expect(there).toEqual(here);
          }
        for (const counters of instances) compactions += counters.stats().compactions;
        expect(instances.map((counters) => counters.stats().screeningsWithoutHistories)).toEqual([0, 0]);
      }),
      { numRuns: rounds(2, 40) },
    );
    expect(compactions).toBeGreaterThan(50);
  }, 180_000);

  test('include every screening that the same process has answered, and whether its payment was large', async () => {
    const { counters } = await openCounters(SHARED_URL, `${prefix}:at-once`);
    const oracle = makeOracle();
    for (const step of traffic(77, 400)) {
      oracle.advance(step.afterMs);
      const [here, there] = await oracle.screen(1, withFewUsers(step, 3), counters, false);
      expect(there).toEqual(here);
    }
  }, 120_000);

  test('return the same facts as the embedded counters for screenings that arrive together', async () => {
    const { counters } = await openCounters(SHARED_URL, `${prefix}:together`);
    const oracle = makeOracle();
    const steps = [...traffic(83, 400)];
    for (let i = 0; i < steps.length; i += 4) {
      oracle.advance(steps[i]?.afterMs ?? 0);
      const together = steps.slice(i, i + 4).map((step) => oracle.screen(1, withFewUsers(step, 3), counters));
      for (const [here, there] of await Promise.all(together)) expect(there).toEqual(here);
      await untilIdle(counters);
    }
  });
});
