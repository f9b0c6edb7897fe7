import { describe, expect, test } from 'vitest';
import { client, faultsOf, iso, type Json, makeClock, payment, START, startService, unknownId } from './harness.ts';
import { isStored } from './records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const { get, post, delete: revoke } = client(service, await service.key());
const make = async (more: Record<string, unknown> = {}): Promise<Json> =>
  (await post('/v1/api-keys', { role: 'reader', ...more })).json;
const listed = async (): Promise<Json[]> => (await get('/v1/api-keys')).json.api_keys;
const statusWith = async (key: string): Promise<number> => (await client(service, key).get('/v1/cases')).status;

describe('POST 201', () => {
  test('the key has every member of the contract and no other', async () => {
    const { status, json } = await post('/v1/api-keys', {
      role: 'service',
      label: 'Checkout',
      rate_limit_per_minute: 6000,
    });
    expect(status).toBe(201);
    expect(json).toEqual({
      key_id: expect.stringMatching(/^key_[0-9a-hjkmnp-tv-z]{26}$/),
      role: 'service',
      label: 'Checkout',
      environment: 'sandbox',
      hint: `…${json.secret.slice(-4)}`,
      rate_limit_per_minute: 6000,
      created_at: iso(START),
      secret: expect.stringMatching(/^sk_test_[0-9A-Za-z]{32,}$/),
    });
  });

  test('label and limit are optional, and null means absent', async () => {
    for (const more of [{}, { label: null, rate_limit_per_minute: null }]) {
      expect(await make(more)).toMatchObject({ label: null, rate_limit_per_minute: null });
    }
  });

  test('a key of production begins with sk_live_ and makes keys of production', async () => {
    const live = client(service, await service.key({ environment: 'production' }));
    const { json } = await live.post('/v1/api-keys', { role: 'reader' });
    expect(json).toMatchObject({
      environment: 'production',
      secret: expect.stringMatching(/^sk_live_[0-9A-Za-z]{32,}$/),
    });
  });

  test.each(['admin', 'service', 'analyst', 'reader'])('a new key of role %s works at once', async (role) => {
    const { secret } = await make({ role });
    expect(await statusWith(secret)).toBe(200);
  });

  test('no two secrets are alike, and their letters are spread over all 62', async () => {
    const secrets = await Promise.all(Array.from({ length: 60 }, async () => (await make()).secret as string));
    expect(new Set(secrets).size).toBe(60);
    expect(new Set(secrets.map((secret) => secret.slice('sk_test_'.length)).join('')).size).toBe(62);
  });

  test('the secret is in no other answer, in no log and not on disk', async () => {
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
    ['no role', { role: undefined }, { role: 'is required' }],
    ['a role that does not exist', { role: 'owner' }, { role: 'must be one of admin, service, analyst, reader' }],
    ['a long label', { label: 'x'.repeat(201) }, { label: 'must have at most 200 characters' }],
    ['a limit of 0', { rate_limit_per_minute: 0 }, { rate_limit_per_minute: 'must be at least 1' }],
    ['a limit of half a request', { rate_limit_per_minute: 1.5 }, { rate_limit_per_minute: 'must be a whole number' }],
    [
      'everything wrong at once',
      { role: 1, label: 2, rate_limit_per_minute: '3' },
      { role: expect.any(String), label: 'must be a string', rate_limit_per_minute: 'must be a whole number' },
    ],
  ])('%s is refused', async (_name, more, faults) => {
    const reply = await post('/v1/api-keys', { role: 'reader', ...more });
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
    expect(faultsOf(reply)).toEqual(faults);
  });
});

describe('GET 200', () => {
  test('the keys that are not revoked are listed, without their secrets', async () => {
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
  test('a revoked key is refused at once, however often it was used before', async () => {
    const { key_id, secret } = await make({ role: 'service' });
    for (let i = 0; i < 3; i++) expect(await statusWith(secret)).toBe(200);
    const reply = await revoke(`/v1/api-keys/${key_id}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    const refused = await client(service, secret).pay(payment());
    expect([refused.status, refused.json.error.code]).toEqual([401, 'invalid_api_key']);
    expect((await listed()).map((of) => of.key_id)).not.toContain(key_id);
  });

  test('other keys go on', async () => {
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
  test('a key can be revoked once', async () => {
    const { key_id } = await make();
    await revoke(`/v1/api-keys/${key_id}`);
    const again = await revoke(`/v1/api-keys/${key_id}`);
    expect([again.status, again.json.error.code]).toEqual([404, 'not_found']);
  });

  test.each([unknownId('key'), 'key_', 'x', unknownId('wh')])('there is no key %s', async (id) => {
    expect((await revoke(`/v1/api-keys/${id}`)).status).toBe(404);
  });
});

describe('the keys of the settings', () => {
  const [one, two, live] = [`sk_test_${'a'.repeat(32)}`, `sk_test_${'b'.repeat(32)}`, `sk_live_${'c'.repeat(32)}`];

  test('are admins of the account `default`, each in the environment of its prefix, and leave with the settings', async () => {
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

  test('leave those made otherwise alone', async () => {
    const secret = await service.key({ account: 'default' });
    await service.app.keys.provide([one]);
    expect(await statusWith(secret)).toBe(200);
  });
});
