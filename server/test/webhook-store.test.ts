import { DELIVERY_STATUSES } from '@portcullis/contract';
import { expect, test } from 'vitest';
import type { Backend } from '../src/backend/backend.ts';
import { openSqlite } from '../src/backend/sqlite.ts';
import { casesToExpire } from '../src/cases/store.ts';
import {
  dueDeliveries,
  findDelivery,
  listDeliveryRows,
  nextDue,
  nextWithDeliveries,
  oldestDeliveries,
  owedTo,
} from '../src/webhooks/delivery-store.ts';
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

test.each(DELIVERY_STATUSES.flatMap((status) => [undefined, 'm'].map((before) => ({ status, before }))))(
  'a page of deliveries is found without reading those in other states: %j',
  async (filter) => {
    const plan = await planOf((from) => listDeliveryRows(from, 1, 'w', filter, 21));
    expect(plan).toContain('webhook_id=? AND status=?');
    expect(plan).not.toContain('TEMP B-TREE');
  },
);

test.each<[string, (from: Backend) => Promise<unknown>, string]>([
  ['a page of all', (from) => listDeliveryRows(from, 1, 'w', { status: undefined, before: 'm' }, 21), 'message_id<?'],
  ['one', (from) => findDelivery(from, 1, 'w', 'm'), 'webhook_id=? AND message_id=?'],
  ['what is due', (from) => dueDeliveries(from, 'w', 1, 16), 'webhook_id=? AND due_at<?'],
  ['when the next is due', (from) => nextDue(from, 'w'), 'COVERING INDEX deliveries_owed'],
  ['how much is owed', (from) => owedTo(from, 'w'), 'COVERING INDEX'],
  ['the next endpoint with deliveries', (from) => nextWithDeliveries(from, 'w'), 'webhook_id>?'],
  ['what is too old', (from) => oldestDeliveries(from, 'w', 'm', 100), 'webhook_id=? AND message_id<?'],
  ['cases past their time', (from) => casesToExpire(from, 1, 100), 'cases_to_expire (expires_at<?)'],
])('%s is found by an index, in its order', async (_name, read, by) => {
  const plan = await planOf(read);
  expect(plan).toContain(by);
  expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
});
