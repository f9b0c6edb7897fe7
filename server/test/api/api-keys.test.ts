import { MAX_API_KEYS } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import {
  atOnce,
  client,
  DAY_MS,
  fieldErrors,
  HOUR_MS,
  iso,
  type Json,
  makeClock,
  payment,
  REVIEW_IP,
  START,
  startService,
  unknownId,
} from '../fixtures/harness.ts';
import { addPerson } from '../fixtures/people.ts';
import { changeRecords, isStored } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const { get, post, delete: revoke } = client(service, await service.key());
const make = async (more: Record<string, unknown> = {}): Promise<Json> =>
  (await post('/v1/api-keys', { role: 'reader', ...more })).json;
const listed = async (): Promise<Json[]> => (await get('/v1/api-keys')).json.api_keys;
const statusWith = async (key: string): Promise<number> => (await client(service, key).get('/v1/cases')).status;

describe('POST 201', () => {
  test('the key has every field of the contract and no other', async () => {
    const { status, json } = await post('/v1/api-keys', {
      role: 'service',
      label: 'Checkout',
      rate_limit_per_minute: 6000,
    });
    expect(status).toBe(201);
    expect(json).toEqual({
      key_id: expect.stringMatching(/^key_[0-9a-hjkmnp-tv-z]{26}$/),
      role: 'service',
      permissions: ['screen', 'read'],
      label: 'Checkout',
      environment: 'sandbox',
      hint: `…${json.secret.slice(-4)}`,
      rate_limit_per_minute: 6000,
      expires_at: null,
      allowed_networks: null,
      created_at: iso(START),
      made_by: (await listed())[0].key_id,
      last_used_at: null,
      secret: expect.stringMatching(/^sk_test_[0-9A-Za-z]{32,}$/),
    });
  });

  test('label and limit are optional, and null means absent', async () => {
    for (const more of [{}, { label: null, rate_limit_per_minute: null }]) {
      expect(await make(more)).toMatchObject({ label: null, rate_limit_per_minute: null });
    }
  });

  test('a production key begins with sk_live_ and creates production keys', async () => {
    const live = client(service, await service.key({ environment: 'production' }));
    const { json } = await live.post('/v1/api-keys', { role: 'reader' });
    expect(json).toMatchObject({
      environment: 'production',
      secret: expect.stringMatching(/^sk_live_[0-9A-Za-z]{32,}$/),
    });
  });

  test.each(['admin', 'manager', 'service', 'analyst', 'reader'])(
    'a new key of role %s works at once',
    async (role) => {
      const { secret } = await make({ role });
      expect(await statusWith(secret)).toBe(200);
    },
  );

  test('secrets are unique and use all 62 characters', async () => {
    const secrets = await Promise.all(Array.from({ length: 60 }, async () => (await make()).secret as string));
    expect(new Set(secrets).size).toBe(60);
    expect(new Set(secrets.map((secret) => secret.slice('sk_test_'.length)).join('')).size).toBe(62);
  });

  test('the secret is in no other response, log or file', async () => {
    const { secret } = (await post('/v1/api-keys', { role: 'admin' }, { 'Idempotency-Key': 'kept' })).json;
    await statusWith(secret);
    expect((await get('/v1/api-keys')).text).not.toContain(secret);
    expect(service.logs.join('\n')).not.toContain(secret);
    expect(await isStored(service.dataDir, secret)).toBe(false);
    expect(await isStored(service.dataDir, secret.slice('sk_test_'.length))).toBe(false);
  });
});

describe('POST 400', () => {
  test.each([
    ['no role', { role: undefined }, { role: 'is required, unless `permissions` is sent' }],
    ['a role and permissions', { permissions: ['read'] }, { permissions: 'must not be sent together with `role`' }],
    ['an expiry in the past', { expires_at: iso(START) }, { expires_at: 'must be in the future' }],
    [
      'a network that is none',
      { allowed_networks: ['10.0.0.0/8', '10.0.0.0/40'] },
      { 'allowed_networks.1': 'must be an IP address, or a network such as 203.0.113.0/24' },
    ],
    [
      'a role that does not exist',
      { role: 'owner' },
      { role: 'must be one of admin, manager, service, analyst, reader' },
    ],
    ['a long label', { label: 'x'.repeat(201) }, { label: 'must have at most 200 characters' }],
    ['a limit of 0', { rate_limit_per_minute: 0 }, { rate_limit_per_minute: 'must be at least 1' }],
    ['a limit of half a request', { rate_limit_per_minute: 1.5 }, { rate_limit_per_minute: 'must be a whole number' }],
    [
      'everything wrong at once',
      { role: 1, label: 2, rate_limit_per_minute: '3' },
      {
        role: expect.any(String),
        label: 'must be a string',
        rate_limit_per_minute: 'must be a whole number; send it without quotes',
      },
    ],
  ])('%s is refused', async (_name, more, errors) => {
    const reply = await post('/v1/api-keys', { role: 'reader', ...more });
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
    expect(fieldErrors(reply)).toEqual(errors);
  });
});

