import { ID_PREFIXES, operations } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { type Ids, NO_IDS, OPERATIONS, request } from '../fixtures/every-operation.ts';
import { client, iso, type Json, makeClock, type Reply, startService } from '../fixtures/harness.ts';
import { addChallenger, withoutTrees } from '../fixtures/model-files.ts';
import { addSecondFactor, browser, PASSWORD } from '../fixtures/people.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { readRecords } from '../fixtures/records.ts';

const clock = makeClock();
const receiver = await startReceiver((_, response) => void response.writeHead(204).end());
const service = await startService({
  clock: clock.now,
  env: { TRAIN_DAILY: 'off', WEBHOOK_CA_FILE: receiver.caFile },
});
const CHALLENGER = withoutTrees(1);

/** Permissions that do not change the configuration. Every other one is a permission of administrators. */
const NOT_ADMINISTRATIVE: readonly string[] = ['screen', 'read', 'review'];
const CHANGING = OPERATIONS.filter(
  ([, { method, permission }]) => method !== 'GET' && !NOT_ADMINISTRATIVE.includes(permission),
).map(([id]) => id);

let accounts = 0;
/** A new account, in production, with one resource of each kind that administrators change. */
const open = async () => {
  const account = `account_${accounts++}`;
  const key = await service.key({ account, environment: 'production' });
  const api = client(service, key);
  const { json: hook } = await api.post('/v1/webhooks', { url: receiver.url, events: ['case.created'] });
  const { json: delivery } = await api.post(`/v1/webhooks/${hook.webhook_id}/test`, {});
  const { json: apiKey } = await api.post('/v1/api-keys', { role: 'reader' });
  const { json: person } = await api.post('/v1/people', {
    email: `ada@${account}.example`,
    name: 'Ada Lovelace',
    role: 'reader',
  });
  /** Hashing passwords takes time, so only a test that needs a second factor adds one. */
  const addFactor = async (): Promise<void> => {
    const page = browser(service, 'production');
    await page.post('/v1/sign-in/link', { token: person.link.token, password: PASSWORD });
    await addSecondFactor(page, clock.now());
  };
  await api.post('/v1/lists', { name: 'own', treatment: 'block' });
  await api.post('/v1/lists/own/entries', { entries: [{ kind: 'user', value: 'unknown_user' }] });
  const { json: rule } = await api.post('/v1/rules', {
    name: 'large',
    expression: 'amount > 1',
    action: { points: 1 },
  });
  await addChallenger(service.app.backend, account, CHALLENGER);
  const ids: Ids = {
    ...NO_IDS,
    rule_id: rule.rule_id,
    message_id: delivery.message_id,
    webhook_id: hook.webhook_id,
    key_id: apiKey.key_id,
    person_id: person.person_id,
    list_id: 'own',
    model_version: CHALLENGER.model_version,
  };
  const [own] = (await api.get('/v1/api-keys')).json.api_keys;
  return { api, key, keyId: own.key_id as string, ids, addFactor };
};

/** Every text of a response that must not be stored. */
const secretsOf = ({ json }: Reply): string[] =>
  [json?.secret, json?.signing_secret, json?.token, json?.link?.token].filter((secret) => secret !== undefined);

const entriesOf = async (api: ReturnType<typeof client>): Promise<Json[]> =>
  (await api.get('/v1/audit?limit=100')).json.entries;

