import type { Environment } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { type Ids, NO_IDS, OPERATIONS, request } from './every-operation.ts';
import { client, type Json, login, makeClock, payment, REVIEW_IP, type Reply, startService } from './harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });

/** One account in one environment, with one of everything. */
const makeTenant = async (account: string, environment: Environment) => {
  const key = await service.key({ account, environment });
  const api = client(service, key);
  const user_id = `user of ${account} in ${environment}`;
  const { json: screened } = await api.pay(payment({ user_id, ip_address: REVIEW_IP }));
  const { json: event } = await api.act(login({ user_id }));
  const { json: hook } = await api.post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.created'] });
  const label = { event_id: event.event_id, label: 'fraud', source: 'report' };
  const { json: labelled } = await api.post('/v1/labels', label);
  const { json: apiKey } = await api.post('/v1/api-keys', { role: 'reader' });
  const list_id = `list_of_${account}_in_${environment}`;
  await api.post('/v1/lists', { name: list_id, treatment: 'block' });
  const listed = { kind: 'user', value: `listed by ${account} in ${environment}` };
  await api.post(`/v1/lists/${list_id}/entries`, { entries: [listed] });
  const ids: Ids = {
    transaction_id: screened.transaction_id,
    decision_id: screened.decision_id,
    case_id: screened.case_id,
    event_id: event.event_id,
    webhook_id: hook.webhook_id,
    key_id: apiKey.key_id,
    label_id: labelled.label_id,
    list_id,
    user_id,
  };
  return { name: `${account} ${environment}`, key, api, ids, secret: apiKey.secret as string };
};
type Tenant = Awaited<ReturnType<typeof makeTenant>>;
const tenants: Tenant[] = [
  await makeTenant('acme', 'sandbox'),
  await makeTenant('acme', 'production'),
  await makeTenant('globex', 'sandbox'),
  await makeTenant('globex', 'production'),
];
const READS = ['getTransaction', 'getEvent', 'getRiskProfile', 'getDecision', 'getCase', 'getLabel'] as const;

/** All a tenant can see of its own. */
const viewOf = async ({ key, api, ids }: Tenant): Promise<unknown> => [
  ...(await Promise.all(READS.map(async (id) => (await request(service, id, ids, { key })).json))),
  (await api.get('/v1/cases')).json,
  (await api.get('/v1/labels')).json,
  (await api.get('/v1/webhooks')).json,
  (await api.get('/v1/api-keys')).json,
  (await api.get('/v1/lists')).json,
  (await api.get(`/v1/lists/${ids.list_id}/entries`)).json,
];

const views = await Promise.all(tenants.map(viewOf));

/** An answer without what tells one request from another. */
const plain = ({ status, text, json, headers }: Reply) => ({
  status,
  text: text.replaceAll(json.error.request_id, ''),
  headers: [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name)),
});

const PAIRS = tenants.flatMap((owner) =>
  tenants.filter((other) => other !== owner).map((other) => [other.name, owner.name, other, owner] as const),
);
const WITH_ID = OPERATIONS.filter(([, { params }]) => params !== undefined).map(([id]) => id);

describe.each(PAIRS)('%s with the ids of %s', (_other, _owner, other, owner) => {
  test.each(WITH_ID)('%s answers 404, as for an id that does not exist', async (id) => {
    const foreign = await request(service, id, owner.ids, { key: other.key });
    const missing = await request(service, id, NO_IDS, { key: other.key });
    expect([foreign.status, foreign.json.error.code]).toEqual([404, 'not_found']);
    expect(plain(foreign)).toEqual(plain(missing));
  });

  test('changes nothing', async () => {
    expect(await viewOf(owner)).toEqual(views[tenants.indexOf(owner)]);
  });

  test('lists show nothing of it, whatever is asked for', async () => {
    const foreign = Object.values(owner.ids);
    for (const path of [
      '/v1/cases',
      '/v1/cases?status=open',
      '/v1/cases?limit=100&start_date=2000-01-01',
      '/v1/labels',
      '/v1/labels?limit=100&since=2000-01-01',
      '/v1/webhooks',
      '/v1/api-keys',
      '/v1/lists',
    ]) {
      const { text, status } = await other.api.get(path);
      expect(status).toBe(200);
      for (const id of foreign) expect(text).not.toContain(id);
    }
    expect((await other.api.get('/v1/cases')).json.total).toBe(1);
  });
});

