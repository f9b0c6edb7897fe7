import { DEFAULT_POLICY, decide, type Facts, makeFacts } from '@portcullis/engine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CountedScreening } from '../../src/backend/counters.ts';
import { openSqlite } from '../../src/backend/embedded/store.ts';
import { rounds } from '../fixtures/effort.ts';
import { makeFolder } from '../fixtures/harness.ts';
import { identities, subjectAt } from '../fixtures/redis-world.ts';
import { traffic } from '../fixtures/traffic.ts';

const USERS = ['ada', 'bob', 'cyd'];
/** More than go through the stages at once, so that some batches are cut. */
const MOST = 150;

/** Screenings of few users, who share what they use, so that most have a neighbour of the same user in their batch. */
const screeningsOf = (seed: number, count: number): CountedScreening[] => {
  let at = Date.UTC(2026, 10, 1);
  return [...traffic(seed, count)].map((step, i) => {
    at += step.afterMs;
    const user_id = USERS[i % USERS.length] as string;
    const subject = subjectAt({ ...step, body: { ...step.body, user_id } }, at);
    return { tenant: 1, subject, seq: i + 1, verdict: undefined, onEnd: undefined };
  });
};

/** Counts screenings in batches of these sizes. Returns their facts, and the profiles after the last. */
const countIn = async (screenings: readonly CountedScreening[], sizes: readonly number[]) => {
  const { counters, backend } = openSqlite({ directory: makeFolder(), identities, cacheBytes: 20_000 });
  const seen: Facts[] = [];
  for (let from = 0, i = 0; from < screenings.length; i++) {
    const size = sizes[i % sizes.length] as number;
    counters.count(
      screenings.slice(from, from + size),
      (gathered, facts) => {
        for (const [at, screening] of gathered.entries()) {
          seen.push((facts[at] as Facts).slice());
          screening.verdict = decide(DEFAULT_POLICY, screening.subject, facts[at] as Facts);
        }
      },
      (_screening, error) => {
        throw error;
      },
    );
    from += size;
  }
  const now = screenings.at(-1)?.subject.at ?? 0;
  const profiles = await Promise.all(USERS.map((user) => counters.user(1, user, now, makeFacts())));
  await backend.close();
  return { seen, profiles };
};

test('screenings counted in batches of any size have the facts, to the bit, and profiles of one after the other', async () => {
  const batches = fc.array(fc.integer({ min: 1, max: MOST }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.nat(1e6), batches, async (seed, sizes) => {
      const alone = await countIn(screeningsOf(seed, 300), [1]);
      const together = await countIn(screeningsOf(seed, 300), sizes);
      expect(together.seen.length).toBe(300);
      for (const [i, facts] of together.seen.entries())
        expect(Buffer.from(facts.buffer).equals(Buffer.from((alone.seen[i] as Facts).buffer))).toBe(true);
      expect(together.profiles).toEqual(alone.profiles);
      expect(together.profiles.map((profile) => profile?.transactions)).not.toContain(0);
    }),
    { numRuns: rounds(6, 200) },
  );
});
