import { identifyOffline } from '@portcullis/engine';
import { expect, test } from 'vitest';
import type { Backend, Value } from '../../src/backend/backend.ts';
import { openSqlite } from '../../src/backend/embedded/store.ts';
import { firstIdAt } from '../../src/runtime/ids.ts';
import { insertDelivery } from '../../src/webhooks/delivery-store.ts';
import { insertWebhook } from '../../src/webhooks/store.ts';
import { sweepDeliveries } from '../../src/webhooks/sweep.ts';
import { CACHE_BYTES, makeFolder } from '../fixtures/harness.ts';

const NOW = Date.UTC(2026, 0, 1);

test('keeps deliveries of an endpoint created during the sweep, and deletes those of a deleted one', async () => {
  const { backend } = openSqlite({
    directory: makeFolder(),
    identities: () => identifyOffline,
    cacheBytes: CACHE_BYTES,
  });
  const endpoint = {
    tenant: 1,
    url: 'https://a.example',
    events: '[]',
    label: null,
    status: 'enabled',
    sealed_secret: new Uint8Array(),
    created_at: NOW,
    failing_since: null,
    sealed_previous_secret: null,
    previous_until: null,
  } as const;
  const message = { id: firstIdAt(NOW), type: 'transaction.screened', body: '{}', createdAt: NOW } as const;
  const create = (id: string) =>
    backend.write([insertWebhook({ ...endpoint, id }, 20), insertDelivery(1, id, message)]);
  await create('gone');
  await backend.write([{ sql: 'DELETE FROM webhooks', params: [] }]);
  let isCreated = false;
  const interrupted: Backend = {
    ...backend,
    readLong: async <Row>(tenant: number, sql: string, ...params: Value[]): Promise<Row[]> => {
      const rows = await backend.readLong<Row>(tenant, sql, ...params);
      if (!isCreated) await create('new');
      isCreated = true;
      return rows;
    },
  };
  await sweepDeliveries(interrupted, 30, NOW, 100);
  expect(await backend.read('SELECT webhook_id FROM deliveries')).toEqual([{ webhook_id: 'new' }]);
  await backend.close();
});
