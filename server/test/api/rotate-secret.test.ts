import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/backend/backend.ts';
import { makeNote } from '../../src/changes/changes.ts';
import { openKeysOf, resealStore } from '../../src/installation.ts';
import { codeAt, stepAt } from '../../src/people/totp.ts';
import { ACTIVATION_MS, addSecret, readyToRetireAt, retireOtherSecrets } from '../../src/secrets/rotate.ts';
import { makeSeal } from '../../src/secrets/seal.ts';
import { wrapKey } from '../../src/secrets/wrap.ts';
import { secretContext } from '../../src/webhooks/store.ts';
import { client, makeClock, makeFolder, payment, type Service, startService } from '../fixtures/harness.ts';
import { addPerson, browser, PASSWORD } from '../fixtures/people.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { changeRecords, openRecords, readRecords, settingsOf } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';

/** How long a code of an app is shown. */
const CODE_MS = 30_000;
const POLICY = { thresholds: { transaction: { review: 41, block: 81 } } };
const [OLD, NEW, THIRD] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const env = (secret: Buffer) => ({ SECRET_KEY: secret.toString('base64') });

/** Runs a step of a rotation as the command does, with the clock of the service. */
const asCommand = async <T>(
  folder: string,
  secret: Buffer,
  now: () => number,
  step: (deps: { backend: Backend; keys: Awaited<ReturnType<typeof openKeysOf>> }) => Promise<T>,
): Promise<T> => {
  const backend = await openRecords(folder);
  try {
    const keys = await openKeysOf(backend, { ...(await settingsOf(folder)), secretKey: secret }, now);
    return await step({ backend, keys });
  } finally {
    await backend.close();
  }
};
const noted = () => makeNote('command_line', Date.now)(0, 'secrets');
const rotate = (folder: string, now: () => number, from: Buffer, to: Buffer) =>
  asCommand(folder, from, now, ({ backend, keys }) =>
    addSecret({ backend, secret: keys.secret, note: noted() }, to, now()),
  );
const retire = (folder: string, now: () => number, secret: Buffer) =>
  asCommand(folder, secret, now, async ({ backend, keys }) => {
    expect(now()).toBeGreaterThanOrEqual(await readyToRetireAt(backend));
    const resealed = await resealStore(backend, await settingsOf(folder), keys.seal, now());
    await retireOtherSecrets({ backend, secret: keys.secret, note: noted() });
    return resealed;
  });

/** Data of every kind that depends on the secret key. `check` expects that a service can use them. */
const makeData = async (service: Service, receiver: string, clock: ReturnType<typeof makeClock>) => {
  const admin = await service.key();
  const api = client(service, admin);
  const { secret: made, key_id } = (await api.post('/v1/api-keys', { role: 'service' })).json;
  const webhook = (await api.post('/v1/webhooks', { url: receiver, events: ['webhook.test'] })).json;
  const rotated = (await api.post('/v1/webhooks', { url: receiver, events: ['webhook.test'] })).json;
  await api.post(`/v1/webhooks/${rotated.webhook_id}/rotate-secret`, undefined);
  await api.put('/v1/policy', POLICY);
  const { page, email } = await addPerson(service, { sandbox: 'reader' });
  const { secret: totp } = (await page.post('/v1/me/totp', { current_password: PASSWORD })).json;
  const codeNow = (): string => codeAt(totp, stepAt(clock.now()));
  expect((await page.put('/v1/me/totp', { code: codeNow() })).status).toBe(200);
  const body = payment();
  const headers = { 'Idempotency-Key': randomBytes(4).toString('hex') };
  const { text } = await api.pay(body, headers);
  return {
    admin,
    made: made as string,
    key_id,
    signing: webhook.signing_secret as string,
    headers,
    check: async (later: Service): Promise<void> => {
      expect((await client(later, made).get('/v1/cases')).status).toBe(200);
      const replay = await client(later, admin).pay(body, headers);
      expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([text, 'true']);
      const reused = await client(later, admin).pay({ ...body, amount: 50 }, headers);
      expect([reused.status, reused.json.error.code]).toEqual([422, 'idempotency_key_reused']);
      expect((await client(later, admin).get('/v1/audit/check')).json.intact).toBe(true);
      // Each code works once.
      clock.advance(CODE_MS);
      const { ticket } = (await browser(later).signIn(email)).json;
      expect((await browser(later).post('/v1/sign-in/totp', { ticket, code: codeNow() })).status).toBe(200);
      for (const { webhook_id } of [webhook, rotated]) {
        await client(later, admin).post(`/v1/webhooks/${webhook_id}/test`, undefined);
        const deliveries = async () =>
          (await client(later, admin).get(`/v1/webhooks/${webhook_id}/deliveries`)).json.deliveries;
        await expect.poll(async () => (await deliveries())[0].status).toBe('delivered');
      }
    },
  };
};

