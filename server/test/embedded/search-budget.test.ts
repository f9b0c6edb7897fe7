import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectStore } from '../../src/backend/embedded/direct-store.ts';
import { openSearchFile } from '../../src/backend/embedded/search-file.ts';
import { TERM_TABLES } from '../../src/backend/embedded/settle-terms.ts';
import { findNewest } from '../../src/search/prepare-search.ts';
import { findItems } from '../../src/search/query-store.ts';
import { insertItems } from '../../src/search/store.ts';
import { makeFolder } from '../fixtures/harness.ts';

const ITEMS = 3000;
const BUDGET_MS = 160;
const LOOK = { tenant: 1, filter: { from: 0, terms: [], usdMin: 100 }, range: { first: 0, before: ITEMS + 1 } };

const store = makeDirectStore(openSearchFile(join(makeFolder(), 'search.db')));
await store.write(
  insertItems(
    Array.from({ length: ITEMS }, (_, at) => ({
      ...{
        tenant: 1,
        seq: at + 1,
        userTerm: 7,
        userId: null,
        at,
        isImported: false,
        type: 'transaction' as const,
        eventType: null,
      },
      ...{ outcome: null, score: 0, decision: 'allow' as const, currency: 'USD', usd: 1, country: null, model: null },
      ...{ entities: [7, 0, 0, 0, 0, 0, 0, 0], names: [], members: [], signals: [], rules: [] },
    })),
    TERM_TABLES,
  ),
);

/** Searches for an amount that no item has, on a store that takes some time for each candidate. */
const search = async (msPerCandidate: number) => {
  let passed = 0;
  const { items, stoppedAt = 1 } = await findNewest(
    { search: store, monotonic: () => passed },
    LOOK,
    50,
    (range, scan, limit) => {
      passed += scan * msPerCandidate;
      return findItems(store, 1, LOOK.filter, range, scan, limit);
    },
  );
  expect(items).toEqual([]);
  return { passed, lookedAt: ITEMS + 1 - stoppedAt };
};

test.each([0.08, 0.1, 0.2, 0.3])('a search stops in time where a candidate takes %f ms', async (msPerCandidate) => {
  const { passed, lookedAt } = await search(msPerCandidate);
  expect(passed).toBeLessThanOrEqual(BUDGET_MS);
  expect(lookedAt).toBe(Math.round(passed / msPerCandidate));
  expect(lookedAt).toBeGreaterThanOrEqual(500);
});

test('a search that has the time looks at every candidate', async () => {
  expect((await search(0.01)).lookedAt).toBe(ITEMS);
});
