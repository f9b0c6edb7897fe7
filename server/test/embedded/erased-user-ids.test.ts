import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectStore } from '../../src/backend/embedded/direct-store.ts';
import { truncateLog } from '../../src/backend/embedded/open-database.ts';
import { rewriteTable } from '../../src/backend/embedded/rewrite-table.ts';
import { openSearchFile } from '../../src/backend/embedded/search-file.ts';
import { TERM_TABLES } from '../../src/backend/embedded/settle-terms.ts';
import type { SearchItem } from '../../src/search/item.ts';
import { eraseItems, insertItems } from '../../src/search/store.ts';
import { putUsers, settleUsers } from '../../src/search/user-id-store.ts';
import { makeRandom } from '../fixtures/crash-random.ts';
import { SEED } from '../fixtures/effort.ts';
import { makeFolder } from '../fixtures/harness.ts';

const USERS = 4000;
const ERASED = 100;
const PAGE = 200;

const itemOf = (seq: number, userTerm: number, userId: string): SearchItem => ({
  ...{ tenant: 1, seq, userTerm, userId, at: seq, isImported: false, type: 'transaction', eventType: null },
  ...{ outcome: null, score: 0, decision: 'allow', currency: 'USD', usd: 1, country: null, model: null },
  ...{ entities: [userTerm, 0, 0, 0, 0, 0, 0, 0], names: [], members: [], signals: [], rules: [] },
});

test('an erased user id is in no byte of the file, wherever pages were split and merged', async () => {
  const random = makeRandom(SEED);
  const folder = makeFolder();
  const file = openSearchFile(join(folder, 'search.db'));
  const store = { ...makeDirectStore(file), termTables: TERM_TABLES };
  const items = Array.from({ length: USERS }, (_, at) =>
    itemOf(at + 1, at + 1, `person_${random.below(1e9).toString(36)}_${'x'.repeat(random.below(60))}_${at + 1}_end`),
  );
  for (let from = 0; from < USERS; from += PAGE) {
    const page = items.slice(from, from + PAGE);
    await store.write([...insertItems(page, TERM_TABLES), ...putUsers(page)]);
  }
  const erased = Array.from({ length: ERASED }, () => random.pick(items));
  const numbers = erased.map(({ seq }) => seq);
  for (let from = 0; from < ERASED; from += 50) await eraseItems(store, 1, numbers.slice(from, from + 50));
  await settleUsers(
    store,
    1,
    erased.map(({ userId }) => userId as string),
  );
  rewriteTable(file, 'search_users', 'tenant, user_id');
  expect(truncateLog(file)).toBe(true);
  const bytes = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
  const kept = items.find((item) => !erased.includes(item)) as SearchItem;
  expect(bytes.includes(kept.userId as string)).toBe(true);
  const left = await store.read<{ user_id: string }>('SELECT user_id FROM search_users');
  expect(left).toHaveLength(USERS - new Set(erased).size);
  expect(erased.filter(({ userId }) => bytes.includes(userId as string)).map(({ userId }) => userId)).toEqual([]);
  await store.close();
});
