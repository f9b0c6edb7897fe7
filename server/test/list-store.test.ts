import { expect, test } from 'vitest';
import type { Backend } from '../src/backend/backend.ts';
import { openSqlite } from '../src/backend/sqlite.ts';
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
} from '../src/lists/store.ts';
import { makeFolder } from './harness.ts';

const { backend } = openSqlite({ directory: makeFolder() });

/** How SQLite goes about what is read. */
const planOf = async (read: (backend: Backend) => Promise<unknown>): Promise<string> => {
  let plan: { detail: string }[] = [];
  await read({
    ...backend,
    read: async (sql, ...params) => {
      plan = await backend.read(`EXPLAIN QUERY PLAN ${sql}`, ...params);
      return [];
    },
  });
  return plan.map(({ detail }) => detail).join('\n');
};

const ENTRY: StoredEntry = { tenant: 1, list: 'block', kind: 'user', value: 'u', expires_at: null };
const page = (kind: 'user' | undefined, before: string | undefined) => (from: Backend) =>
  listEntryRows(from, 1, 'block', { kind, before }, 0, 21);

// A million entries stand in one table: none of this may read those it does not tell of.
test.each<[string, (from: Backend) => Promise<unknown>, string]>([
  ['the first page of a list', page(undefined, undefined), 'list_entries_by_list (tenant=? AND list=?)'],
  ['a later page of a list', page(undefined, 'i'), 'list_entries_by_list (tenant=? AND list=? AND id<?)'],
  ['the first page of a kind', page('user', undefined), 'list_entries_by_kind (tenant=? AND list=? AND kind=?)'],
  ['a later page of a kind', page('user', 'i'), 'list_entries_by_kind (tenant=? AND list=? AND kind=? AND id<?)'],
  ['a value on any list', (from) => entriesWith(from, 1, 'user', 'u', 0), 'tenant=? AND kind=? AND value=?'],
  ['all, piece by piece', (from) => entriesAfter(from, ENTRY, 5000), '(tenant,kind,value,list)>(?,?,?,?)'],
  ['what is expired', (from) => expiredEntries(from, 1, 100), 'list_entries_to_expire (expires_at<?)'],
  ['what a deleted list holds', (from) => entriesOfList(from, 1, 'l', 100), 'tenant=? AND list=?'],
  ['lists that are deleted', deletedLists, 'lists_deleted'],
])('%s is found by an index, in its order', async (_name, read, by) => {
  const plan = await planOf(read);
  expect(plan).toContain(by);
  expect(plan).not.toMatch(/SCAN list_entries(?! USING)|TEMP B-TREE/);
});

test('an entry that is replaced between finding it expired and deleting it stays', async () => {
  const row = { id: 'i', kind: 'user', value: 'u', reason: null, author: 'a', created_at: 0 } as const;
  await backend.write([putEntry(1, 'block', { ...row, expires_at: 10 })]);
  const [expired] = await expiredEntries(backend, 10, 100);
  await backend.write([putEntry(1, 'block', { ...row, expires_at: 20 })]);
  await backend.write([deleteExpired(expired as StoredEntry, 10)]);
  expect(await entriesWith(backend, 1, 'user', 'u', 10)).toHaveLength(1);
  await backend.write([deleteExpired(expired as StoredEntry, 20)]);
  expect(await entriesWith(backend, 1, 'user', 'u', 0)).toHaveLength(0);
});
