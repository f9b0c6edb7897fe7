import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openInstallation } from '../../src/installation.ts';
import { makeSeal } from '../../src/secrets/seal.ts';
import { unwrapKey, wrapKey } from '../../src/secrets/wrap.ts';
import { client, makeFolder, payment, type Service, startService } from '../fixtures/harness.ts';
import { changeRecords, readRecords, settingsOf } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';

const keyFile = (folder: string): string => join(folder, 'secret.key');
const POLICY = { thresholds: { transaction: { review: 41, block: 81 } } };
const secretOf = (byte: number): Buffer => Buffer.alloc(32, byte);
const withSecretKey = (byte: number) => ({ env: { SECRET_KEY: secretOf(byte).toString('base64') } });
const openKeys = async (folder: string, secretKey?: Buffer) => {
  const settings = await settingsOf(folder);
  return openInstallation({ ...settings, secretKey: secretKey ?? settings.secretKey });
};

/** Every row that depends on the secret key. */
const sealedRows = async (folder: string) => ({
  keys: await readRecords(folder, 'SELECT * FROM installation_keys ORDER BY purpose, version, secret_id'),
  apiKeys: await readRecords(folder, 'SELECT * FROM api_keys ORDER BY id'),
  webhooks: await readRecords(folder, 'SELECT * FROM webhooks ORDER BY id'),
  tenants: await readRecords(folder, 'SELECT * FROM tenants ORDER BY tenant'),
});

/** Uses a service so that its store has data of every kind that depends on the secret key. */
const useService = async (service: Service, key: string) => {
  const body = payment();
  const headers = { 'Idempotency-Key': 'sealed' };
  const { text } = await client(service, key).pay(body, headers);
  expect((await client(service, key).put('/v1/policy', POLICY)).status).toBe(200);
  const webhook = { url: 'https://example.com/hook', events: ['case.created'] };
  expect((await client(service, key).post('/v1/webhooks', webhook)).status).toBe(201);
  /** Expects that stored data can still be used. */
  return async (later: Service): Promise<void> => {
    const replay = await client(later, key).pay(body, headers);
    expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([text, 'true']);
    const { intact, entries } = (await client(later, key).get('/v1/audit/check')).json;
    expect([intact, entries > 0]).toEqual([true, true]);
  };
};

/** Rewrites a store as an earlier release left it: its data key is the secret key itself, and no key is stored. */
const makeLegacyStore = async (byte: number, settingsKey?: string) => {
  const dataDir = makeFolder();
  const secret = secretOf(byte);
  // A first start on an empty store, then its random data key is replaced by the secret key.
  await openKeys(dataDir, secret);
  const wrapped = wrapKey(secret, 'data 1', secret);
  await changeRecords(dataDir, "UPDATE installation_keys SET wrapped = ? WHERE purpose = 'data'", wrapped);
  const service = await startService({ dataDir, ...withSecretKey(byte) });
  if (settingsKey !== undefined) await service.app.keys.provide([settingsKey]);
  return {
    dataDir,
    service,
    end: async (): Promise<void> => {
      await service.stop();
      await changeRecords(dataDir, 'DELETE FROM installation_keys');
    },
  };
};

describe('the secret key of the installation', () => {
  test.skipIf(isShared)(
    'is created once, stored beside the data, readable by its owner only, and used again',
    async () => {
      const first = await startService();
      const key = await first.key();
      const made = readFileSync(keyFile(first.dataDir), 'utf8');
      expect(Buffer.from(made, 'base64')).toHaveLength(32);
      expect(statSync(keyFile(first.dataDir)).mode & 0o777).toBe(0o600);
      expect(readdirSync(first.dataDir).filter((name) => name.startsWith('secret'))).toEqual(['secret.key']);
      await first.stop();
      const second = await startService({ dataDir: first.dataDir });
      expect(readFileSync(keyFile(first.dataDir), 'utf8')).toBe(made);
      expect((await client(second, key).get('/v1/cases')).status).toBe(200);
    },
  );

  test('is SECRET_KEY if that is set, and no file is created', async () => {
    const first = await startService(withSecretKey(1));
    const key = await first.key();
    expect(existsSync(keyFile(first.dataDir))).toBe(false);
    await first.stop();
    const second = await startService({ ...withSecretKey(1), dataDir: first.dataDir });
    expect((await client(second, key).get('/v1/cases')).status).toBe(200);
  });

  test('is not stored, and neither are the keys it wraps', async () => {
    const { dataDir, stop } = await startService(withSecretKey(1));
    const { identityKey, dataKeys } = await openKeys(dataDir, secretOf(1));
    const dataKey = dataKeys()[0]?.key as Uint8Array;
    await stop();
    expect([identityKey.length, dataKey.length]).toEqual([16, 32]);
    const rows = await readRecords<{ wrapped: Uint8Array }>(dataDir, 'SELECT wrapped FROM installation_keys');
    expect(rows).toHaveLength(2);
    for (const { wrapped } of rows)
      for (const key of [identityKey, dataKey, secretOf(1)]) expect(Buffer.from(wrapped).includes(key)).toBe(false);
  });
});

