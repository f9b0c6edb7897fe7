import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Client,
  client,
  fieldErrors,
  type Json,
  login,
  makeClock,
  payment,
  type Service,
  startService,
  unknownId,
} from '../fixtures/harness.ts';
import { queryOf, untilSearched } from '../fixtures/searched.ts';

const clock = makeClock();
let service: Service;
let api: Client;
let reader: Client;
let sent: Json;
let held: Json;

const PERSON = {
  user_id: 'ada',
  email: 'Ada+shop@example.com',
  ip_address: '198.51.100.7',
  device_token: 'tablet',
  payment_fingerprint: 'pm_ada',
  counterparty_id: 'shop_1',
};

beforeAll(async () => {
  service = await startService({ clock: clock.now });
  api = client(service, await service.key());
  reader = client(service, await service.key({ role: 'reader' }));
  sent = (await api.pay(payment(PERSON))).json;
  held = await api.flagPayment({ user_id: 'held' });
  await untilSearched(api, clock);
});

const hitsOf = async (of: Client, q: string): Promise<[kind: string, id: string][]> => {
  const { status, json } = await of.get(`/v1/search?${queryOf({ q })}`);
  expect(status).toBe(200);
  return json.hits.map(({ kind, id }: Json) => [kind, id]);
};

describe('GET /v1/search', () => {
  test('shows how often and when a value was last seen', async () => {
    const { hits } = (await api.get('/v1/search?q=ada')).json;
    const hit = { kind: 'user', id: 'ada', items: 1, last_seen_at: sent.screened_at, subject_id: sent.transaction_id };
    expect(hits).toEqual([hit]);
  });

  test('understands ids, addresses, networks, e-mail addresses, devices, cards, users and payees', async () => {
    const meanings: [text: string, kind: string, id: string][] = [
      [sent.transaction_id, 'transaction', sent.transaction_id],
      [sent.decision_id, 'decision', sent.decision_id],
      [held.case_id, 'case', held.case_id],
      [' 198.51.100.7 ', 'ip_address', '198.51.100.7'],
      ['198.51.100.0/24', 'network', '198.51.100.0/24'],
      ['ADA@example.com', 'email', 'ada@example.com'],
      ['tablet', 'device', 'tablet'],
      ['pm_ada', 'payment_fingerprint', 'pm_ada'],
      ['ada', 'user', 'ada'],
      ['shop_1', 'counterparty', 'shop_1'],
    ];
    for (const [text, kind, id] of meanings)
      expect([text, await hitsOf(api, text)]).toContainEqual(expect.arrayContaining([[kind, id]]));
  });

  test('finds nothing by a part of a value, an unknown id, an id of another kind, or a network that is not counted', async () => {
    const { event_id } = (await api.act(login({ user_id: 'other' }))).json;
    await untilSearched(api, clock);
    for (const text of ['ad', 'example.com', '198.51.0.0/16', unknownId('txn'), event_id.replace('evt_', 'txn_'), ' '])
      expect([text, await hitsOf(api, text)]).toEqual([text, []]);
  });

  test('shows a key without read_personal users, payees and ids alone', async () => {
    for (const text of ['198.51.100.7', '198.51.100.0/24', 'ada@example.com', 'tablet', 'pm_ada'])
      expect([text, await hitsOf(reader, text)]).toEqual([text, []]);
    expect(await hitsOf(reader, 'ada')).toEqual([['user', 'ada']]);
    expect(await hitsOf(reader, sent.transaction_id)).toEqual([['transaction', sent.transaction_id]]);
  });

  test('shows nothing of another account or environment', async () => {
    for (const key of [await service.key({ account: 'other' }), await service.key({ environment: 'production' })])
      for (const text of [sent.transaction_id, sent.decision_id, ...Object.values(PERSON)])
        expect([text, await hitsOf(client(service, key), text)]).toEqual([text, []]);
  });
});

test('groups, users and exports show nothing of another account or environment', async () => {
  for (const key of [await service.key({ account: 'other' }), await service.key({ environment: 'production' })]) {
    const other = client(service, key);
    expect((await other.get('/v1/screenings/groups?by=user_id')).json.groups).toEqual([]);
    expect((await other.get('/v1/users')).json.users).toEqual([]);
    expect((await other.get('/v1/screenings/export?format=ndjson')).text).toBe('');
  }
});

