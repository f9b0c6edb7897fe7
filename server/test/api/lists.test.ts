import { describe, expect, test } from 'vitest';
import {
  BLOCK_IP,
  client,
  DAY_MS,
  fieldErrors,
  iso,
  type Json,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  START,
  startService,
} from '../fixtures/harness.ts';
import { changeRecords, isStored, readRecords } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
/** A client of a new account. */
let accounts = 0;
const account = async () => client(service, await service.key({ account: `account_${accounts++}` }));
type Api = Awaited<ReturnType<typeof account>>;

const add = (api: Api, list: string, ...entries: Json[]) => api.post(`/v1/lists/${list}/entries`, { entries });
const entriesOf = async (api: Api, list: string, query = '') =>
  (await api.get(`/v1/lists/${list}/entries${query}`)).json;
const valuesOf = async (api: Api, list: string, query = ''): Promise<string[]> =>
  (await entriesOf(api, list, query)).entries.map(({ value }: Json) => value);
const soon = () => iso(clock.now() + DAY_MS);

describe('a list that is open to analysts', () => {
  test('takes entries that end within 90 days from them, and no other', async () => {
    const name = `account_${accounts++}`;
    const as = async (role: 'admin' | 'analyst' | 'reader') =>
      client(service, await service.key({ account: name, role }));
    const [admin, analyst, reader] = [await as('admin'), await as('analyst'), await as('reader')];
    const made = await admin.post('/v1/lists', { name: 'watch', treatment: 'block', open_to_analysts: true });
    expect(made.json.open_to_analysts).toBe(true);
    const value = (days?: number): Json => ({
      kind: 'user',
      value: 'mallory',
      ...(days === undefined ? {} : { expires_at: iso(clock.now() + days * DAY_MS) }),
    });
    expect((await add(analyst, 'watch', value(90))).json).toMatchObject({ added: 1 });
    for (const days of [undefined, 91]) {
      const refused = await add(analyst, 'watch', value(days));
      expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, ['entries.0.expires_at']]);
    }
    expect((await add(admin, 'watch', value())).status).toBe(200);
    const closed = [await add(analyst, 'block', value(1)), await add(reader, 'watch', value(1))];
    await admin.put('/v1/lists/watch', { open_to_analysts: false });
    closed.push(await add(analyst, 'watch', value(1)));
    for (const { status, json } of closed) expect([status, json.error.code]).toEqual([403, 'insufficient_scope']);
    expect((await analyst.delete('/v1/lists/watch/entries?kind=user&value=mallory')).status).toBe(403);
    const { entries } = (await admin.get('/v1/audit?action=list')).json;
    expect(entries[0]).toMatchObject({ before: { open_to_analysts: true }, after: { open_to_analysts: false } });
    expect(entries[2]).toMatchObject({ action: 'list.entries_added', role: 'analyst' });
  });
});

test('a list is exported as CSV, with all entries that are not expired', async () => {
  const api = await account();
  await api.post('/v1/lists', { name: 'mine' });
  const users = Array.from({ length: 1200 }, (_, i) => ({ kind: 'user', value: `user_${i}` }));
  await add(api, 'mine', ...users.slice(0, 600));
  await add(api, 'mine', ...users.slice(600), {
    kind: 'user',
    value: '=cmd()',
    reason: 'one, two',
    expires_at: soon(),
  });
  const { status, text, headers } = await api.get('/v1/lists/mine/export');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(headers.get('content-disposition')).toContain('mine.csv');
  const lines = text.trimEnd().split('\r\n');
  expect(lines).toHaveLength(1202);
  expect(lines[0]).toBe('entry_id,kind,value,reason,author,expires_at,created_at');
  expect(lines[1]).toContain(`user,'=cmd(),"one, two",`);
  expect(new Set(lines.slice(2).map((line) => line.split(',')[2]))).toEqual(new Set(users.map(({ value }) => value)));
  expect((await api.get('/v1/lists/nothing/export')).status).toBe(404);
  expect((await (await account()).get('/v1/lists/mine/export')).status).toBe(404);
});