describe('a start with another secret key', () => {
  test('is refused, says what to do, and changes nothing: with the right key everything works again', async () => {
    const first = await startService(withSecretKey(1));
    const key = await first.key();
    const settingsKey = `sk_test_${'a'.repeat(40)}`;
    await first.app.keys.provide([settingsKey]);
    const expectUsable = await useService(first, key);
    await first.stop();
    const { dataDir } = first;
    const before = await sealedRows(dataDir);
    await expect(startService({ ...withSecretKey(2), dataDir })).rejects.toThrow(
      /^SECRET_KEY is not the secret key of this store: its id is [0-9a-f]{16}, and the store accepts [0-9a-f]{16}\. Set SECRET_KEY to .*Nothing was changed\.$/,
    );
    expect(await sealedRows(dataDir)).toEqual(before);
    const second = await startService({ ...withSecretKey(1), dataDir });
    await expectUsable(second);
    expect((await client(second, settingsKey).get('/v1/cases')).status).toBe(200);
  });

  test.skipIf(isShared)('is refused when secret.key is gone, empty or that of another store', async () => {
    const { dataDir, stop, ...service } = await startService();
    const key = await service.key();
    await stop();
    const before = await sealedRows(dataDir);
    const kept = readFileSync(keyFile(dataDir));
    rmSync(keyFile(dataDir));
    await expect(startService({ dataDir })).rejects.toThrow(/secret\.key is missing and SECRET_KEY is not set.*backup/);
    expect(existsSync(keyFile(dataDir))).toBe(false);
    writeFileSync(keyFile(dataDir), '');
    await expect(startService({ dataDir })).rejects.toThrow(/secret\.key must contain 32 bytes in base64.*backup/);
    writeFileSync(keyFile(dataDir), randomBytes(32).toString('base64'));
    await expect(startService({ dataDir })).rejects.toThrow(/secret\.key is not the secret key of this store/);
    expect(await sealedRows(dataDir)).toEqual(before);
    writeFileSync(keyFile(dataDir), kept);
    const again = await startService({ dataDir });
    expect((await client(again, key).get('/v1/cases')).status).toBe(200);
  });

  test('is refused when a stored key is damaged or has the name of another', async () => {
    const { dataDir, stop } = await startService(withSecretKey(1));
    await stop();
    const spoil = async (sql: string) => {
      const [row] = await readRecords<{ wrapped: Uint8Array }>(
        dataDir,
        "SELECT wrapped FROM installation_keys WHERE purpose = 'data'",
      );
      const kept = row?.wrapped as Uint8Array;
      await changeRecords(dataDir, sql, Buffer.from(kept).fill(kept[20] === 0 ? 1 : 0, 20, 21));
      await expect(startService({ ...withSecretKey(1), dataDir })).rejects.toThrow(/"data 1".*damaged.*backup/);
      await changeRecords(dataDir, "UPDATE installation_keys SET wrapped = ? WHERE purpose = 'data'", kept);
    };
    await spoil("UPDATE installation_keys SET wrapped = ? WHERE purpose = 'data'");
    await spoil(
      `UPDATE installation_keys SET wrapped = COALESCE((SELECT wrapped FROM installation_keys
        WHERE purpose = 'identity'), ?) WHERE purpose = 'data'`,
    );
    await (await startService({ ...withSecretKey(1), dataDir })).stop();
  });
});