test('a key without read_personal groups by figures and users, and neither by persons nor with their filters', async () => {
  for (const by of ['user_id', 'counterparty_id', 'country', 'decision'])
    expect([by, (await reader.get(`/v1/screenings/groups?by=${by}`)).status]).toEqual([by, 200]);
  for (const query of [
    'by=device',
    'by=ip_address',
    'by=network',
    'by=email',
    'by=payment_fingerprint',
    'by=country&email=a%40b.example',
  ]) {
    const refused = await reader.get(`/v1/screenings/groups?${query}`);
    expect([query, refused.status, refused.json.error.code]).toEqual([query, 403, 'insufficient_scope']);
  }
});

test('an export neutralises formulas, quotes separators and is audited without its values', async () => {
  const user_id = '=HYPERLINK("http://a.example,1")';
  await api.pay(payment({ user_id, counterparty_id: ' +1' }));
  await untilSearched(api, clock);
  const { text, headers } = await api.get(`/v1/screenings/export?${queryOf({ format: 'csv', user_id })}`);
  expect(headers.get('content-disposition')).toBe('attachment; filename="screenings.csv"');
  expect(text).toContain(`,"'=HYPERLINK(""http://a.example,1"")",`);
  expect(text).toContain(",' +1\r\n");
  const [entry] = (await api.get('/v1/audit?limit=1')).json.entries;
  expect([entry.action, entry.after]).toEqual(['screenings.exported', { format: 'csv', filters: ['user_id'] }]);
});

test('an export continues after its last row', async () => {
  const all = (await api.get('/v1/screenings/export?format=ndjson')).text.trimEnd().split('\n');
  const first = (await api.get('/v1/screenings/export?format=ndjson&limit=2')).text.trimEnd().split('\n');
  const before = JSON.parse(first[1] as string).subject_id;
  const rest = (await api.get(`/v1/screenings/export?format=ndjson&before=${before}`)).text.trimEnd().split('\n');
  expect([...first, ...rest]).toEqual(all);
});

const CURSOR = `${unknownId('txn')}~${unknownId('txn')}`;
test.each([
  ['/v1/search', 'q'],
  ['/v1/search?q=', 'q'],
  ['/v1/search?q=a%00b', 'q'],
  ['/v1/search?q=a&limit=1', 'limit'],
  ['/v1/screenings/groups', 'by'],
  ['/v1/screenings/groups?by=terms', 'by'],
  ['/v1/screenings/groups?by=country&limit=101', 'limit'],
  ['/v1/screenings/groups?by=country&before=txn_1', 'before'],
  ['/v1/screenings/groups?by=country&currency=ZZZ', 'currency'],
  ['/v1/screenings/groups?by=country&email_domain=a%40b', 'email_domain'],
  ['/v1/screenings/groups?by=country&model_version=%27', 'model_version'],
  ['/v1/screenings/export', 'format'],
  ['/v1/screenings/export?format=xlsx', 'format'],
  ['/v1/screenings/export?format=csv&limit=100001', 'limit'],
  [`/v1/screenings/export?format=csv&before=${unknownId('evt')}`, 'before'],
  ['/v1/users?limit=101', 'limit'],
  ['/v1/users?user_id=ada', 'user_id'],
  [`/v1/users?before=${unknownId('txn')}`, 'before'],
  [`/v1/users?before=${CURSOR}`, 'before'],
  ['/v1/users?score_min=5&score_max=4', 'score_max'],
])('%s is refused with the name of the parameter', async (path, field) => {
  const refused = await api.get(path);
  expect([refused.status, refused.json.error.code, Object.keys(fieldErrors(refused))]).toEqual([
    400,
    'invalid_request',
    [field],
  ]);
});

test('a text that is too long is refused', async () => {
  const refused = await api.get(`/v1/search?q=${'x'.repeat(4097)}`);
  expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, ['q']]);
});

test('a cursor of users belongs to its account', async () => {
  const other = client(service, await service.key({ account: 'elsewhere' }));
  const { transaction_id } = (await other.pay(payment())).json;
  for (const before of [`${transaction_id}~${sent.transaction_id}`, `${sent.transaction_id}~${transaction_id}`])
    expect((await api.get(`/v1/users?before=${before}`)).status).toBe(400);
});
