import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openRecordStore } from '../../src/backend/open.ts';
import { makeNote } from '../../src/changes/changes.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { openKeysOf } from '../../src/installation.ts';
import { ACTIVATION_MS, addSecret } from '../../src/secrets/rotate.ts';
import { run } from '../fixtures/crash-process.ts';
import { expectStored, type Name, runUnderLoad, send } from '../fixtures/fleet.ts';
import { startMember, startServices } from '../fixtures/fleet-services.ts';
import { openClient } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { isRedisAvailable } from '../fixtures/redis-world.ts';
import { makeSharedStore } from '../fixtures/shared-store.ts';

const canRun = hasPostgres && (await isRedisAvailable());
/** Every service loads a new key within a second, on a busy machine within some. */
const LOADED_MS = 4000;
const PAUSE_MS = 30;

test.skipIf(!canRun)(
  'the secret key is rotated under load, service by service: no caller gets an error, nothing is lost',
  async () => {
    const env = await makeSharedStore();
    const next = randomBytes(32).toString('base64');
    let aheadMs = 0;
    const options = { logLevel: 'error', clock: () => Date.now() + aheadMs };
    const startOne = (name: Name, SECRET_KEY: string) => startMember(name, { ...env, SECRET_KEY }, options);
    const fleet = await startServices(env, options);
    const started = Object.values(fleet);
    const database = await openClient(env.DATABASE_URL as string);
    const keys: string[] = [];
    /** A key made by one service works in the others, whatever their secret keys. */
    const exchangeKeys = async (): Promise<void> => {
      for (const maker of [fleet.one, fleet.two]) {
        const made = await send(maker, 'POST', '/v1/api-keys', { role: 'service' });
        expect(made.status).toBe(201);
        keys.push(made.json.secret);
      }
      for (const server of [fleet.one, fleet.two])
        for (const key of keys) expect((await send(server, 'GET', '/v1/cases', undefined, { key })).status).toBe(200);
    };

    const rotate = async (): Promise<void> => {
      await exchangeKeys();
      const config = readConfig({ ...env }) as Config;
      const backend = await openRecordStore(config);
      const { secret } = await openKeysOf(backend, config);
      const note = makeNote('command_line', Date.now)(0, 'secrets');
      await addSecret({ backend, secret, note }, Buffer.from(next, 'base64'), options.clock());
      await backend.close();
      await exchangeKeys();
      await setTimeout(LOADED_MS);
      // From here on, data are sealed with the new data key.
      aheadMs = ACTIVATION_MS;
      await exchangeKeys();
      for (const name of ['one', 'two', 'worker'] as const) {
        await fleet[name].stop();
        fleet[name] = await startOne(name, next);
        started.push(fleet[name]);
        await exchangeKeys();
      }
      // As if the time that `--retire` waits for had passed.
      await database.query('UPDATE installation_keys SET active_at = active_at - 120000 WHERE version > 1');
      const retired = await run(['keys', 'rotate-secret', '--retire', '--json'], { ...env, SECRET_KEY: next });
      expect([retired.code, retired.stderr]).toEqual([0, '']);
      expect(JSON.parse(retired.stdout).responses).toBeGreaterThan(0);
      await exchangeKeys();
      await setTimeout(LOADED_MS);
      await exchangeKeys();
    };
    const result = await runUnderLoad({ fleet }, 1, rotate, PAUSE_MS);
    expect(result.screened.length).toBeGreaterThan(50);
    // 503 while a service stops; everything else was answered.
    expect(Object.keys(result.statuses).filter((status) => !['200', '201', '503'].includes(status))).toEqual([]);
    await expectStored(database, result);
    for (const { order, id } of result.screened.slice(0, 20)) {
      const [stored] = (await database.query('SELECT request FROM screenings WHERE id = $1', [id.slice(4)])).rows;
      const { metadata, user_id, amount, currency, ip_address } = JSON.parse(stored.request);
      const body = { user_id, amount, currency, ip_address, metadata };
      const replay = await send(fleet.two, 'POST', '/v1/transactions/screen', body, {
        headers: { 'Idempotency-Key': order },
      });
      expect([replay.status, replay.json.transaction_id]).toEqual([200, id]);
    }
    await expect(startOne('one', env.SECRET_KEY as string)).rejects.toThrow('is not the secret key of this store');
    expect(started.flatMap(({ logs }) => logs)).toEqual([]);
  },
  120_000,
);
