import { identifyOffline } from '@portcullis/engine';
import { expect, test } from 'vitest';
import type { Backend } from '../../src/backend/backend.ts';
import { openSqlite } from '../../src/backend/embedded/store.ts';
import { type CaseFilter, firstCaseRow } from '../../src/cases/store.ts';
import { CACHE_BYTES, makeFolder } from '../fixtures/harness.ts';
import { makePlanOf } from '../fixtures/query-plan.ts';

const { backend } = openSqlite({ directory: makeFolder(), identities: () => identifyOffline, cacheBytes: CACHE_BYTES });
const planOf = makePlanOf(backend);
const first =
  (filter: CaseFilter, sort: 'oldest' | 'priority' = 'oldest') =>
  (from: Backend) =>
    firstCaseRow(from, 1, filter, 10, sort);

// Cases are kept for ever, and expired ones stay open in the table: a queue must not read them again and again.
const WAITING: CaseFilter = { status: 'open', assignee: null, from: 5 };
test.each<[string, (from: Backend) => Promise<unknown>, string]>([
  ['waiting cases', first(WAITING), 'cases_waiting (tenant=? AND status=? AND assignee=? AND created_at>?)'],
  ['waiting cases by priority', first(WAITING, 'priority'), 'cases_waiting (tenant=? AND status=? AND assignee=? AND'],
  ['cases of an assignee', first({ assignee: 'ana' }), 'cases_by_assignee (tenant=? AND assignee=?)'],
  ['cases of an attack', first({ attack: 'a' }), 'cases_by_attack (tenant=? AND attack=?)'],
  ['open cases of an attack', first({ attack: 'a', status: 'open' }), 'cases_by_attack (tenant=? AND attack=?)'],
])('reads %s by an index', async (_name, read, by) => {
  expect(await planOf(read)).toContain(by);
});
