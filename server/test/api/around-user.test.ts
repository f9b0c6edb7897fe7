import { beforeAll, expect, test } from 'vitest';
import {
  type Client,
  client,
  fieldErrors,
  HOUR_MS,
  iso,
  type Json,
  makeClock,
  payment,
  type Service,
  startService,
  unknownId,
} from '../fixtures/harness.ts';
import { untilSearched } from '../fixtures/searched.ts';

const clock = makeClock();
let service: Service;
let api: Client;
let others: Client[];
let sent: Json;

beforeAll(async () => {
  service = await startService({ clock: clock.now });
  api = client(service, await service.key());
  others = [
    client(service, await service.key({ account: 'other' })),
    client(service, await service.key({ environment: 'production' })),
  ];
  sent = (await api.pay(payment({ user_id: 'ada', device_token: 'tablet', email: 'ada@example.com' }))).json;
  await untilSearched(api, clock);
});

/** On a busy machine a search may end at its time limit. It is complete when it is repeated. */
const linksOf = async (query: string, tries = 20): Promise<Json> => {
  const { json } = await api.get(`/v1/links?${query}`);
  return tries > 0 && json.cut?.includes('time') ? linksOf(query, tries - 1) : json;
};

test('a timeline tells an item, its label, its review and a later item in their order', async () => {
  const user_id = 'told';
  const kinds = async (query = ''): Promise<string[]> =>
    (await api.get(`/v1/users/${user_id}/timeline?limit=10${query}`)).json.entries.map(({ kind }: Json) => kind);
  const { transaction_id, decision_id } = (await api.pay(payment({ user_id }))).json;
  clock.advance(HOUR_MS);
  await api.post('/v1/labels', { transaction_id, label: 'legitimate', source: 'call' });
  await untilSearched(api, clock);
  expect(await kinds()).toEqual(['label', 'transaction']);
  clock.advance(HOUR_MS);
  await api.post(`/v1/decisions/${decision_id}/review`, { decision: 'block' });
  const at = clock.now();
  clock.advance(HOUR_MS);
  await api.pay(payment({ user_id }));
  await untilSearched(api, clock);
  // The review replaced the label.
  expect(await kinds()).toEqual(['transaction', 'review', 'transaction']);
  expect(await kinds('&kind=review')).toEqual(['review']);
  expect(await kinds(`&until=${iso(at)}`)).toEqual(['review', 'transaction']);
  const [, review] = (await api.get(`/v1/users/${user_id}/timeline`)).json.entries;
  expect(review).toEqual({
    kind: 'review',
    at: iso(at),
    subject_id: transaction_id,
    screening: null,
    label: null,
    decision: 'block',
  });
});

test('links name hubs and do not follow their users', async () => {
  for (let user = 0; user < 22; user++)
    await api.pay(payment({ user_id: `rider_${user}`, ip_address: '203.0.113.9', device_token: `phone_${user % 21}` }));
  await untilSearched(api, clock);
  const around = await linksOf('of=user:rider_0&hops=2');
  expect(around.nodes.map(({ id, hub }: Json) => [id, hub])).toEqual(
    expect.arrayContaining([
      ['user:rider_0', false],
      ['ip_address:203.0.113.9', true],
      ['device:phone_0', false],
      ['user:rider_21', false],
    ]),
  );
  expect(around.nodes).toHaveLength(4);
  expect(around.cut).toEqual(['hubs']);
  expect((await linksOf('of=ip_address:203.0.113.9')).nodes).toHaveLength(23);
  const few = await linksOf('of=ip_address:203.0.113.9&limit=5');
  expect([few.nodes.length, few.cut]).toEqual([5, ['nodes']]);
});

test('what is usual before a time leaves later items out', async () => {
  const user_id = 'usual';
  await api.pay(payment({ user_id, amount: 10, currency: 'USD' }));
  clock.advance(HOUR_MS);
  const until = iso(clock.now());
  await api.pay(payment({ user_id, amount: 900, currency: 'USD' }));
  await untilSearched(api, clock);
  expect((await api.get(`/v1/users/${user_id}/usual`)).json.amount_usd.max).toBe(900);
  expect((await api.get(`/v1/users/${user_id}/usual?until=${until}`)).json).toMatchObject({
    items: 1,
    days: 1,
    amount_usd: { p10: 10, p50: 10, p90: 10, max: 10 },
    currencies: [{ value: 'USD', items: 1 }],
  });
});