describe('the audit log has an entry of each change that needs a permission of administrators', () => {
  const shared = open();
  test.each(CHANGING)('%s', async (id) => {
    // A deletion takes a resource that other operations need.
    const { api, key, keyId, ids, addFactor } = await (operations[id].method === 'DELETE' ? open() : shared);
    if (id === 'removePersonTotp') await addFactor();
    const before = await entriesOf(api);
    clock.advance(1000);
    const reply = await request(service, id, ids, { key });
    expect(reply.status).toBeLessThan(300);
    await service.app.models.idle();
    const [entry, ...others] = (await entriesOf(api)).slice(0, -before.length);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ key_id: keyId, role: 'admin', at: iso(clock.now()) });
    expect(entry.action).toMatch(/^[a-z_]+\.[a-z_]+$/);
    // The target is the resource in the path, or the one that was created.
    const named = [ids, reply.json ?? {}].flatMap(Object.values).filter((value) => typeof value === 'string');
    expect([
      ...named,
      ...named.map((name) => `list.${name}`),
      'policy',
      'person',
      'model',
      'imports',
      'settings',
    ]).toContain(entry.target);
    // A created resource has no value before the change, a deleted one none after it.
    expect([entry.before, entry.after]).not.toEqual([null, null]);
    if (id.startsWith('create')) expect([entry.before === null, entry.after === null]).toEqual([true, false]);
    if (id.startsWith('delete')) expect([entry.before === null, entry.after === null]).toEqual([false, true]);
    if (id.startsWith('change')) expect(entry.before).not.toEqual(entry.after);
    const stored = JSON.stringify(await readRecords(service.dataDir, 'SELECT * FROM audit'));
    for (const secret of [...secretsOf(reply), 'whsec_', 'sk_live_', 'sk_test_']) expect(stored).not.toContain(secret);
  });

  test('and the list of these operations is not empty', () => {
    expect(CHANGING).toEqual(
      expect.arrayContaining(['createApiKey', 'deleteApiKey', 'createWebhook', 'retryDelivery']),
    );
  });
});

test('a refused change leaves no entry', async () => {
  const { api, key } = await open();
  const before = await entriesOf(api);
  for (const id of CHANGING) {
    if (!('params' in operations[id])) continue;
    expect((await request(service, id, NO_IDS, { key })).status).toBe(404);
  }
  expect(await entriesOf(api)).toEqual(before);
});

test('an entry of a key has its role and label, and neither its secret nor its hash', async () => {
  const { api, ids } = await open();
  await api.delete(`/v1/api-keys/${ids.key_id}`);
  const { entries } = (await api.get(`/v1/audit?target=${ids.key_id}`)).json;
  const audited = entries.map(({ action, before, after }: Json) => [action, (after ?? before).role]);
  expect(audited).toEqual([
    ['api_key.revoked', 'reader'],
    ['api_key.created', 'reader'],
  ]);
  const hashes = await readRecords<{ hash: string }>(service.dataDir, 'SELECT hash FROM api_keys');
  expect(hashes.length).toBeGreaterThan(1);
  const stored = JSON.stringify(await readRecords(service.dataDir, 'SELECT before, after FROM audit'));
  for (const { hash } of hashes) expect(stored).not.toContain(hash);
});

describe('changes without a key', () => {
  const [one, two] = [`sk_test_${'a'.repeat(32)}`, `sk_test_${'b'.repeat(32)}`] as const;
  const actions = async (account: string) =>
    readRecords<{ key_id: string; action: string; target: string }>(
      service.dataDir,
      `SELECT key_id, action, target FROM audit WHERE tenant =
        (SELECT tenant FROM tenants WHERE account = ? AND environment = 'sandbox') ORDER BY number`,
      account,
    );

  test('of the API_KEYS setting are audited once, with the id that a key keeps', async () => {
    const { keys } = service.app;
    await keys.provide([one]);
    await keys.provide([one]);
    await keys.provide([two]);
    await keys.provide([one]);
    const found = await actions('default');
    expect(found.map(({ key_id, action }) => [key_id, action])).toEqual([
      ['key_settings', 'api_key.created'],
      ['key_settings', 'api_key.revoked'],
      ['key_settings', 'api_key.created'],
      ['key_settings', 'api_key.revoked'],
      ['key_settings', 'api_key.created'],
    ]);
    expect(found[4]?.target).toBe(found[0]?.target);
    const prefix = `${ID_PREFIXES.key}_`;
    expect((await client(service, one).get('/v1/api-keys')).json.api_keys[0].key_id).toBe(found[0]?.target);
    expect(found[0]?.target.startsWith(prefix)).toBe(true);
  });

  test('of the command line are audited', async () => {
    const { keys } = service.app;
    const { row } = await keys.create('shop', 'sandbox', { role: 'reader' });
    expect(await keys.revokeById(`${ID_PREFIXES.key}_${row.id}`)).toBe(true);
    expect((await actions('shop')).map(({ key_id, action }) => [key_id, action])).toEqual([
      ['key_command_line', 'api_key.created'],
      ['key_command_line', 'api_key.revoked'],
    ]);
  });
});
