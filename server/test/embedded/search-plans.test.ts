import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Statement } from '../../src/backend/backend.ts';
import { makeDirectStore } from '../../src/backend/embedded/direct-store.ts';
import { openSearchFile } from '../../src/backend/embedded/search-file.ts';
import { TERM_TABLES } from '../../src/backend/embedded/settle-terms.ts';
import { isWithin, itemsOf } from '../../src/search/person-store.ts';
import { findItems, type ItemFilter, lastCandidate, type SearchReader } from '../../src/search/query-store.ts';
import { summariesOf } from '../../src/search/summary-store.ts';
import { readEntries } from '../../src/search/timeline-store.ts';
import { settleUsers, usersFrom } from '../../src/search/user-id-store.ts';
import { entityFigures, findUsers, readItems, seriesOf } from '../../src/search/user-store.ts';
import { makeFolder } from '../fixtures/harness.ts';
import { makePlanOf } from '../fixtures/query-plan.ts';

const planOf = makePlanOf(makeDirectStore(openSearchFile(join(makeFolder(), 'search.db'))));

const LAST = Number.MAX_SAFE_INTEGER;
const RANGE = { first: 0, before: LAST };
const ALL: ItemFilter = { from: 0, terms: [] };
const TERM = { tenant: 1, term: 2, range: RANGE, limit: 5000 };
const found = (filter: Partial<ItemFilter>) => (from: SearchReader) =>
  findItems(from, 1, { ...ALL, ...filter }, RANGE, 500, 51);
const entries = (source: 'item' | 'label' | 'review') => (from: SearchReader) =>
  readEntries(from, TERM, source, { from: 0 }, undefined, LAST, 51);

/** How a plan reads the tables of terms, where each is read by its key. */
const bothBy = (key: string): string[] => TERM_TABLES.map((table) => `SEARCH ${table} USING PRIMARY KEY (${key})`);
const termSearches = (plan: string): string[] => plan.split('\n').filter((line) => /search_terms/.test(line));
const NEWEST_OF_TERM = bothBy('tenant=? AND term=? AND seq>? AND seq<?');
const OF_ITEM = bothBy('tenant=? AND term=? AND seq=?');
const RANGE_OF_ITEMS = /SEARCH i USING PRIMARY KEY \(tenant=\? AND seq[<>]/;

// With a million items, a plan that reads all of them takes seconds.
test.each<[string, (from: SearchReader) => Promise<unknown>, string[]]>([
  ['items of a term', found({ terms: [2] }), NEWEST_OF_TERM],
  ['items of two terms', found({ terms: [2, 3] }), [...NEWEST_OF_TERM, ...OF_ITEM]],
  ['items of a term with a decision', found({ terms: [2], decision: 'block' }), NEWEST_OF_TERM],
  [
    'the last candidate of a term',
    (from) => lastCandidate(from, 1, { ...ALL, terms: [2] }, RANGE, 500),
    NEWEST_OF_TERM,
  ],
  ['screenings of a timeline', entries('item'), NEWEST_OF_TERM],
  ['labels of a timeline', entries('label'), NEWEST_OF_TERM],
  ['reviews of a timeline', entries('review'), NEWEST_OF_TERM],
  ['figures of an entity', (from) => entityFigures(from, TERM), NEWEST_OF_TERM],
  ['figures by day', (from) => seriesOf(from, TERM, 0, LAST, 86_400_000), NEWEST_OF_TERM],
  ['the links of an entity', (from) => readItems(from, TERM), NEWEST_OF_TERM],
  ['items of a person', (from) => itemsOf(from, 1, [2], 0, LAST, 50), NEWEST_OF_TERM],
])('reads %s by its term, newest first, then each item by its number', async (_name, read, searches) => {
  const plan = await planOf(read);
  expect(termSearches(plan)).toEqual(searches);
  expect(plan).toContain('MERGE (UNION ALL)');
  expect(plan).not.toMatch(RANGE_OF_ITEMS);
});

test.each<[string, (from: SearchReader) => Promise<unknown>, string]>([
  ['blocked items', found({ decision: 'block' }), 'COVERING INDEX search_items_held (tenant=? AND decision=?'],
  ['items with a label', found({ label: 'fraud' }), 'COVERING INDEX search_items_labelled (tenant=? AND label=?'],
])('reads %s by an index, then each item by its number', async (_name, read, by) => {
  const plan = await planOf(read);
  expect(plan).toContain(by);
  expect(plan).not.toMatch(RANGE_OF_ITEMS);
});

test('compares the items of two terms by their keys', async () => {
  const plan = await planOf((from) => isWithin(from, 1, 2, 3, LAST));
  const older = TERM_TABLES.map((table) => `SEARCH ${table} USING PRIMARY KEY (tenant=? AND term=? AND seq<?)`);
  expect(termSearches(plan)).toEqual([older[0], ...OF_ITEM, older[1], ...OF_ITEM]);
});

test('looks for newer items of a user among those of the user', async () => {
  const plan = await planOf((from) => findUsers(from, 1, ALL, LAST, RANGE, 4000, 51));
  expect(termSearches(plan)).toEqual(NEWEST_OF_TERM);
  expect(plan.match(/SEARCH j USING PRIMARY KEY \(tenant=\? AND seq=\?\)/g)).toHaveLength(2);
});

test('finds the newest item of a user among those of the user, after an erasure', async () => {
  const plans: string[] = [];
  const explain = async (statements: readonly Statement[]): Promise<{ written: true }> => {
    for (const { sql, params } of statements) plans.push(await planOf((from) => from.readLong(1, sql, ...params)));
    return { written: true };
  };
  await settleUsers({ write: explain }, 1, ['user_1']);
  expect(plans.map(termSearches)).toEqual([bothBy('tenant=? AND term=?'), bothBy('tenant=? AND term=?')]);
});

test('finds users by the start of their id in the order of the table', async () => {
  const plan = await planOf((from) => usersFrom(from, 1, 'user_', undefined, 51));
  expect(plan).toContain('SEARCH search_users USING PRIMARY KEY (tenant=? AND user_id>?)');
  expect(plan).not.toContain('TEMP B-TREE');
});

test('sums up the users of a list among the items of each', async () => {
  const plan = await planOf((from) => summariesOf(from, 1, [2, 3], 0));
  const ofUser = bothBy('tenant=? AND term=? AND seq>?');
  expect(termSearches(plan)).toEqual([...ofUser, ...ofUser]);
  expect(plan.match(/SEARCH i USING PRIMARY KEY \(tenant=\? AND seq=\?\)/g)).toHaveLength(2);
});