test.each([
  '/v1/users/ada/timeline',
  '/v1/users/ada/usual',
  '/v1/links?of=user:ada',
  '/v1/links?of=device:tablet',
  '/v1/links?of=email:ada@example.com',
  '/v1/entities/user/ada',
  '/v1/entities/device/tablet',
  '/v1/entities/email/Ada%40example.com',
])('%s shows nothing to another account or environment, and is refused without read_personal', async (path) => {
  expect((await api.get(path)).status).toBe(200);
  for (const other of others) {
    const { status, json } = await other.get(path);
    if (path.startsWith('/v1/links')) expect([status, json.nodes, json.edges]).toEqual([200, [], []]);
    else expect(status).toBe(404);
  }
  for (const role of ['reader', 'service'] as const) {
    const refused = await client(service, await service.key({ role })).get(path);
    expect([refused.status, refused.json.error.code]).toEqual([403, 'insufficient_scope']);
  }
});

test('an entity that only lists know has its entries, also those of a wider network', async () => {
  const entries = [
    { kind: 'ip_address', value: '198.18.0.0/16', reason: 'carrier' },
    { kind: 'email_domain', value: 'listed.example' },
  ];
  await api.post('/v1/lists', { name: 'watched', treatment: 'review' });
  await api.post('/v1/lists/watched/entries', { entries });
  for (const path of ['ip_address/198.18.5.6', 'network/198.18.5.0%2F24', 'email_domain/mail.listed.example']) {
    const { json } = await api.get(`/v1/entities/${path}`);
    expect([json.items, json.first_seen_at, json.users]).toEqual([0, null, 0]);
    expect(json.lists).toMatchObject([{ list_id: 'watched', treatment: 'review' }]);
    expect(json.knowledge.mailbox).toBeNull();
  }
  expect((await api.get('/v1/entities/ip_address/198.18.5.6')).json.knowledge).toMatchObject({
    network: '198.18.5.0/24',
    reserved: true,
  });
});

test.each([
  'user/nobody',
  'shoe/ada',
  'ip_address/ada',
  'email/ada',
  'network/ada',
  'email_domain/a%40b',
  'user/a%00b',
])('/v1/entities/%s is not found', async (path) => {
  expect((await api.get(`/v1/entities/${path}`)).status).toBe(404);
});

test('the series of an unknown user is not found, and a reader sees that of a known one', async () => {
  expect((await api.get('/v1/users/nobody/series')).status).toBe(404);
  for (const other of others) expect((await other.get('/v1/users/ada/series')).status).toBe(404);
  const reader = client(service, await service.key({ role: 'reader' }));
  const { json } = await reader.get('/v1/users/ada/series');
  expect(json.points).toHaveLength(30);
  expect(json.points.at(-1)).toMatchObject({ items: 1, review: 0, block: 0, fraud: 0 });
});

test.each([
  ['/v1/users/ada/timeline?limit=101', 'limit'],
  ['/v1/users/ada/timeline?kind=case', 'kind'],
  ['/v1/users/ada/timeline?before=txn_1~label', 'before'],
  [`/v1/users/ada/timeline?before=${unknownId('txn')}~label`, 'before'],
  ['/v1/users/ada/timeline?from=2026-02-02&until=2026-02-01', 'until'],
  ['/v1/users/ada/usual?until=soon', 'until'],
  ['/v1/users/ada/usual?from=2026-02-02', 'from'],
  ['/v1/users/ada/series?step=5m', 'step'],
  ['/v1/users/ada/series?step=1h&from=2020-01-01', 'step'],
  ['/v1/users/ada/series?from=2026-02-02&until=2026-02-01', 'until'],
  ['/v1/entities/network/198.51.0.0%2F16', 'network'],
  ['/v1/links', 'of'],
  ['/v1/links?of=ada', 'of'],
  ['/v1/links?of=user:', 'of'],
  ['/v1/links?of=network:198.51.100.0', 'of'],
  ['/v1/links?of=ip_address:ada', 'of'],
  ['/v1/links?of=email:ada', 'of'],
  ['/v1/links?of=user:a%00b', 'of'],
  ['/v1/links?of=user:ada&hops=3', 'hops'],
  ['/v1/links?of=user:ada&limit=151', 'limit'],
])('%s is refused with the name of the parameter', async (path, field) => {
  const refused = await api.get(path);
  expect([refused.status, refused.json.error.code, Object.keys(fieldErrors(refused))]).toEqual([
    400,
    'invalid_request',
    [field],
  ]);
});

test('a cursor of a timeline belongs to its account', async () => {
  const [other] = others as [Client];
  await other.pay(payment({ user_id: 'ada' }));
  await untilSearched(other, clock);
  const refused = await other.get(`/v1/users/ada/timeline?before=${sent.transaction_id}~transaction`);
  expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, ['before']]);
});