describe('lists', () => {
  test('include block, review, trusted and the test addresses from the start', async () => {
    const { json } = await (await account()).get('/v1/lists');
    expect(json.lists.map(({ list_id, treatment, built_in }: Json) => [list_id, treatment, built_in])).toEqual([
      ['block', 'block', true],
      ['review', 'review', true],
      ['trusted', 'trusted', true],
      ['test_addresses', 'none', true],
    ]);
    expect(json.lists[0]).toMatchObject({ name: 'block', entry_count: 0, created_at: null, updated_at: null });
  });

  test('can be created, read, changed and deleted', async () => {
    const api = await account();
    const made = await api.post('/v1/lists', { name: 'mules', description: 'Payees.', treatment: 'review' });
    expect(made.status).toBe(201);
    expect(made.json).toEqual({
      list_id: 'mules',
      name: 'mules',
      description: 'Payees.',
      treatment: 'review',
      open_to_analysts: false,
      built_in: false,
      entry_count: 0,
      created_at: iso(clock.now()),
      updated_at: iso(clock.now()),
    });
    expect((await api.get('/v1/lists/mules')).json).toEqual(made.json);
    expect((await api.get('/v1/lists')).json.lists[3]).toEqual(made.json);
    clock.advance(1000);
    const changed = await api.put('/v1/lists/mules', { treatment: 'block' });
    expect(changed.json).toEqual({ ...made.json, treatment: 'block', updated_at: iso(clock.now()) });
    expect((await api.delete('/v1/lists/mules')).status).toBe(204);
    expect((await api.get('/v1/lists/mules')).status).toBe(404);
    expect((await api.delete('/v1/lists/mules')).status).toBe(404);
  });

  test('have the treatment none by default', async () => {
    expect((await (await account()).post('/v1/lists', { name: 'plain' })).json.treatment).toBe('none');
  });

  test.each(['', 'A', '1a', 'a-b', 'a b', 'ä', `a${'b'.repeat(64)}`, '_a'])('cannot be named %j', async (name) => {
    const reply = await (await account()).post('/v1/lists', { name });
    expect(reply.status).toBe(400);
    expect(Object.keys(fieldErrors(reply))).toEqual(['name']);
  });

  test.each(['block', 'review', 'trusted', 'test_addresses'])(
    'named %s are built in and cannot be changed',
    async (name) => {
      const api = await account();
      const replies = [
        await api.post('/v1/lists', { name }),
        await api.put(`/v1/lists/${name}`, { treatment: 'none' }),
        await api.delete(`/v1/lists/${name}`),
      ];
      expect(replies.map(({ status, json }) => [status, json.error.code])).toEqual([
        [409, 'list_exists'],
        [409, 'list_built_in'],
        [409, 'list_built_in'],
      ]);
    },
  );

  test('refuse entries for the test addresses', async () => {
    const api = await account();
    const replies = [
      await add(api, 'test_addresses', { kind: 'ip_address', value: '198.51.100.1' }),
      await api.delete(`/v1/lists/test_addresses/entries?kind=ip_address&value=${REVIEW_IP}`),
      await api.get('/v1/lists/test_addresses/entries'),
    ];
    for (const { status, json } of replies) expect([status, json.error.code]).toEqual([409, 'list_built_in']);
  });

  test('have unique names; after a deletion the name can be reused and the new list is empty', async () => {
    const api = await account();
    await api.post('/v1/lists', { name: 'once', treatment: 'block' });
    expect((await api.post('/v1/lists', { name: 'once' })).json.error.code).toBe('list_exists');
    await add(api, 'once', { kind: 'user', value: 'bad' });
    await api.delete('/v1/lists/once');
    expect((await api.pay(payment({ user_id: 'bad' }))).json.decision).toBe('allow');
    await api.post('/v1/lists', { name: 'once', treatment: 'block' });
    expect(await valuesOf(api, 'once')).toEqual([]);
    expect((await api.post('/v1/lists/check', { user_id: 'bad' })).json.matches).toEqual([]);
    expect((await api.pay(payment({ user_id: 'bad' }))).json.decision).toBe('allow');
  });

  test('are not deleted while a live or shadow rule uses them', async () => {
    const api = await account();
    await api.post('/v1/lists', { name: 'vip' });
    const rule = { name: 'uses_list', expression: '"vip" in lists', action: { points: 10 } };
    const { json } = await api.post('/v1/rules', rule);
    await api.put(`/v1/rules/${json.rule_id}`, { state: 'shadow' });
    const refused = await api.delete('/v1/lists/vip');
    expect([refused.status, refused.json.error.code]).toEqual([409, 'list_in_use']);
    await api.put(`/v1/rules/${json.rule_id}`, { state: 'retired' });
    expect((await api.delete('/v1/lists/vip')).status).toBe(204);
  });

  test('created or deleted by another process a moment ago give the same errors, and screenings go on', async () => {
    const api = await account();
    const [own] = await Promise.all([api.post('/v1/lists', { name: 'mine' }), api.pay(payment())]);
    expect(own.status).toBe(201);
    const mine = "SELECT tenant FROM lists WHERE name = 'mine' ORDER BY id DESC";
    const [{ tenant }] = (await readRecords<{ tenant: number }>(service.dataDir, mine)) as [{ tenant: number }];
    await changeRecords(service.dataDir, [
      `INSERT INTO lists (id, tenant, name, description, treatment, created_at, updated_at)
        VALUES ('made_elsewhere_${tenant}', ${tenant}, 'theirs', '', 'none', 1, 1)`,
      `UPDATE lists SET deleted_at = 1 WHERE tenant = ${tenant} AND name = 'mine'`,
    ]);
    const replies = await Promise.all([
      api.post('/v1/lists', { name: 'theirs' }),
      api.put('/v1/lists/mine', { treatment: 'block' }),
      api.delete('/v1/lists/mine'),
      api.pay(payment()),
    ]);
    expect(replies.map(({ status, json }) => [status, json?.error?.code])).toEqual([
      [409, 'list_exists'],
      [404, 'not_found'],
      [404, 'not_found'],
      [200, undefined],
    ]);
  });
});

