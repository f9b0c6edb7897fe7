import { DELIVERY_STATUSES } from '@portcullis/contract';
import { identifyOffline } from '@portcullis/engine';
import { expect, test } from 'vitest';
import type { Backend } from '../../src/backend/backend.ts';
import { openSqlite } from '../../src/backend/embedded/store.ts';
import { casesToExpire } from '../../src/cases/store.ts';
import {
  countPending,
  dueDeliveries,
  findDelivery,
  listDeliveryRows,
  nextDue,
  nextWithDeliveries,
  oldestDeliveries,
} from '../../src/webhooks/delivery-store.ts';
import { CACHE_BYTES, makeFolder } from '../fixtures/harness.ts';
import { makePlanOf } from '../fixtures/query-plan.ts';

const { backend } = openSqlite({ directory: makeFolder(), identities: () => identifyOffline, cacheBytes: CACHE_BYTES });

const planOf = makePlanOf(backend);

test.each(DELIVERY_STATUSES.flatMap((status) => [undefined, 'm'].map((before) => ({ status, before }))))(
  'reads a page of deliveries without reading those of other statuses: %j',
  async (filter) => {
    const plan = await planOf((from) => listDeliveryRows(from, 1, 'w', filter, 21));
    expect(plan).toContain('webhook_id=? AND status=?');
    expect(plan).not.toContain('TEMP B-TREE');
  },
);

test.each<[string, (from: Backend) => Promise<unknown>, string]>([
  [
    'a page of all deliveries',
    (from) => listDeliveryRows(from, 1, 'w', { status: undefined, before: 'm' }, 21),
    'message_id<?',
  ],
  ['one delivery', (from) => findDelivery(from, 1, 'w', 'm'), 'webhook_id=? AND message_id=?'],
  ['due deliveries', (from) => dueDeliveries(from, 'w', 1, 16), 'webhook_id=? AND due_at<?'],
  ['the next due time', (from) => nextDue(from, 'w'), 'COVERING INDEX deliveries_owed'],
  ['the number of pending deliveries', (from) => countPending(from, 'w'), 'COVERING INDEX'],
  ['the next endpoint with deliveries', (from) => nextWithDeliveries(from, 'w'), 'webhook_id>?'],
  ['old deliveries', (from) => oldestDeliveries(from, 'deliveries', 'w', 'm', 100), 'webhook_id=? AND message_id<?'],
  ['expired cases', (from) => casesToExpire(from, 1, 100), 'cases_to_expire (expires_at<?)'],
])('reads %s by an index, in its order', async (_name, read, by) => {
  const plan = await planOf(read);
  expect(plan).toContain(by);
  expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
});