const untilLogged = (service: Service, text: string, count = 1) =>
  expect.poll(() => service.logs.filter((line) => line.includes(text)).length).toBe(count);
const LOADED = 'keys of the installation loaded again';

describe('a rotation of the secret key', () => {
  const clock = makeClock(Date.now());
  const dataDir = makeFolder();
  let service: Service;
  let before: Awaited<ReturnType<typeof makeData>>;
  let during: Awaited<ReturnType<typeof makeData>>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  const start = (secret: Buffer) =>
    startService({ dataDir, clock: clock.now, env: { ...env(secret), WEBHOOK_CA_FILE: receiver.caFile } });

  beforeAll(async () => {
    receiver = await startReceiver();
    await asCommand(dataDir, OLD, clock.now, async () => {});
    // As in a store of an earlier release, the data key is the secret key itself: retiring it takes the most.
    const isSecret = "UPDATE installation_keys SET wrapped = ? WHERE purpose = 'data'";
    await changeRecords(dataDir, isSecret, wrapKey(OLD, 'data 1', OLD));
    service = await start(OLD);
    before = await makeData(service, receiver.url, clock);
  });

  test('adds a secret key: a running process learns the new data key before it is used', async () => {
    expect(await rotate(dataDir, clock.now, OLD, NEW)).toBe(true);
    await untilLogged(service, LOADED);
    await before.check(service);
    const versions = async () =>
      (await readRecords<{ version: number }>(dataDir, 'SELECT DISTINCT hash_version AS version FROM api_keys')).map(
        ({ version }) => version,
      );
    await service.key();
    expect(await versions()).toEqual([1]);
    clock.advance(ACTIVATION_MS);
    during = await makeData(service, receiver.url, clock);
    expect((await versions()).sort()).toEqual([1, 2]);
    await before.check(service);
    await during.check(service);
  });

  test('refuses a second rotation at the same time, and repeats an interrupted one without harm', async () => {
    const rows = await readRecords(dataDir, 'SELECT * FROM installation_keys ORDER BY purpose, version, secret_id');
    await expect(rotate(dataDir, clock.now, OLD, THIRD)).rejects.toThrow('A rotation is in progress');
    await expect(rotate(dataDir, clock.now, OLD, OLD)).rejects.toThrow('must differ');
    expect(await rotate(dataDir, clock.now, OLD, NEW)).toBe(false);
    expect(await readRecords(dataDir, 'SELECT * FROM installation_keys ORDER BY purpose, version, secret_id')).toEqual(
      rows,
    );
  });

  test('lets processes with either secret key serve all data', async () => {
    if (isShared) {
      const other = await start(NEW);
      for (const data of [before, during]) await data.check(other);
      await other.stop();
    }
    await service.stop();
    for (const secret of [OLD, NEW]) {
      service = await start(secret);
      for (const data of [before, during]) await data.check(service);
      if (secret === OLD) await service.stop();
    }
  });

  test('ends when the old secret key is retired: all data work, and the old secret and data keys open nothing', async () => {
    const [first] = await asCommand(dataDir, OLD, clock.now, async ({ keys }) => keys.dataKeys());
    clock.advance(ACTIVATION_MS);
    const resealed = await retire(dataDir, clock.now, NEW);
    expect(resealed).toEqual({ signingSecrets: 2, responses: 1 });
    await untilLogged(service, LOADED);
    for (const data of [before, during]) await data.check(service);
    await expect(start(OLD)).rejects.toThrow('SECRET_KEY is not the secret key of this store');

    for (const key of [OLD, first?.key as Uint8Array]) {
      const seal = makeSeal(key);
      for (const row of await readRecords<{
        id: string;
        sealed_secret: Uint8Array;
        sealed_previous_secret: Uint8Array;
      }>(dataDir, 'SELECT * FROM webhooks'))
        for (const sealed of [row.sealed_secret, row.sealed_previous_secret])
          if (sealed !== null) expect(() => seal.open(sealed, secretContext(row.id))).toThrow();
      const responses = await readRecords<{ tenant: number; path: string; key: string; sealed_response: Uint8Array }>(
        dataDir,
        'SELECT * FROM idempotency',
      );
      expect(responses).toHaveLength(2);
      for (const { tenant, path, key: name, sealed_response } of responses)
        expect(() => seal.open(sealed_response, `idempotency ${tenant} ${path} ${name}`)).toThrow();
      const hashes = await readRecords<{ hash: string }>(dataDir, 'SELECT hash FROM api_keys');
      expect(hashes.map(({ hash }) => hash)).not.toContain(seal.hashKey(before.made));
    }
  });

  test('does not let a hash from an old copy of the database pass as a key', async () => {
    const [first] = await asCommand(dataDir, NEW, clock.now, async ({ keys }) => keys.dataKeys());
    const stolen = makeSeal(first?.key as Uint8Array).hashKey(before.admin);
    expect((await client(service, stolen).get('/v1/cases')).status).toBe(401);
  });

  test('does not accept an audit log whose end was cut off and signed with the retired data key', async () => {
    const [first] = await asCommand(dataDir, NEW, clock.now, async ({ keys }) => keys.dataKeys());
    const [head] = await readRecords<{ tenant: number; number: number; hash: string; seal: string }>(
      dataDir,
      'SELECT tenant, number, hash, seal FROM audit_heads WHERE tenant = 1',
    );
    const [entry] = await readRecords<{ hash: string }>(
      dataDir,
      'SELECT hash FROM audit WHERE tenant = 1 AND number = 2',
    );
    const forged = makeSeal(first?.key as Uint8Array).chain(['head', 1, 2, entry?.hash as string]);
    const put = 'UPDATE audit_heads SET number = ?, hash = ?, seal = ? WHERE tenant = 1';
    await changeRecords(dataDir, put, 2, entry?.hash as string, forged);
    expect((await client(service, before.admin).get('/v1/audit/check')).json.intact).toBe(false);
    await changeRecords(dataDir, put, head?.number as number, head?.hash as string, head?.seal as string);
    expect((await client(service, before.admin).get('/v1/audit/check')).json.intact).toBe(true);
  });

  test('can be repeated: keys hashed two versions ago still work, and a retired key of a settings key is not doubled', async () => {
    const settingsKey = `sk_test_${'s'.repeat(40)}`;
    await service.app.keys.provide([settingsKey]);
    await rotate(dataDir, clock.now, NEW, THIRD);
    await untilLogged(service, LOADED, 2);
    clock.advance(2 * ACTIVATION_MS);
    await service.app.keys.provide([settingsKey]);
    await retire(dataDir, clock.now, THIRD);
    await untilLogged(service, 'the secret key of this process was retired');
    await service.app.keys.provide([settingsKey]);
    for (const data of [before, during]) await data.check(service);
    await service.stop();
    service = await start(THIRD);
    await service.app.keys.provide([settingsKey]);
    for (const data of [before, during]) await data.check(service);
    expect((await client(service, settingsKey).get('/v1/cases')).status).toBe(200);
    const keys = await readRecords(dataDir, 'SELECT 1 FROM api_keys WHERE from_settings = 1');
    expect(keys).toHaveLength(1);
    expect((await client(service, before.admin).delete(`/v1/api-keys/${before.key_id}`)).status).toBe(204);
    expect((await client(service, before.made).get('/v1/cases')).status).toBe(401);
  });
});

test('of two commands that retire at once with different secret keys, one wins and the store stays open', async () => {
  const dataDir = makeFolder();
  const now = () => Date.now() - 10 * ACTIVATION_MS;
  await asCommand(dataDir, OLD, now, async () => {});
  await rotate(dataDir, now, OLD, NEW);
  const outcomes = await Promise.allSettled([retire(dataDir, Date.now, OLD), retire(dataDir, Date.now, NEW)]);
  const opened = await Promise.allSettled(
    [OLD, NEW].map((secret) => asCommand(dataDir, secret, Date.now, async () => {})),
  );
  expect(opened.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const lost = opened.findIndex(({ status }) => status === 'rejected');
  expect(outcomes[1 - lost]?.status).toBe('fulfilled');
});

test('of two rotations that start at once, one is refused', async () => {
  const dataDir = makeFolder();
  await asCommand(dataDir, OLD, Date.now, async () => {});
  const outcomes = await Promise.allSettled([NEW, THIRD].map((next) => rotate(dataDir, Date.now, OLD, next)));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await readRecords(dataDir, 'SELECT 1 FROM installation_keys')).toHaveLength(6);
});