describe('entries', () => {
  test('have a reason, an author and an expiry; the author defaults to the key', async () => {
    const api = await account();
    const made = await add(
      api,
      'block',
      { kind: 'user', value: 'first' },
      { kind: 'email', value: 'Ada@Example.COM', reason: 'Why', author: 'analyst_7', expires_at: soon() },
    );
    expect([made.status, made.json]).toEqual([200, { list_id: 'block', added: 2, replaced: 0 }]);
    const common = { entry_id: expect.stringMatching(/^ent_/), created_at: iso(clock.now()) };
    expect(await entriesOf(api, 'block')).toEqual({
      entries: [
        { ...common, kind: 'email', value: 'ada@example.com', reason: 'Why', author: 'analyst_7', expires_at: soon() },
        {
          ...common,
          kind: 'user',
          value: 'first',
          reason: null,
          author: expect.stringMatching(/^key_/),
          expires_at: null,
        },
      ],
      has_more: false,
    });
  });

  test.each([
    ['ip_address', '2001:DB8:0:0::7', '2001:db8::7'],
    ['ip_address', '::ffff:198.51.100.7', '198.51.100.7'],
    ['ip_address', '198.51.100.7/32', '198.51.100.7'],
    ['ip_address', '198.51.100.0/24', '198.51.100.0/24'],
    ['ip_address', '::ffff:198.51.100.0/120', '198.51.100.0/24'],
    ['ip_address', '2001:DB8::/32', '2001:db8::/32'],
    ['ip_address', '2001:db8::1/128', '2001:db8::1'],
    ['email_domain', 'EXAMPLE.com.', 'example.com'],
    ['email_domain', 'bücher.example', 'xn--bcher-kva.example'],
    ['country', 'de', 'DE'],
    ['user', ' Ünïcode ', ' Ünïcode '],
    ['payment_fingerprint', 'pm_1', 'pm_1'],
    ['counterparty', 'Shop', 'Shop'],
    ['device', 'D', 'D'],
  ])('of kind %s sent as %s are stored as %s, and found and removed by both spellings', async (kind, sent, stored) => {
    const api = await account();
    await add(api, 'block', { kind, value: sent });
    for (const text of [sent, stored]) {
      const query = `?kind=${kind}&value=${encodeURIComponent(text)}`;
      expect(await valuesOf(api, 'block', query)).toEqual([stored]);
      expect(await valuesOf(api, 'block', `?value=${encodeURIComponent(text)}`)).toEqual([stored]);
    }
    const path = `/v1/lists/block/entries?kind=${kind}&value=${encodeURIComponent(sent)}`;
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.delete(path)).status).toBe(404);
    expect(await valuesOf(api, 'block')).toEqual([]);
  });

  test.each([
    ['ip_address', '198.51.100', 'must be an IP address'],
    ['ip_address', '198.51.100.7/24', '198.51.100.0/24'],
    ['ip_address', '2001:db8::7/64', '2001:db8::/64'],
    ['ip_address', '198.51.100.0/33', 'at most 32 bits'],
    ['ip_address', '0.0.0.0/0', 'no wider than /8'],
    ['ip_address', '::/0', 'no wider than /16'],
    ['ip_address', '::ffff:0:0/96', 'no wider than /8'],
    ['ip_address', '198.51.100.0/24/24', 'must be an IP address'],
    ['ip_address', '198.51.100.0/-1', 'must be an IP address'],
    ['email', 'ada', 'must be an e-mail address'],
    ['email_domain', 'ada@example.com', 'must be a domain'],
    ['email_domain', 'com', 'must be a domain'],
    ['email_domain', 'exa mple.com', 'must be a domain'],
    ['country', 'XX', 'must be an ISO 3166-1'],
    ['user', 'u'.repeat(256), 'at most 255'],
    ['payment_fingerprint', '4111 1111 1111 1111', 'looks like a card number'],
  ])('of kind %s cannot be %s', async (kind, value, message) => {
    const api = await account();
    const reply = await add(api, 'block', { kind: 'user', value: 'good' }, { kind, value });
    expect(reply.status).toBe(400);
    expect(fieldErrors(reply)).toEqual({ 'entries.1.value': expect.stringContaining(message) });
    expect(await valuesOf(api, 'block')).toEqual([]);
  });

  test('are added all or none, and every error is returned with its path', async () => {
    const api = await account();
    const reply = await add(
      api,
      'block',
      { kind: 'user', value: 'good' },
      { kind: 'pet', value: 'rex' },
      { kind: 'country', value: 'XX', expires_at: iso(clock.now()) },
      { kind: 'user' },
      { kind: 'user', value: 'x', expires_at: 'tomorrow' },
    );
    expect(reply.status).toBe(400);
    expect(Object.keys(fieldErrors(reply)).sort()).toEqual([
      'entries.1.kind',
      'entries.2.expires_at',
      'entries.2.value',
      'entries.3.value',
      'entries.4.expires_at',
    ]);
    expect(await valuesOf(api, 'block')).toEqual([]);
  });

  test('treat null as absent and warn about a misspelt field', async () => {
    const api = await account();
    const { status, json } = await add(api, 'block', { kind: 'user', value: 'a', reason: null, reson: 'b' });
    expect(status).toBe(200);
    expect(json.warnings).toEqual(['unknown member `entries.0.reson` was ignored; did you mean `entries.0.reason`?']);
  });

  test('are replaced when added again, also twice in one request, and come first', async () => {
    const api = await account();
    await add(api, 'block', { kind: 'user', value: 'a', reason: 'old' }, { kind: 'user', value: 'b' });
    const { json } = await add(
      api,
      'block',
      { kind: 'user', value: 'c' },
      { kind: 'user', value: 'c' },
      { kind: 'user', value: 'a', reason: 'new' },
    );
    expect([json.added, json.replaced]).toEqual([1, 2]);
    const { entries } = await entriesOf(api, 'block');
    expect(entries.map(({ value, reason }: Json) => [value, reason])).toEqual([
      ['a', 'new'],
      ['c', null],
      ['b', null],
    ]);
    expect((await api.get('/v1/lists/block')).json.entry_count).toBe(3);
  });

  test('can be added 1,000 at once, and pages return each one once', async () => {
    const api = await account();
    const entries = Array.from({ length: 1000 }, (_, i) => ({
      kind: i % 4 === 0 ? 'device' : 'user',
      value: `value_${i}_${'x'.repeat(100)}`,
      reason: 'Part of a ring that was found on 12 November, see ticket 4711.',
    }));
    expect((await add(api, 'review', ...entries)).json).toMatchObject({ added: 1000, replaced: 0 });
    expect((await add(api, 'review', ...entries, entries[0])).status).toBe(400);
    for (const kind of [undefined, 'device']) {
      const seen: string[] = [];
      let before = '';
      for (let more = true; more; ) {
        const query = `?limit=100${kind === undefined ? '' : `&kind=${kind}`}${before}`;
        const page = await entriesOf(api, 'review', query);
        seen.push(...page.entries.map(({ value }: Json) => value));
        before = `&before=${page.entries.at(-1).entry_id}`;
        more = page.has_more;
      }
      const expected = entries.filter((entry) => kind === undefined || entry.kind === kind).map(({ value }) => value);
      expect(seen).toEqual(expected.reverse());
    }
  });

  test('are limited to 512 KiB per request', async () => {
    const api = await account();
    const reply = await add(api, 'block', { kind: 'user', value: 'a', reason: 'x'.repeat(512 * 1024) });
    expect([reply.status, reply.json.error.message]).toEqual([413, expect.stringContaining(String(512 * 1024))]);
  });

  test('mask card numbers in the reason', async () => {
    const api = await account();
    const { json } = await add(api, 'block', { kind: 'user', value: 'a', reason: 'used 5105105105105100' });
    expect(json.warnings).toEqual([expect.stringContaining('card number')]);
    expect((await entriesOf(api, 'block')).entries[0].reason).toBe('used 510510******5100');
    expect(await isStored(service.dataDir, '5105105105105100')).toBe(false);
  });

  test.each(['kind=user', 'value=a', '', 'kind=pet&value=a', 'kind=country&value=XX'])(
    'are not removed by ?%s',
    async (query) => {
      const api = await account();
      await add(api, 'block', { kind: 'user', value: 'a' });
      expect((await api.delete(`/v1/lists/block/entries?${query}`)).status).toBe(400);
      expect(await valuesOf(api, 'block')).toEqual(['a']);
    },
  );
});