describe('GET 200', () => {
  test('lists the keys that are not revoked, without secrets', async () => {
    const api = client(service, await service.key({ account: 'lister' }));
    const { secret: _, ...kept } = (await api.post('/v1/api-keys', { role: 'reader', label: 'kept' })).json;
    const { json: gone } = await api.post('/v1/api-keys', { role: 'reader' });
    await api.delete(`/v1/api-keys/${gone.key_id}`);
    const { json } = await api.get('/v1/api-keys');
    expect(Object.keys(json)).toEqual(['api_keys']);
    expect(json.api_keys).toHaveLength(2);
    expect(json.api_keys[1]).toEqual(kept);
    expect(json.api_keys[0]).not.toHaveProperty('secret');
  });
});

describe('DELETE 204', () => {
  test('a revoked key is refused at once, also when it was just used', async () => {
    const { key_id, secret } = await make({ role: 'service' });
    for (let i = 0; i < 3; i++) expect(await statusWith(secret)).toBe(200);
    const reply = await revoke(`/v1/api-keys/${key_id}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    const refused = await client(service, secret).pay(payment());
    expect([refused.status, refused.json.error.code]).toEqual([401, 'invalid_api_key']);
    expect((await listed()).map((of) => of.key_id)).not.toContain(key_id);
  });

  test('other keys keep working', async () => {
    const [one, two] = [await make(), await make()];
    await revoke(`/v1/api-keys/${one.key_id}`);
    expect([await statusWith(one.secret), await statusWith(two.secret)]).toEqual([401, 200]);
  });

  test('a key may revoke itself', async () => {
    const { key_id, secret } = await make({ role: 'admin' });
    expect((await client(service, secret).delete(`/v1/api-keys/${key_id}`)).status).toBe(204);
    expect(await statusWith(secret)).toBe(401);
  });

  test('a revoked key stays revoked after a restart, and the others work', async () => {
    const before = await startService();
    const admin = await before.key();
    const { json: gone } = await client(before, admin).post('/v1/api-keys', { role: 'reader' });
    const { json: kept } = await client(before, admin).post('/v1/api-keys', { role: 'reader' });
    await client(before, admin).delete(`/v1/api-keys/${gone.key_id}`);
    await before.stop();
    const after = await startService({ dataDir: before.dataDir });
    expect((await client(after, gone.secret).get('/v1/cases')).status).toBe(401);
    expect((await client(after, kept.secret).get('/v1/cases')).status).toBe(200);
    expect(await isStored(before.dataDir, admin)).toBe(false);
  });
});

describe('DELETE 404', () => {
  test('a revoked key cannot be revoked again', async () => {
    const { key_id } = await make();
    await revoke(`/v1/api-keys/${key_id}`);
    const again = await revoke(`/v1/api-keys/${key_id}`);
    expect([again.status, again.json.error.code]).toEqual([404, 'not_found']);
  });

  test.each([unknownId('key'), 'key_', 'x', unknownId('wh')])('there is no key %s', async (id) => {
    expect((await revoke(`/v1/api-keys/${id}`)).status).toBe(404);
  });
});

describe('a key with an expiry', () => {
  test('works until the millisecond of its end, then gets 401 and is no longer listed', async () => {
    const end = clock.now() + HOUR_MS;
    const { key_id, secret, expires_at } = await make({ expires_at: iso(end) });
    expect(expires_at).toBe(iso(end));
    clock.set(end - 1);
    expect(await statusWith(secret)).toBe(200);
    expect((await listed()).map((of) => of.key_id)).toContain(key_id);
    clock.set(end);
    const { status, json, headers } = await client(service, secret).get('/v1/cases');
    expect([status, json.error.code, headers.get('www-authenticate')]).toEqual([401, 'expired_api_key', 'Bearer']);
    expect(json.error.message).toBe(`This API key expired at ${iso(end)}. Use its replacement, or create another key.`);
    expect((await listed()).map((of) => of.key_id)).not.toContain(key_id);
    expect((await post(`/v1/api-keys/${key_id}/roll`, {})).status).toBe(404);
    expect((await revoke(`/v1/api-keys/${key_id}`)).status).toBe(204);
    expect((await client(service, secret).get('/v1/cases')).json.error.code).toBe('invalid_api_key');
  });
});

describe('a key with allowed networks', () => {
  test('works from them and gets 403 from others; its networks are listed in one spelling', async () => {
    const here = await make({ allowed_networks: ['127.0.0.9/8', '2001:DB8::1/32', '127.0.0.1/8'] });
    expect(here.allowed_networks).toEqual(['127.0.0.0/8', '2001:db8::/32']);
    expect(await statusWith(here.secret)).toBe(200);
    const away = await make({ role: 'service', allowed_networks: ['203.0.113.0/24', '127.0.0.2'] });
    const body = payment();
    const { status, json } = await client(service, away.secret).pay(body);
    expect([status, json.error.code]).toEqual([403, 'address_not_allowed']);
    expect((await get(`/v1/users/${body.user_id}/risk-profile`)).status).toBe(404);
    // Without TRUSTED_PROXIES, the header of a caller proves nothing.
    const forged = await client(service, away.secret).get('/v1/cases', { 'x-forwarded-for': '203.0.113.7' });
    expect(forged.status).toBe(403);
  });
});

describe('a restricted key', () => {
  test('has its permissions only', async () => {
    const { role, permissions, secret } = await make({ role: undefined, permissions: ['review', 'screen'] });
    expect([role, permissions]).toEqual(['restricted', ['screen', 'review']]);
    const api = client(service, secret);
    const { json } = await api.pay(payment({ ip_address: REVIEW_IP }));
    const refused = await api.get(`/v1/decisions/${json.decision_id}`);
    expect([refused.status, refused.json.error.code]).toEqual([403, 'insufficient_scope']);
    expect(refused.json.error.message).toBe(
      'This operation needs the permission read. This key has only: screen, review.',
    );
    expect((await api.post(`/v1/decisions/${json.decision_id}/review`, { decision: 'allow' })).status).toBe(200);
  });

  test('does not get the secret of a stronger key from a stored response', async () => {
    const { secret } = await make({ role: undefined, permissions: ['administer', 'read'] });
    const restricted = client(service, secret);
    const strong = await make({ role: 'admin' });
    const requests: [path: string, body: object][] = [
      ['/v1/api-keys', { role: 'admin' }],
      [`/v1/api-keys/${strong.key_id}/roll`, {}],
    ];
    for (const [path, body] of requests) {
      const headers = { 'idempotency-key': 'deployment-1' };
      const first = await post(path, body, headers);
      const refused = await restricted.post(path, body, headers);
      expect([refused.status, refused.json.error.code]).toEqual([403, 'insufficient_scope']);
      expect(refused.text).not.toContain('sk_');
      expect((await post(path, body, headers)).json.secret).toBe(first.json.secret);
    }
  });

  test('cannot create or roll a key with permissions that it does not have', async () => {
    const { secret } = await make({ role: undefined, permissions: ['administer', 'read'] });
    const api = client(service, secret);
    const before = (await listed()).length;
    const other = await make({ role: 'admin' });
    for (const reply of [
      await api.post('/v1/api-keys', { role: 'admin' }),
      await api.post('/v1/api-keys', { role: 'service' }),
      await api.post('/v1/api-keys', { permissions: ['tune'] }),
      await api.post(`/v1/api-keys/${other.key_id}/roll`, {}),
    ]) {
      expect([reply.status, reply.json.error.code]).toEqual([403, 'insufficient_scope']);
      expect(reply.text).not.toContain('sk_');
    }
    expect((await listed()).length).toBe(before + 1);
    expect((await api.post('/v1/api-keys', { role: 'reader' })).status).toBe(201);
    expect((await api.post('/v1/api-keys', { permissions: ['read', 'administer'] })).status).toBe(201);
  });
});

describe('the last use of a key', () => {
  test('is shown, written behind, and survives a restart; who made it is named', async () => {
    const first = await startService({ clock: clock.now });
    const { page, email } = await addPerson(first, { sandbox: 'admin' });
    const { secret, key_id, ...made } = (await page.post('/v1/api-keys', { role: 'reader' })).json;
    expect([made.made_by, made.last_used_at]).toEqual([email, null]);
    const find = async (api: { get: (path: string) => Promise<{ json: Json }> }): Promise<Json> =>
      (await api.get('/v1/api-keys')).json.api_keys.find((one: Json) => one.key_id === key_id);
    expect(await find(page)).toMatchObject({ made_by: email, last_used_at: null });
    await client(first, secret).get('/v1/cases');
    const used = iso(clock.now());
    expect((await find(page)).last_used_at).toBe(used);
    await first.stop();
    clock.advance(HOUR_MS);
    const second = await startService({ clock: clock.now, dataDir: first.dataDir });
    expect((await find(client(second, await second.key()))).last_used_at).toBe(used);
  });
});

describe('POST /roll 201', () => {
  test('creates a key with the same permissions and settings; the old one ends after the overlap', async () => {
    const settings = { label: 'Checkout', rate_limit_per_minute: 77, allowed_networks: ['127.0.0.0/8'] };
    const { secret: old, ...first } = await make({ role: undefined, permissions: ['read'], ...settings });
    const now = clock.now();
    const { status, json } = await post(`/v1/api-keys/${first.key_id}/roll`, { overlap_seconds: 3600 });
    expect(status).toBe(201);
    const { secret, replaced, ...second } = json;
    expect(replaced).toEqual({ key_id: first.key_id, expires_at: iso(now + HOUR_MS) });
    expect(second).toEqual({ ...first, key_id: second.key_id, hint: second.hint, created_at: iso(now) });
    expect(second.key_id).not.toBe(first.key_id);
    expect([await statusWith(old), await statusWith(secret)]).toEqual([200, 200]);
    clock.advance(HOUR_MS - 1);
    expect([await statusWith(old), await statusWith(secret)]).toEqual([200, 200]);
    clock.advance(1);
    expect([await statusWith(old), await statusWith(secret)]).toEqual([401, 200]);
  });

  test('ends the old key at once without an overlap, after a day by default, and never later than before', async () => {
    const one = await make();
    expect(await statusWith(one.secret)).toBe(200);
    await post(`/v1/api-keys/${one.key_id}/roll`, { overlap_seconds: 0 });
    expect(await statusWith(one.secret)).toBe(401);
    const end = clock.now() + HOUR_MS;
    const two = await make({ expires_at: iso(end) });
    const rolled = (await post(`/v1/api-keys/${two.key_id}/roll`, {})).json;
    expect([rolled.replaced.expires_at, rolled.expires_at]).toEqual([iso(end), iso(end)]);
    const three = await make();
    const { replaced } = (await post(`/v1/api-keys/${three.key_id}/roll`, {})).json;
    expect(replaced.expires_at).toBe(iso(clock.now() + DAY_MS));
  });

  test('takes other settings, and gives a key with an expiry the same lifetime again', async () => {
    const first = await make({ expires_at: iso(clock.now() + 30 * DAY_MS), label: 'a' });
    clock.advance(20 * DAY_MS);
    const second = (await post(`/v1/api-keys/${first.key_id}/roll`, { label: 'b' })).json;
    expect([second.label, second.expires_at]).toEqual(['b', iso(clock.now() + 30 * DAY_MS)]);
    const end = iso(clock.now() + DAY_MS);
    const other = { expires_at: end, allowed_networks: ['203.0.113.7'] };
    const third = (await post(`/v1/api-keys/${second.key_id}/roll`, other)).json;
    expect(third).toMatchObject({ label: 'b', expires_at: end, allowed_networks: ['203.0.113.7/32'] });
    const past = await post(`/v1/api-keys/${third.key_id}/roll`, { expires_at: iso(clock.now()) });
    expect([past.status, fieldErrors(past)]).toEqual([400, { expires_at: 'must be in the future' }]);
  });

  test('is recorded in the audit log with both keys and no secret', async () => {
    const first = await make();
    const second = (await post(`/v1/api-keys/${first.key_id}/roll`, {})).json;
    const { json, text } = await get(`/v1/audit?target=${first.key_id}`);
    expect(json.entries[0]).toMatchObject({
      action: 'api_key.rolled',
      before: { key_id: first.key_id, expires_at: null },
      after: { expires_at: second.replaced.expires_at, replaced_by: { key_id: second.key_id } },
    });
    expect(text).not.toContain(second.secret);
  });
});

describe('POST /roll 404 and 409', () => {
  test('a key that is unknown, revoked or of another account cannot be rolled', async () => {
    const gone = await make();
    await revoke(`/v1/api-keys/${gone.key_id}`);
    const strange = client(service, await service.key({ account: 'stranger' }));
    const { key_id } = (await strange.post('/v1/api-keys', { role: 'reader' })).json;
    for (const id of [gone.key_id, unknownId('key'), key_id])
      expect((await post(`/v1/api-keys/${id}/roll`, {})).status).toBe(404);
  });

  test('of two rolls at once without an overlap one is refused; with an overlap both make a key', async () => {
    for (const [overlap_seconds, statuses] of [
      [0, [201, 404]],
      [60, [201, 201]],
    ] as const) {
      const { key_id, secret } = await make();
      const replies = await atOnce(2, () => post(`/v1/api-keys/${key_id}/roll`, { overlap_seconds }));
      expect(replies.map(({ status }) => status).sort()).toEqual(statuses);
      clock.advance(60_000);
      expect(await statusWith(secret)).toBe(401);
    }
  });

  test('a key of API_KEYS is changed in the setting', async () => {
    const key = `sk_test_${'r'.repeat(40)}`;
    await service.app.keys.provide([key]);
    const api = client(service, key);
    const { api_keys } = (await api.get('/v1/api-keys')).json;
    const { key_id } = api_keys.find((of: Json) => of.label === 'API_KEYS');
    const reply = await api.post(`/v1/api-keys/${key_id}/roll`, {});
    expect([reply.status, reply.json.error.code]).toEqual([409, 'key_from_settings']);
  });
});

describe('POST 409', () => {
  test(`an account may have ${MAX_API_KEYS} active keys in an environment; a key can still be rolled`, async () => {
    const api = client(service, await service.key({ account: 'crowded' }));
    const { key_id } = (await api.post('/v1/api-keys', { role: 'reader' })).json;
    const fill = `INSERT INTO api_keys (id, tenant, hash, role, hint, from_settings, created_at, expires_at)
      SELECT k.id || n.value, k.tenant, k.hash || n.value, k.role, k.hint, 0, k.created_at, ? FROM api_keys k,
        (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?) SELECT value FROM n) n
      WHERE k.id = ?`;
    // Expired keys do not count.
    await changeRecords(service.dataDir, fill, clock.now(), MAX_API_KEYS, key_id.slice(4));
    const rename = "UPDATE api_keys SET id = id || 'x', hash = hash || 'x' WHERE expires_at = ?";
    await changeRecords(service.dataDir, rename, clock.now());
    await changeRecords(service.dataDir, fill, clock.now() + HOUR_MS, MAX_API_KEYS - 3, key_id.slice(4));
    const replies = await atOnce(5, () => api.post('/v1/api-keys', { role: 'reader' }));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const refused = replies.find(({ status }) => status === 409);
    expect(refused?.json.error).toMatchObject({
      code: 'limit_reached',
      message: `An account may have ${MAX_API_KEYS} API keys in an environment. Revoke some.`,
    });
    expect((await api.post(`/v1/api-keys/${key_id}/roll`, {})).status).toBe(201);
    const live = client(service, await service.key({ account: 'crowded', environment: 'production' }));
    expect((await live.post('/v1/api-keys', { role: 'reader' })).status).toBe(201);
    clock.advance(HOUR_MS);
    expect((await api.post('/v1/api-keys', { role: 'reader' })).status).toBe(201);
  });
});

describe('keys of the API_KEYS setting', () => {
  const [one, two, live] = [`sk_test_${'a'.repeat(32)}`, `sk_test_${'b'.repeat(32)}`, `sk_live_${'c'.repeat(32)}`];

  test('are admins of the account `default` in the environment of their prefix, until removed from the setting', async () => {
    const provided = await startService();
    const with_ = (key: string) => client(provided, key).get('/v1/api-keys');
    await provided.app.keys.provide([one, live]);
    expect((await with_(one)).json.api_keys).toMatchObject([{ role: 'admin', environment: 'sandbox' }]);
    expect((await with_(live)).json.api_keys).toMatchObject([{ role: 'admin', environment: 'production' }]);
    await provided.app.keys.provide([one, live]);
    expect((await with_(one)).json.api_keys).toHaveLength(1);
    await provided.stop();

    const later = await startService({ dataDir: provided.dataDir });
    await later.app.keys.provide([two, live]);
    expect((await client(later, one).get('/v1/cases')).status).toBe(401);
    expect((await client(later, two).get('/v1/api-keys')).json.api_keys).toHaveLength(1);
    await later.app.keys.provide([one]);
    expect((await client(later, one).get('/v1/cases')).status).toBe(200);
  });

  test('do not affect keys created by other means', async () => {
    const secret = await service.key({ account: 'default' });
    await service.app.keys.provide([one]);
    expect(await statusWith(secret)).toBe(200);
  });
});
