import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectStore } from '../../src/backend/embedded/direct-store.ts';
import { openSearchFile } from '../../src/backend/embedded/search-file.ts';
import { findItems, type ItemFilter, lastCandidate, type SearchReader } from '../../src/search/query-store.ts';
import { summariesOf } from '../../src/search/summary-store.ts';
import { readEntries } from '../../src/search/timeline-store.ts';
import { usersFrom } from '../../src/search/user-id-store.ts';
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

const OF_TERM = 'SEARCH search_terms USING PRIMARY KEY (tenant=? AND term=? AND seq>? AND seq<?)';
const BY_TERM = 'SEARCH c USING PRIMARY KEY (tenant=? AND term=? AND seq>? AND seq<?)';

// With a million items, a plan that reads all of them takes seconds.
test.each<[string, (from: SearchReader) => Promise<unknown>, string]>([
  ['items of a term', found({ terms: [2] }), BY_TERM],
  ['items of two terms', found({ terms: [2, 3] }), BY_TERM],
  ['items of a term with a decision', found({ terms: [2], decision: 'block' }), BY_TERM],
  ['blocked items', found({ decision: 'block' }), 'COVERING INDEX search_items_held (tenant=? AND decision=?'],
  ['items with a label', found({ label: 'fraud' }), 'COVERING INDEX search_items_labelled (tenant=? AND label=?'],
  ['the last candidate of a term', (from) => lastCandidate(from, 1, { ...ALL, terms: [2] }, RANGE, 500), BY_TERM],
  ['screenings of a timeline', entries('item'), OF_TERM],
  ['labels of a timeline', entries('label'), OF_TERM],
  ['reviews of a timeline', entries('review'), OF_TERM],
  ['figures of an entity', (from) => entityFigures(from, TERM), OF_TERM],
  ['figures by day', (from) => seriesOf(from, TERM, 0, LAST, 86_400_000), OF_TERM],
  ['the links of an entity', (from) => readItems(from, TERM), OF_TERM],
])('reads %s by an index, then each item by its number', async (_name, read, by) => {
  const plan = await planOf(read);
  expect(plan).toContain(by);
  expect(plan).not.toMatch(/SEARCH i USING PRIMARY KEY \(tenant=\? AND seq[<>]/);
});

test('looks for newer items of a user among those of the user', async () => {
  const plan = await planOf((from) => findUsers(from, 1, ALL, LAST, RANGE, 4000, 51));
  expect(plan).toContain('SEARCH o USING PRIMARY KEY (tenant=? AND term=? AND seq>? AND seq<?)');
  expect(plan).toContain('SEARCH j USING PRIMARY KEY (tenant=? AND seq=?)');
});

test('finds users by the start of their id in the order of the table', async () => {
  const plan = await planOf((from) => usersFrom(from, 1, 'user_', undefined, 51));
  expect(plan).toContain('SEARCH search_users USING PRIMARY KEY (tenant=? AND user_id>?)');
  expect(plan).not.toContain('TEMP B-TREE');
});

test('sums up the users of a list among the items of each', async () => {
  const plan = await planOf((from) => summariesOf(from, 1, [2, 3], 0));
  expect(plan.match(/SEARCH t USING PRIMARY KEY \(tenant=\? AND term=\? AND seq>\?\)/g)).toHaveLength(2);
  expect(plan.match(/SEARCH i USING PRIMARY KEY \(tenant=\? AND seq=\?\)/g)).toHaveLength(2);
});