describe('expiry', () => {
  test('a trusted entry must expire, within 365 days', async () => {
    const api = await account();
    const until = (ms: number) => iso(clock.now() + ms);
    const reply = await add(
      api,
      'trusted',
      { kind: 'user', value: 'a' },
      { kind: 'user', value: 'b', expires_at: until(365 * DAY_MS + 1) },
      { kind: 'user', value: 'c', expires_at: until(365 * DAY_MS) },
    );
    expect(fieldErrors(reply)).toEqual({
      'entries.0.expires_at': expect.stringContaining('required'),
      'entries.1.expires_at': expect.stringContaining('365 days'),
    });
    expect((await add(api, 'trusted', { kind: 'user', value: 'c', expires_at: until(365 * DAY_MS) })).status).toBe(200);
  });

  test('a list becomes trusted only if all its entries expire within 365 days', async () => {
    const api = await account();
    await api.post('/v1/lists', { name: 'vip' });
    await add(api, 'vip', { kind: 'user', value: 'a' }, { kind: 'user', value: 'b', expires_at: soon() });
    const refused = await api.put('/v1/lists/vip', { treatment: 'trusted' });
    expect(fieldErrors(refused)).toEqual({ treatment: expect.stringContaining('365 days') });
    await api.delete('/v1/lists/vip/entries?kind=user&value=a');
    expect((await api.put('/v1/lists/vip', { treatment: 'trusted' })).status).toBe(200);
  });

  test('an expired entry does not match, is not shown, and is deleted by the sweep', async () => {
    const api = await account();
    const at = clock.now();
    await add(api, 'block', { kind: 'user', value: 'brief', expires_at: iso(at + 5000) });
    const observe = async () => [
      (await api.pay(payment({ user_id: 'brief' }))).json.signals.includes('list.block'),
      await valuesOf(api, 'block'),
      await valuesOf(api, 'block', '?value=brief'),
      (await api.get('/v1/lists/block')).json.entry_count,
      (await api.post('/v1/lists/check', { user_id: 'brief' })).json.matches.length,
    ];
    clock.set(at + 4999);
    expect(await observe()).toEqual([true, ['brief'], ['brief'], 1, 1]);
    await service.app.retention.sweepAll();
    expect(await observe()).toEqual([true, ['brief'], ['brief'], 1, 1]);
    clock.set(at + 5000);
    expect(await observe()).toEqual([false, [], [], 0, 0]);
    expect((await api.delete('/v1/lists/block/entries?kind=user&value=brief')).status).toBe(404);
    await service.app.retention.sweepAll();
    const left = 'SELECT value FROM list_entries WHERE value = ?';
    expect(await service.app.backend.read(left, 'brief')).toEqual([]);
    expect((await add(api, 'block', { kind: 'user', value: 'brief' })).json).toMatchObject({ added: 1, replaced: 0 });
  });

  test('the sweep deletes the entries of a deleted list', async () => {
    const api = await account();
    await api.post('/v1/lists', { name: 'gone' });
    await add(api, 'gone', ...Array.from({ length: 250 }, (_, i) => ({ kind: 'user', value: `swept_${i}` })));
    await api.delete('/v1/lists/gone');
    await service.app.retention.sweepAll();
    const { backend } = service.app;
    expect(await backend.read("SELECT value FROM list_entries WHERE value LIKE 'swept_%'")).toEqual([]);
    expect(await backend.read("SELECT name FROM lists WHERE name = 'gone'")).toEqual([]);
  });
});

