import { type Environment, type Operation, operations } from '@portcullis/contract';
import { describe, expect, test, vi } from 'vitest';
import { type Ids, NO_IDS, needsQuery, OPERATIONS, request } from '../fixtures/every-operation.ts';
import {
  client,
  type Json,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  type Reply,
  startService,
} from '../fixtures/harness.ts';
import { addChallenger, withoutTrees } from '../fixtures/model-files.ts';
import { startReceiver } from '../fixtures/receiver.ts';

const clock = makeClock();
const receiver = await startReceiver((_, response) => void response.writeHead(204).end());
const service = await startService({ clock: clock.now, env: { WEBHOOK_CA_FILE: receiver.caFile } });

/** A model and a training. Only production has them. */
const makeModel = async (account: string, key: string): Promise<Ids> => {
  const file = withoutTrees(account.length);
  await addChallenger(service.app.backend, account, file);
  const { json } = await client(service, key).post('/v1/models/train', {});
  return { model_version: file.model_version, training_id: json.training_id };
};

/** One account in one environment, with one resource of each kind. */
const makeTenant = async (account: string, environment: Environment) => {
  const key = await service.key({ account, environment });
  const api = client(service, key);
  const user_id = `user of ${account} in ${environment}`;
  const { json: screened } = await api.pay(payment({ user_id, ip_address: REVIEW_IP }));
  const { json: event } = await api.act(login({ user_id }));
  const { json: hook } = await api.post('/v1/webhooks', { url: receiver.url, events: ['case.created'] });
  const label = { event_id: event.event_id, label: 'fraud', source: 'report' };
  const { json: labelled } = await api.post('/v1/labels', label);
  const { json: apiKey } = await api.post('/v1/api-keys', { role: 'reader' });
  const email = `person@${account}.${environment}.example`;
  const { json: person } = await api.post('/v1/people', { email, name: 'Ada', role: 'reader' });
  const list_id = `list_of_${account}_in_${environment}`;
  await api.post('/v1/lists', { name: list_id, treatment: 'block' });
  const listed = { kind: 'user', value: `listed by ${account} in ${environment}` };
  await api.post(`/v1/lists/${list_id}/entries`, { entries: [listed] });
  const { json: rule } = await api.post('/v1/rules', {
    name: 'large',
    expression: 'amount > 1',
    action: { points: 1 },
  });
  const { json: backtest } = await api.post('/v1/backtests', { policy: {} });
  const { json: delivery } = await api.post(`/v1/webhooks/${hook.webhook_id}/test`, {});
  await vi.waitUntil(
    async () => (await api.get(`/v1/webhooks/${hook.webhook_id}/deliveries`)).json.deliveries[0].status === 'delivered',
    { timeout: 40_000 },
  );
  await vi.waitUntil(async () => (await api.get(`/v1/backtests/${backtest.backtest_id}`)).json.status === 'done', {
    timeout: 40_000,
  });
  const ids: Ids = {
    ...NO_IDS,
    ...(environment === 'production' ? await makeModel(account, key) : {}),
    rule_id: rule.rule_id,
    backtest_id: backtest.backtest_id,
    message_id: delivery.message_id,
    transaction_id: screened.transaction_id,
    decision_id: screened.decision_id,
    case_id: screened.case_id,
    event_id: event.event_id,
    webhook_id: hook.webhook_id,
    key_id: apiKey.key_id,
    person_id: person.person_id,
    label_id: labelled.label_id,
    list_id,
    user_id,
    value: user_id,
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
await service.app.models.idle();
const READS = [
  'getTransaction',
  'getEvent',
  'getRiskProfile',
  'getDecision',
  'getCase',
  'getLabel',
  'getRule',
] as const;

/** It has figures of the process, which change with every request. */
const OF_PROCESS = '/v1/stats/service';
/** Every path that lists resources of the caller, and the same with filters. */
const LISTS = [
  ...OPERATIONS.filter(([, of]) => of.method === 'GET' && of.params === undefined && !needsQuery(of))
    .map(([, { path }]) => path)
    .filter((path) => path !== OF_PROCESS),
  '/v1/screenings/groups?by=user_id',
  '/v1/search?q=user',
  '/v1/users?type=event',
  '/v1/users?q=u',
  '/v1/users?q=shared',
  '/v1/cases?status=open',
  '/v1/cases?limit=100&start_date=2000-01-01',
  '/v1/labels?limit=100&since=2000-01-01',
  '/v1/rules?state=draft',
  '/v1/audit?limit=100',
];

/** Everything that a tenant can read of its own. */
const viewOf = async ({ key, api, ids }: Tenant): Promise<unknown> => [
  ...(await Promise.all(READS.map(async (id) => (await request(service, id, ids, { key })).json))),
  ...(await Promise.all(LISTS.map(async (path) => (await api.get(path)).json))),
  (await api.get(`/v1/lists/${ids.list_id}/entries`)).json,
];

/** Search is written shortly after the items and their labels. */
const isSearched = async ({ api }: Tenant): Promise<boolean> => {
  const { screenings } = (await api.get('/v1/screenings')).json;
  return screenings.length === 2 && screenings.some(({ label }: Json) => label === 'fraud');
};
for (const tenant of tenants) await vi.waitUntil(() => isSearched(tenant), { timeout: 90_000 });
const views = await Promise.all(tenants.map(viewOf));

/** A response without the parts that differ between two equal requests. */
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
    for (const name of Object.keys((operations[id] as Operation).params ?? {})) expect(owner.ids[name]).toBeTruthy();
    const foreign = await request(service, id, owner.ids, { key: other.key });
    const missing = await request(service, id, NO_IDS, { key: other.key });
    expect([foreign.status, foreign.json.error.code]).toEqual([404, 'not_found']);
    expect(plain(foreign)).toEqual(plain(missing));
  });

  test('changes nothing', async () => {
    expect(await viewOf(owner)).toEqual(views[tenants.indexOf(owner)]);
  });

  test('lists nothing of the other tenant, whatever the filter', async () => {
    const foreign = Object.entries(owner.ids).flatMap(([name, id]) => (id === NO_IDS[name] ? [] : [id]));
    for (const path of LISTS) {
      const { text, status } = await other.api.get(path);
      expect(status).toBe(200);
      for (const id of foreign) expect(text).not.toContain(id);
    }
    expect((await other.api.get('/v1/cases')).json.total).toBe(1);
  });
});

test('each tenant still reads all its own resources, and its keys still work', async () => {
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

  test('have separate velocity: the payments of one tenant do not affect another', async () => {
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

  test('a user id that looks like a key of another tenant is an ordinary user id', async () => {
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
