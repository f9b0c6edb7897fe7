import { identifyOffline } from '@portcullis/engine';
import { expect, test } from 'vitest';
import type { Backend } from '../../src/backend/backend.ts';
import { openSqlite } from '../../src/backend/embedded/store.ts';
import {
  deletedLists,
  deleteExpired,
  entriesAfter,
  entriesOfList,
  entriesWith,
  expiredEntries,
  listEntryRows,
  putEntry,
  type StoredEntry,
} from '../../src/lists/store.ts';
import { CACHE_BYTES, makeFolder } from '../fixtures/harness.ts';
import { makePlanOf } from '../fixtures/query-plan.ts';

const { backend } = openSqlite({ directory: makeFolder(), identities: () => identifyOffline, cacheBytes: CACHE_BYTES });

const planOf = makePlanOf(backend);

const ENTRY: StoredEntry = { tenant: 1, list: 'block', kind: 'user', value: 'u', expires_at: null };
const page = (kind: 'user' | undefined, before: string | undefined) => (from: Backend) =>
  listEntryRows(from, 1, 'block', { kind, before }, 0, 21);

// One table may hold a million entries: no query may read entries that it does not return.
test.each<[string, (from: Backend) => Promise<unknown>, string]>([
  ['the first page of a list', page(undefined, undefined), 'list_entries_by_list (tenant=? AND list=?)'],
  ['a later page of a list', page(undefined, 'i'), 'list_entries_by_list (tenant=? AND list=? AND id<?)'],
  ['the first page of a kind', page('user', undefined), 'list_entries_by_kind (tenant=? AND list=? AND kind=?)'],
  ['a later page of a kind', page('user', 'i'), 'list_entries_by_kind (tenant=? AND list=? AND kind=? AND id<?)'],
  ['a value on any list', (from) => entriesWith(from, 1, 'user', 'u', 0), 'tenant=? AND kind=? AND value=?'],
  ['all entries, page by page', (from) => entriesAfter(from, ENTRY, 5000), '(tenant,kind,value,list)>(?,?,?,?)'],
  ['expired entries', (from) => expiredEntries(from, 1, 100), 'list_entries_to_expire (expires_at<?)'],
  ['entries of a deleted list', (from) => entriesOfList(from, 1, 'l', 100), 'tenant=? AND list=?'],
  ['deleted lists', deletedLists, 'lists_deleted'],
])('reads %s by an index, in its order', async (_name, read, by) => {
  const plan = await planOf(read);
  expect(plan).toContain(by);
  expect(plan).not.toMatch(/SCAN list_entries(?! USING)|TEMP B-TREE/);
});

test('keeps an entry that is replaced between the search for expired ones and the deletion', async () => {
  const row = { id: 'i', kind: 'user', value: 'u', reason: null, author: 'a', created_at: 0 } as const;
  await backend.write([putEntry(1, 'block', { ...row, expires_at: 10 })]);
  const [expired] = await expiredEntries(backend, 10, 100);
  await backend.write([putEntry(1, 'block', { ...row, expires_at: 20 })]);
  await backend.write([deleteExpired(expired as StoredEntry, 10)]);
  expect(await entriesWith(backend, 1, 'user', 'u', 10)).toHaveLength(1);
  await backend.write([deleteExpired(expired as StoredEntry, 20)]);
  expect(await entriesWith(backend, 1, 'user', 'u', 0)).toHaveLength(0);
});