describe('a match decides the screening', () => {
  const SUBJECT = {
    user_id: 'listed_user',
    ip_address: '198.51.100.24',
    device_token: 'listed device',
    email: 'Listed@Mail.Example.com',
    payment_fingerprint: 'pm_listed',
    counterparty_id: 'shop_listed',
    billing_address: { country: 'de' },
    shipping_address: { country: 'fr' },
  };

  test.each([
    ['user', 'listed_user'],
    ['ip_address', '198.51.100.24'],
    ['ip_address', '198.51.100.24/31'],
    ['ip_address', '198.51.100.0/24'],
    ['device', 'listed device'],
    ['email', 'listed@mail.example.com'],
    ['email_domain', 'mail.example.com'],
    ['email_domain', 'example.com'],
    ['payment_fingerprint', 'pm_listed'],
    ['counterparty', 'shop_listed'],
    ['country', 'DE'],
    ['country', 'FR'],
  ])('by %s %s, from the next screening until the entry is removed', async (kind, value) => {
    const api = await account();
    expect((await api.pay(payment(SUBJECT))).json.decision).toBe('allow');
    await add(api, 'block', { kind, value });
    const { json } = await api.pay(payment(SUBJECT));
    expect([json.decision, json.signals.includes('list.block')]).toEqual(['block', true]);
    await api.delete(`/v1/lists/block/entries?kind=${kind}&value=${encodeURIComponent(value)}`);
    expect((await api.pay(payment(SUBJECT))).json.signals).not.toContain('list.block');
  });

  test('in the order test address, block, trusted, review', async () => {
    const api = await account();
    await api.post('/v1/lists', { name: 'seen', treatment: 'none' });
    const user = { kind: 'user', value: 'u' };
    const decide = async (more: object = {}) => (await api.pay(payment({ user_id: 'u', ...more }))).json;
    await add(api, 'seen', user);
    expect((await decide()).decision).toBe('allow');
    await add(api, 'review', user);
    expect((await decide()).decision).toBe('review');
    await add(api, 'trusted', { ...user, expires_at: soon() });
    expect((await decide()).decision).toBe('allow');
    await add(api, 'block', user);
    const { decision, signals } = await decide();
    expect(decision).toBe('block');
    expect(signals).toEqual(expect.arrayContaining(['list.block', 'list.review', 'list.trusted']));
    expect((await decide({ ip_address: REVIEW_IP })).decision).toBe('review');
    await api.delete('/v1/lists/block/entries?kind=user&value=u');
    expect((await decide({ ip_address: BLOCK_IP })).decision).toBe('block');
  });

  test('as soon as the list is changed or deleted', async () => {
    const api = await account();
    await api.post('/v1/lists', { name: 'own', treatment: 'none' });
    await add(api, 'own', { kind: 'user', value: 'u' });
    const decision = async () => {
      // Days apart, so that only the list raises the score.
      clock.advance(DAY_MS);
      return (await api.pay(payment({ user_id: 'u' }))).json.decision;
    };
    expect(await decision()).toBe('allow');
    await api.put('/v1/lists/own', { treatment: 'block' });
    expect(await decision()).toBe('block');
    await api.put('/v1/lists/own', { treatment: 'review' });
    expect(await decision()).toBe('review');
    await api.delete('/v1/lists/own');
    expect(await decision()).toBe('allow');
  });

  test('of events too', async () => {
    const api = await account();
    await add(api, 'block', { kind: 'device', value: 'dvc' });
    expect((await api.act(login({ device_token: 'dvc' }))).json.decision).toBe('block');
  });

  test('only for the kind of the entry', async () => {
    const api = await account();
    await add(api, 'block', { kind: 'user', value: 'same' });
    const more = { device_token: 'same', payment_fingerprint: 'same', counterparty_id: 'same' };
    expect((await api.pay(payment(more))).json.decision).toBe('allow');
  });

  test('the same after a restart, without expired entries, deleted lists and other environments', async () => {
    const own = makeClock();
    const first = await startService({ clock: own.now });
    const keys = [await first.key({ environment: 'sandbox' }), await first.key({ environment: 'production' })];
    const api = client(first, keys[0]);
    await api.post('/v1/lists', { name: 'own', treatment: 'review' });
    await api.post('/v1/lists', { name: 'gone', treatment: 'block' });
    await add(api, 'own', { kind: 'ip_address', value: '2001:db8::/32' });
    await add(api, 'gone', { kind: 'user', value: 'freed' });
    await add(api, 'block', { kind: 'user', value: 'brief', expires_at: iso(START + 1000) });
    await api.delete('/v1/lists/gone');
    await first.stop();
    own.advance(1000);
    const second = await startService({ clock: own.now, dataDir: first.dataDir });
    const [again, other] = keys.map((key) => client(second, key)) as [Api, Api];
    const inNetwork = payment({ ip_address: '2001:db8:ffff::1' });
    expect((await again.pay(inNetwork)).json.decision).toBe('review');
    expect((await other.pay(inNetwork)).json.decision).toBe('allow');
    for (const user_id of ['freed', 'brief']) {
      expect((await again.pay(payment({ user_id }))).json.decision).toBe('allow');
    }
    expect((await again.get('/v1/lists')).json.lists.map(({ list_id }: Json) => list_id)).toEqual([
      'block',
      'review',
      'trusted',
      'own',
      'test_addresses',
    ]);
  });
});