describe('a store of an earlier release', () => {
  test('gets its keys at the first start, and everything in it works as before', async () => {
    const { service, dataDir, end } = await makeLegacyStore(1);
    const key = await service.key();
    const expectUsable = await useService(service, key);
    await end();
    const upgraded = await startService({ ...withSecretKey(1), dataDir });
    await expectUsable(upgraded);
    await upgraded.stop();
    const [dataKey] = (await openKeys(dataDir, secretOf(1))).dataKeys();
    expect(dataKey).toMatchObject({ version: 1, key: secretOf(1) });
  });

  const SETTINGS_KEY = `sk_live_${'b'.repeat(40)}`;
  test.each([
    ['a signing secret', async (service: Service) => void (await useWebhook(service))],
    ['a stored response', async (service: Service) => void (await useIdempotency(service))],
    ['the audit log', async (service: Service) => void (await usePolicy(service))],
    ['a key of API_KEYS', async () => {}],
  ])('is not opened with a wrong key where %s shows it', async (what, use) => {
    const isSetting = what === 'a key of API_KEYS';
    const { service, dataDir, end } = await makeLegacyStore(1, isSetting ? SETTINGS_KEY : undefined);
    await use(service);
    await end();
    const before = await sealedRows(dataDir);
    const env = { ...withSecretKey(2).env, API_KEYS: SETTINGS_KEY };
    await expect(startService({ env, dataDir })).rejects.toThrow(/SECRET_KEY is not the secret key of this store/);
    expect(await sealedRows(dataDir)).toEqual(before);
    await startService({ env: { ...withSecretKey(1).env, API_KEYS: SETTINGS_KEY }, dataDir });
  });

  test.skipIf(isShared)('is not opened when its secret.key is gone', async () => {
    const { service, dataDir, end } = await makeLegacyStore(1);
    await service.key();
    await end();
    await expect(startService({ dataDir })).rejects.toThrow(/secret\.key is missing and SECRET_KEY is not set/);
    expect(await readRecords(dataDir, 'SELECT * FROM installation_keys')).toEqual([]);
  });
});

const useWebhook = async (service: Service) =>
  client(service, await service.key()).post('/v1/webhooks', {
    url: 'https://example.com/hook',
    events: ['case.created'],
  });
const useIdempotency = async (service: Service) =>
  client(service, await service.key()).pay(payment(), { 'Idempotency-Key': 'k' });
const usePolicy = async (service: Service) => client(service, await service.key()).put('/v1/policy', POLICY);

test('processes that start at once on an empty store agree on one set of keys', async () => {
  const dataDir = makeFolder();
  const opened = await Promise.all(Array.from({ length: 6 }, () => openKeys(dataDir)));
  expect(new Set(opened.map(({ identityKey }) => Buffer.from(identityKey).toString('hex'))).size).toBe(1);
  expect(new Set(opened.map(({ dataKeys }) => Buffer.from(dataKeys()[0]?.key ?? '').toString('hex'))).size).toBe(1);
  expect(await readRecords(dataDir, 'SELECT 1 FROM installation_keys')).toHaveLength(2);
});

test('of processes that start at once with different secret keys, those of one key start and the others are refused', async () => {
  const dataDir = makeFolder();
  const opened = await Promise.allSettled(Array.from({ length: 6 }, (_, i) => openKeys(dataDir, secretOf(i % 3))));
  const started = opened.map(({ status }) => status === 'fulfilled');
  expect(started.filter(Boolean)).toHaveLength(2);
  expect(started.indexOf(true) + 3).toBe(started.lastIndexOf(true));
  expect(await readRecords(dataDir, 'SELECT 1 FROM installation_keys')).toHaveLength(2);
});

test('a wrapped key opens under its secret key and name alone, and is the same each time', () => {
  const [secret, key] = [randomBytes(32), randomBytes(32)];
  const wrapped = wrapKey(secret, 'data 1', key);
  expect(unwrapKey(secret, 'data 1', wrapped)).toEqual(key);
  expect(wrapKey(secret, 'data 1', key)).toEqual(wrapped);
  expect(() => unwrapKey(randomBytes(32), 'data 1', wrapped)).toThrow();
  expect(() => unwrapKey(secret, 'data 2', wrapped)).toThrow();
  expect(makeSeal(key).hashKey('a')).not.toBe(makeSeal(secret).hashKey('a'));
});
