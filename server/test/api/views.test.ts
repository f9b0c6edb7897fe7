import { MAX_OWN_VIEWS, MAX_SHARED_VIEWS } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { atOnce, client, iso, type Json, makeClock, START, startService } from '../fixtures/harness.ts';
import { addPerson, refusal } from '../fixtures/people.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
let accounts = 0;
const open = async () => {
  const account = `account_${accounts++}`;
  const key = async (role: 'admin' | 'analyst' | 'reader') => client(service, await service.key({ account, role }));
  return { account, key, admin: await key('admin') };
};
const names = async (api: { get: (path: string) => Promise<{ json: Json }> }, query = ''): Promise<string[]> =>
  (await api.get(`/v1/views${query}`)).json.views.map(({ name }: Json) => name);
const VIEW = { page: 'cases', name: 'Large', query: 'usd_min=500', columns: ['amount', 'country'] };

test('a view is saved, changed and deleted by its owner, and audited without its query', async () => {
  const { admin } = await open();
  const { status, json } = await admin.post('/v1/views', VIEW);
  expect(status).toBe(201);
  const key_id = (await admin.get('/v1/api-keys')).json.api_keys[0].key_id;
  expect(json).toEqual({
    view_id: expect.stringMatching(/^view_/),
    ...VIEW,
    shared: false,
    owner: key_id,
    mine: true,
    created_at: iso(START),
    updated_at: iso(START),
  });
  clock.advance(1000);
  const changed = await admin.put(`/v1/views/${json.view_id}`, { name: 'Larger', query: 'usd_min=900' });
  expect(changed.json).toEqual({ ...json, name: 'Larger', query: 'usd_min=900', updated_at: iso(START + 1000) });
  expect((await admin.get('/v1/views')).json).toEqual({ views: [changed.json] });
  expect(await names(admin, '?page=explorer')).toEqual([]);
  expect((await admin.delete(`/v1/views/${json.view_id}`)).status).toBe(204);
  expect((await admin.put(`/v1/views/${json.view_id}`, {})).status).toBe(404);
  expect(await names(admin)).toEqual([]);
  const { entries } = (await admin.get('/v1/audit')).json;
  const audited = entries.filter(({ target }: Json) => target === json.view_id);
  expect(audited.map(({ action }: Json) => action)).toEqual(['view.deleted', 'view.changed', 'view.created']);
  expect(JSON.stringify(audited)).not.toContain('usd_min');
  clock.set(START);
});

test('a view is seen by its owner alone, until it is shared', async () => {
  const { account, key } = await open();
  const [{ page: mara, email }, reader] = [
    await addPerson(service, { sandbox: 'analyst' }, account),
    await key('reader'),
  ];
  const { json } = await mara.post('/v1/views', VIEW);
  await reader.post('/v1/views', { ...VIEW, name: 'Of a key' });
  expect(json).toMatchObject({ owner: email, mine: true });
  expect([await names(mara), await names(reader)]).toEqual([['Large'], ['Of a key']]);
  const path = `/v1/views/${json.view_id}`;
  for (const refused of [await reader.put(path, { name: 'x' }), await reader.delete(path)])
    expect(refusal(refused)).toEqual([404, 'not_found']);
  await mara.put(path, { shared: true });
  expect((await reader.get('/v1/views')).json.views[0]).toMatchObject({ name: 'Large', owner: email, mine: false });
  for (const refused of [await reader.put(path, { name: 'x' }), await reader.delete(path)])
    expect(refusal(refused)).toEqual([403, 'insufficient_scope']);
  // Another account, and the other environment.
  const { admin: stranger } = await open();
  const production = client(service, await service.key({ account, environment: 'production' }));
  for (const other of [stranger, production]) {
    expect(await names(other)).toEqual([]);
    expect(refusal(await other.put(path, { name: 'x' }))).toEqual([404, 'not_found']);
  }
});

test('a reader cannot share, and an administrator can change and delete what others share', async () => {
  const { key, admin } = await open();
  const [reader, analyst] = [await key('reader'), await key('analyst')];
  expect(refusal(await reader.post('/v1/views', { ...VIEW, shared: true }))).toEqual([403, 'insufficient_scope']);
  const { json: own } = await reader.post('/v1/views', VIEW);
  expect(refusal(await reader.put(`/v1/views/${own.view_id}`, { shared: true }))).toEqual([403, 'insufficient_scope']);
  const { json: shared } = await analyst.post('/v1/views', { ...VIEW, shared: true });
  expect((await admin.put(`/v1/views/${shared.view_id}`, { name: 'Renamed' })).json).toMatchObject({ mine: false });
  expect((await admin.delete(`/v1/views/${shared.view_id}`)).status).toBe(204);
  expect((await admin.delete(`/v1/views/${own.view_id}`)).status).toBe(404);
});

test('quotas hold for requests at the same time', { timeout: 120_000 }, async () => {
  const { account, key } = await open();
  const analyst = await key('analyst');
  const save = async (api: typeof analyst, more = {}) => (await api.post('/v1/views', { ...VIEW, ...more })).status;
  const statuses: number[] = [];
  for (let batch = 0; batch < 6; batch++) statuses.push(...(await atOnce(10, () => save(analyst))));
  expect(statuses.filter((status) => status === 201)).toHaveLength(MAX_OWN_VIEWS);
  expect(statuses.filter((status) => status === 409)).toHaveLength(60 - MAX_OWN_VIEWS);
  const others = [await key('analyst'), await key('analyst')];
  for (const other of others) for (let i = 0; i < MAX_OWN_VIEWS; i++) await save(other, { shared: true });
  expect((await names(await key('reader'))).length).toBe(MAX_SHARED_VIEWS);
  const { page } = await addPerson(service, { sandbox: 'analyst' }, account);
  expect(refusal(await page.post('/v1/views', { ...VIEW, shared: true }))).toEqual([409, 'limit_reached']);
  expect((await page.post('/v1/views', VIEW)).status).toBe(201);
});

test('views of somebody who is removed are deleted, but for those that are shared', async () => {
  const { account, admin } = await open();
  const { page, person } = await addPerson(service, { sandbox: 'analyst' }, account);
  const { json: made } = await admin.post('/v1/api-keys', { role: 'analyst' });
  for (const api of [page, client(service, made.secret)])
    for (const shared of [true, false]) await api.post('/v1/views', { ...VIEW, shared });
  await admin.delete(`/v1/people/${person.person_id}`);
  await admin.delete(`/v1/api-keys/${made.key_id}`);
  const sql = 'SELECT shared FROM views WHERE owner IN (?, ?)';
  const left = await service.app.backend.read<{ shared: number }>(sql, person.person_id, made.key_id);
  expect(left.map(({ shared }) => shared)).toEqual([1, 1]);
});
