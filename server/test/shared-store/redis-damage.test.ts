import { type Facts, fact, makeRandom } from '@portcullis/engine';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { rounds, SEED } from '../fixtures/effort.ts';
import {
  isRedisAvailable,
  makeOracle,
  openCounters,
  randomPrefix,
  removeKeys,
  SHARED_URL,
  untilIdle,
} from '../fixtures/redis-world.ts';
import { type Step, traffic } from '../fixtures/traffic.ts';

const answers = await isRedisAvailable();
const prefix = randomPrefix();
afterAll(async () => {
  if (answers) await removeKeys(SHARED_URL, prefix);
});

const random = makeRandom(SEED);
const below = (limit: number): number => Math.floor(random() * limit);

/** Counters in Redis beside the embedded ones, whose store is their journal. */
const makeWorld = async (name: string) => {
  const oracle = makeOracle();
  const { counters, errors, recoveries } = await openCounters(SHARED_URL, `${prefix}:${name}`, {
    journal: oracle.backend,
    clock: oracle.now,
    // A screening is counted before it is stored. A repair waits for that, as it does in the service for a while.
    pause: async () => void (await screening),
  });
  let screening: ReturnType<typeof oracle.screen> | undefined;
  const screen = (step: Step) => (screening = oracle.screen(1, step, counters));
  const client = new Redis(SHARED_URL);
  const steps: Step[] = [...traffic(SEED, 40)];
  for (const { afterMs, ...step } of steps) {
    oracle.advance(Math.max(1, afterMs));
    await screen({ ...step, afterMs });
  }
  await untilIdle(counters);
  oracle.advance(60_000);
  const keys = (await client.keys(`${prefix}:${name}:*`)).filter((key) => /:[hp]:\{/.test(key));
  return { oracle, counters, errors, recoveries, client, steps, keys, screen };
};

const untilRepaired = (counters: { stats: () => { rebuilding: number } }) =>
  expect.poll(() => counters.stats().rebuilding, { interval: 10 }).toBe(0);

describe.skipIf(!answers)(`a damaged value in Redis (seed ${SEED})`, () => {
  test('is unavailable, reported once and rebuilt from the stored screenings, to the bit', async () => {
    for (let round = 0; round < rounds(2, 50); round++) {
      const { oracle, counters, errors, recoveries, client, steps, keys, screen } = await makeWorld(`flip${round}`);
      for (const key of keys) {
        const flipped = (await client.getBuffer(key)) as Buffer;
        // The length of the base, or the first bytes of the base or tail.
        const at = below(2) === 0 ? 4 + below(4) : 24 + below(8);
        flipped[at] = (flipped[at] as number) ^ (1 + below(255));
        await client.set(key, flipped);
      }
      const users = [...new Set(steps.map(({ body }) => String(body.user_id)))];
      const seen: Facts[] = [];
      for (const step of steps.slice(0, 10)) {
        oracle.advance(1000);
        seen.push((await screen(step))[1]);
      }
      expect(seen.some((facts) => Number.isNaN(facts[fact('user.actions')] as number))).toBe(true);
      expect(seen.every((facts) => facts[fact('user.actions')] !== 0)).toBe(true);
      await untilIdle(counters);
      await untilRepaired(counters);
      // Values that no screening has read yet are repaired when they are.
      for (const user of users) await counters.user(1, user, oracle.now(), seen[0] as Facts).catch(() => {});
      await untilRepaired(counters);
      for (const user of users) await counters.user(1, user, oracle.now(), seen[0] as Facts).catch(() => {});
      await untilRepaired(counters);
      for (const user of users) {
        const [here, there] = await oracle.user(1, user, counters);
        expect(there).toEqual(here);
      }
      const reported = errors.filter((error) => error.includes('is damaged'));
      expect(reported.length).toBe(new Set(reported).size);
      expect(reported.length).toBe(counters.stats().damaged);
      expect(recoveries.some((message) => message.includes('rebuilt'))).toBe(true);
      client.disconnect();
    }
  });
});
