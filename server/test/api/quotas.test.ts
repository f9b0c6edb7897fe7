import { MAX_LABELS_PER_ITEM, MAX_LISTS, MAX_RULES, MAX_WEBHOOKS } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { makeIds } from '../../src/runtime/ids.ts';
import { atOnce, type Client, client, type Reply, startService } from '../fixtures/harness.ts';
import { isShared } from '../fixtures/shared-store.ts';

const MAX_ENTRIES = 30;
const service = await startService({ maxListEntries: MAX_ENTRIES });
// A second process can share a store in PostgreSQL.
const services = isShared
  ? [service, await startService({ maxListEntries: MAX_ENTRIES, dataDir: service.dataDir })]
  : [service];
const key = await service.key();
const clients = services.map((one) => client(one, key));
const [api] = clients as [Client];

const [owner] = await service.app.backend.read<{ tenant: number }>(
  "SELECT tenant FROM tenants WHERE account = 'acme' AND environment = 'sandbox'",
);
const tenant = owner?.tenant as number;
const newId = makeIds(Date.now);

/** Sends requests to all processes at once, while there is room for `room` more resources. */
const race = async (room: number, create: (from: Client, index: number) => Promise<Reply>): Promise<Reply[]> => {
  const replies = await atOnce(room + 6, (index) => create(clients[index % clients.length] as Client, index));
  const refused = replies.filter(({ status }) => status !== 201);
  expect(refused.map(({ status, json }) => [status, json.error.code])).toEqual(Array(6).fill([409, 'limit_reached']));
  return refused;
};
const namesLimit = (refused: readonly Reply[], limit: number): boolean =>
  refused.every(({ json }) => json.error.message.includes(`at most ${limit.toLocaleString('en-US')} `));

test('webhook endpoints: exactly as many as the quota, and one more after a deletion', async () => {
  const create = (from: Client) =>
    from.post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.created'] });
  await atOnce(MAX_WEBHOOKS - 2, () => create(api));
  const refused = await race(2, create);
  expect(namesLimit(refused, MAX_WEBHOOKS)).toBe(true);
  const { webhooks } = (await api.get('/v1/webhooks')).json;
  expect(webhooks).toHaveLength(MAX_WEBHOOKS);
  await api.put(`/v1/webhooks/${webhooks[1].webhook_id}`, { status: 'disabled' });
  expect((await create(api)).status).toBe(409);
  await api.delete(`/v1/webhooks/${webhooks[0].webhook_id}`);
  expect((await create(api)).status).toBe(201);
  // Each environment has its own.
  expect((await create(client(service, await service.key({ environment: 'production' })))).status).toBe(201);
});

test('lists: exactly as many as the quota, and one more after a deletion', async () => {
  const create = (from: Client, name: string) => from.post('/v1/lists', { name });
  await service.app.backend.write(
    Array.from({ length: MAX_LISTS - 2 }, (_, index) => ({
      sql: `INSERT INTO lists (id, tenant, name, description, treatment, created_at, updated_at)
        VALUES (?, ?, ?, '', 'none', 0, 0)`,
      params: [newId(), tenant, `first_${index}`],
    })),
  );
  const refused = await race(2, (from, index) => create(from, `last_${index}`));
  expect(namesLimit(refused, MAX_LISTS)).toBe(true);
  await api.delete('/v1/lists/first_0');
  expect((await create(api, 'again')).status).toBe(201);
});

test('entries of all lists: exactly as many as the quota, and one more after a removal', async () => {
  const add = (from: Client, ...values: string[]) =>
    from.post('/v1/lists/block/entries', { entries: values.map((value) => ({ kind: 'user', value })) });
  await add(api, ...Array.from({ length: MAX_ENTRIES - 6 }, (_, index) => `first ${index}`));
  const replies = await atOnce(8, (index) => add(clients[index % clients.length] as Client, `a${index}`, `b${index}`));
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, json }) => [status, json.error.code])).toEqual(Array(5).fill([409, 'limit_reached']));
  expect(namesLimit(refused, MAX_ENTRIES)).toBe(true);
  // A value that is listed already takes no place.
  expect((await add(api, 'first 0', 'first 1')).status).toBe(200);
  await api.delete('/v1/lists/block/entries?kind=user&value=first%200');
  expect([(await add(api, 'again')).status, (await add(api, 'once more')).status]).toEqual([200, 409]);
});

test('rules: exactly as many as the quota, and one more after one is retired', async () => {
  const rule = (name: string) => ({ name, expression: 'amount > 1', action: { points: 1 } });
  await service.app.backend.write(
    Array.from({ length: MAX_RULES - 2 }, (_, index) => ({
      sql: `INSERT INTO rules (id, tenant, name, description, expression, action, subject_types, state, version, created_at, updated_at)
        VALUES (?, ?, ?, '', 'amount > 1', '{"points":1}', '["transaction"]', 'draft', 1, 0, 0)`,
      params: [newId(), tenant, `first_${index}`],
    })),
  );
  const refused = await race(2, (from, index) => from.post('/v1/rules', rule(`last_${index}`)));
  expect(namesLimit(refused, MAX_RULES)).toBe(true);
  const { rules } = (await api.get('/v1/rules')).json;
  expect(rules).toHaveLength(MAX_RULES);
  await api.put(`/v1/rules/${rules[0].rule_id}`, { state: 'retired' });
  expect((await api.post('/v1/rules', rule('one_more'))).status).toBe(201);
});

test('labels of an item: exactly as many as the quota, with reviews; its case can still be resolved', async () => {
  const { transaction_id, decision_id, case_id } = await api.flagPayment();
  const label = (from: Client) => from.post('/v1/labels', { transaction_id, label: 'fraud', source: 'report' });
  for (let i = 0; i < MAX_LABELS_PER_ITEM - 2; i++) await label(api);
  const refused = await race(2, label);
  const review = await api.post(`/v1/decisions/${decision_id}/review`, { decision: 'allow' });
  expect([review.status, review.json.error.code]).toEqual([409, 'limit_reached']);
  expect(namesLimit([...refused, review], MAX_LABELS_PER_ITEM)).toBe(true);
  expect((await api.get(`/v1/decisions/${decision_id}`)).json.reviews).toEqual([]);
  expect((await api.put(`/v1/cases/${case_id}`, { status: 'approved' })).json.status).toBe('approved');
  const { labels, has_more } = (await api.get(`/v1/labels?subject=${transaction_id}&limit=100`)).json;
  expect([labels.length, labels[0].origin, has_more]).toEqual([100, 'case', true]);
});
