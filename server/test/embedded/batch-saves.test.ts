import {
  DEFAULT_POLICY,
  decide,
  FACTS_VERSION,
  type Facts,
  makeFacts,
  packFacts,
  packVerdict,
} from '@portcullis/engine';
import { expect, test, vi } from 'vitest';
import type { Outcome, PendingWrite } from '../../src/backend/backend.ts';
import type { CountedScreening } from '../../src/backend/counters.ts';
import { openSqlite } from '../../src/backend/embedded/store.ts';
import { makeIds, seqOf } from '../../src/runtime/ids.ts';
import { insertScreening } from '../../src/screening/store.ts';
import { makeFolder } from '../fixtures/harness.ts';
import { identities, subjectAt } from '../fixtures/redis-world.ts';

/** As many as go through the stages together. */
const BATCH = 64;
/** As many as a group on disk may lag behind. The commit after one more batch saves the groups of the first screenings. */
const BEHIND = 8192 - BATCH;
const CACHE_BYTES = 20_000;

let now = Date.UTC(2026, 10, 1);
const newId = makeIds(() => now);

const open = (directory: string) => {
  const { counters, backend } = openSqlite({ directory, identities, cacheBytes: CACHE_BYTES });
  /** Screens payments of these users as one batch. */
  const screen = (users: readonly string[]): Promise<Outcome[]> => {
    now += 1000;
    const ids = users.map(newId);
    const screenings = users.map((user_id, i): CountedScreening => {
      const body = { user_id, amount: 20, currency: 'USD' };
      const subject = subjectAt({ path: '/v1/transactions/screen', afterMs: 0, body }, now);
      return { tenant: 1, subject, seq: seqOf(ids[i] as string), verdict: undefined, onEnd: undefined };
    });
    const outcomes = users.map(() => Promise.withResolvers<Outcome>());
    const writeOf = (screening: CountedScreening, facts: Facts, at: number): PendingWrite => {
      const verdict = decide(DEFAULT_POLICY, screening.subject, facts);
      screening.verdict = verdict;
      const row = {
        ...{ id: ids[at] as string, type: 'transaction' as const, screened_at: now, imported: 0 as const },
        ...{ request: JSON.stringify(screening.subject.request), verdict: packVerdict(verdict), ruleset_version: '1' },
        ...{ facts_version: FACTS_VERSION, facts: packFacts(facts) },
      };
      const { resolve, reject } = outcomes[at] as PromiseWithResolvers<Outcome>;
      return { unit: [insertScreening(1, row)], resolve, reject };
    };
    counters.count(
      screenings,
      (gathered, facts) =>
        backend.writeAll(gathered.map((screening, at) => writeOf(screening, facts[at] as Facts, at))),
      (_screening, error) => {
        throw error;
      },
    );
    return Promise.all(outcomes.map(({ promise }) => promise));
  };
  const paymentsOf = (user: string) => counters.user(1, user, now, makeFacts())?.transactions;
  return { counters, backend, screen, paymentsOf };
};
const namesFrom = (from: number, count = BATCH): string[] =>
  Array.from({ length: count }, (_, i) => `user_${from + i}`);

test('a verdict is saved with its group, even if the commit of its own batch saves that group', async () => {
  const directory = makeFolder();
  const first = open(directory);
  await first.screen(['ada']);
  for (let from = 0; from < BEHIND; from += BATCH) await first.screen(namesFrom(from));
  await first.screen(['ada', 'bob', ...namesFrom(BEHIND, BATCH - 2)]);
  expect(first.paymentsOf('ada')).toBe(2);
  await first.backend.close();
  const second = open(directory);
  expect([second.paymentsOf('ada'), second.paymentsOf('bob')]).toEqual([2, 1]);
  await second.backend.close();
});

test('a batch makes room for as many groups as its screenings may add, so that the cache keeps its size', async () => {
  const { counters, backend, screen } = open(makeFolder());
  const users = 20 * BATCH;
  for (let from = 0; from < users; from += BATCH) await screen(namesFrom(from));
  // A group that is not saved yet cannot be dropped.
  await vi.waitUntil(() => counters.stats().unsaved === 0, { timeout: 90_000 });
  expect(counters.stats().groups).toBeGreaterThan(users);
  for (let from = 0; from < 3 * BATCH; from += BATCH) await screen(namesFrom(from));
  expect(counters.stats().groups).toBeLessThan(users / 2);
  await backend.close();
});