test('each tenant still sees all its own, and the keys made still work', async () => {
  for (const { key, ids, secret } of tenants) {
    for (const id of READS) expect((await request(service, id, ids, { key })).status).toBe(200);
    expect((await client(service, secret).get('/v1/cases')).json.total).toBe(1);
  }
});

describe('the same user, device, address and instrument in several tenants', () => {
  const body = payment({
    user_id: 'shared',
    ip_address: '198.51.100.9',
    device_token: 'dvc',
    payment_fingerprint: 'pm',
    email: 'a@b.c',
    counterparty_id: 'shop',
  });

  test('have separate profiles', async () => {
    for (const [index, { api }] of tenants.entries()) {
      for (let i = 0; i <= index; i++) await api.pay(body);
    }
    for (const [index, { api }] of tenants.entries()) {
      const { json } = await api.get('/v1/users/shared/risk-profile');
      expect([json.transactions.count, json.velocity['1h'].count, json.devices[0].count]).toEqual([
        index + 1,
        index + 1,
        index + 1,
      ]);
    }
  });

  test('have separate velocity: what one tenant sees, no other is judged by', async () => {
    const own = async (account: string) => client(service, await service.key({ account }));
    const [before, hammered, after] = [await own('north'), await own('south'), await own('east')];
    const fresh = { ...body, user_id: 'fresh' };
    const { json: alone } = await before.pay(fresh);
    for (let i = 0; i < 12; i++) await hammered.pay({ ...fresh, user_id: `user_${i}` });
    const { signals } = (await hammered.pay(fresh)).json;
    expect(signals).toEqual(expect.arrayContaining(['shared_ip', 'shared_device', 'shared_instrument']));
    const { json } = await after.pay(fresh);
    expect([json.risk_score, json.signals]).toEqual([alone.risk_score, alone.signals]);
    const facts = await service.app.backend.read<{ facts: Uint8Array }>(
      'SELECT facts FROM screenings WHERE id IN (?, ?)',
      alone.transaction_id.slice(4),
      json.transaction_id.slice(4),
    );
    expect(facts[0]?.facts).toEqual(facts[1]?.facts);
  });

  test('a user id made to look like that of another tenant is just a user id', async () => {
    const [acme, live] = tenants as [Tenant, Tenant];
    const rows = await service.app.backend.read<{ tenant: number }>('SELECT tenant FROM tenants');
    const forms = rows.flatMap(({ tenant }) => [`${tenant}:user:shared`, `${tenant}:shared`, `${tenant} shared`]);
    for (const user_id of [...forms, 'user:shared', 'shared ']) {
      await acme.api.pay(payment({ user_id }));
      const path = `/v1/users/${encodeURIComponent(user_id)}/risk-profile`;
      const { json } = await acme.api.get(path);
      expect([json.user_id, json.transactions.count]).toEqual([user_id, 1]);
      expect((await live.api.get(path)).status).toBe(404);
    }
  });

  test('stay separate after a restart', async () => {
    const before = await startService({ clock: clock.now });
    const keys = await Promise.all(
      ['sandbox', 'production'].map((environment) => before.key({ environment: environment as Environment })),
    );
    await client(before, keys[0]).pay(body);
    await before.stop();
    const after = await startService({ clock: clock.now, dataDir: before.dataDir });
    expect((await client(after, keys[1]).get('/v1/users/shared/risk-profile')).status).toBe(404);
    const { json } = await client(after, keys[0]).get('/v1/users/shared/risk-profile');
    expect((json as Json).transactions.count).toBe(1);
  });
});
