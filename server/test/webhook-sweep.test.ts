import { expect, test } from 'vitest';
import type { Backend, Value } from '../src/backend/backend.ts';
import { openSqlite } from '../src/backend/sqlite.ts';
import { firstIdAt } from '../src/ids.ts';
import { insertOwed } from '../src/webhooks/delivery-store.ts';
import { insertWebhook } from '../src/webhooks/store.ts';
import { sweepDeliveries } from '../src/webhooks/sweep.ts';
import { makeFolder } from './harness.ts';

const NOW = Date.UTC(2026, 0, 1);

test('what is owed to an endpoint that is made while the sweep goes on stays owed; what is left of a deleted one goes', async () => {
  const { backend } = openSqlite({ directory: makeFolder() });
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
  const make = (id: string) => backend.write([insertWebhook({ ...endpoint, id }), insertOwed(1, id, message)]);
  await make('gone');
  await backend.write([{ sql: 'DELETE FROM webhooks', params: [] }]);
  let isMade = false;
  const meanwhile: Backend = {
    ...backend,
    read: async <Row>(sql: string, ...params: Value[]): Promise<Row[]> => {
      const rows = await backend.read<Row>(sql, ...params);
      if (!isMade) await make('new');
      isMade = true;
      return rows;
    },
  };
  await sweepDeliveries(meanwhile, NOW, 100);
  expect(await backend.read('SELECT webhook_id FROM deliveries')).toEqual([{ webhook_id: 'new' }]);
  await backend.close();
});