describe('a check', () => {
  test('returns every matching entry with its reason, and counts nothing', async () => {
    const api = await account();
    await add(api, 'block', { kind: 'ip_address', value: '198.51.100.0/24', reason: 'Ring' });
    await add(api, 'review', { kind: 'email_domain', value: 'example.com' }, { kind: 'country', value: 'DE' });
    await add(api, 'review', { kind: 'user', value: 'other' });
    const { status, json } = await api.post('/v1/lists/check', {
      user_id: 'u',
      ip_address: '::ffff:198.51.100.7',
      email: 'A@b.Example.com',
      country: 'de',
    });
    expect(status).toBe(200);
    expect(
      json.matches.map(({ list_id, treatment, value, reason }: Json) => [list_id, treatment, value, reason]),
    ).toEqual([
      ['block', 'block', '198.51.100.0/24', 'Ring'],
      ['review', 'review', 'DE', null],
      ['review', 'review', 'example.com', null],
    ]);
    expect((await api.get('/v1/users/u/risk-profile')).status).toBe(404);
  });
});

describe('audit', () => {
  test('has one entry for each change, with counts and at most 20 examples', async () => {
    const api = await account();
    await api.post('/v1/lists', { name: 'own', description: 'D', treatment: 'review' });
    await api.put('/v1/lists/own', { treatment: 'block' });
    await add(api, 'own', ...Array.from({ length: 30 }, (_, i) => ({ kind: 'user', value: `u${i}` })));
    await api.delete('/v1/lists/own/entries?kind=user&value=u7');
    await api.delete('/v1/lists/own');
    const { entries } = (await api.get('/v1/audit?target=list.own')).json;
    expect(entries.map(({ action }: Json) => action).reverse()).toEqual([
      'list.created',
      'list.changed',
      'list.entries_added',
      'list.entry_removed',
      'list.deleted',
    ]);
    const [deleted, removed, added, changed, created] = entries;
    expect(created).toMatchObject({ before: null, after: { description: 'D', treatment: 'review' } });
    expect(changed).toMatchObject({ before: { treatment: 'review' }, after: { treatment: 'block' } });
    expect(added.after).toMatchObject({ added: 30, replaced: 0 });
    expect(added.after.examples).toHaveLength(20);
    expect(removed).toMatchObject({ before: { kind: 'user', value: 'u7' }, after: null });
    expect(deleted).toMatchObject({ before: { treatment: 'block' }, after: null });
    expect((await api.get('/v1/audit/check')).json.intact).toBe(true);
  });

  test('has no entry for refused requests', async () => {
    const api = await account();
    await add(api, 'trusted', { kind: 'user', value: 'u' });
    await api.post('/v1/lists', { name: 'block' });
    await api.delete('/v1/lists/block/entries?kind=user&value=u');
    const { entries } = (await api.get('/v1/audit')).json;
    expect(entries.map(({ action }: Json) => action)).toEqual(['api_key.created']);
  });
});

test('a repeated request with the same Idempotency-Key adds once', async () => {
  const key = await service.key({ account: `account_${accounts++}` });
  const body = { entries: [{ kind: 'user', value: 'u' }] };
  const send = () =>
    service.call('POST', '/v1/lists/block/entries', { key, body, headers: { 'Idempotency-Key': 'same' } });
  const [first, second] = [await send(), await send()];
  expect(second.json).toEqual(first.json);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
});

test('concurrent changes all count', async () => {
  const api = await account();
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      add(api, 'block', { kind: 'user', value: 'shared' }, { kind: 'user', value: `own_${i}` }),
    ),
  );
  expect(replies.map(({ json }) => json.added).reduce((sum, added) => sum + added, 0)).toBe(21);
  expect((await api.get('/v1/lists/block')).json.entry_count).toBe(21);
  const made = await Promise.all(Array.from({ length: 5 }, () => api.post('/v1/lists', { name: 'one' })));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
});
