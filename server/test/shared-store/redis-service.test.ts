import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { rebuildFromJournal } from '../../src/backend/redis/rebuild.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { openKeysOf } from '../../src/installation.ts';
import { client, payment, type Service, saved, startService } from '../fixtures/harness.ts';
import { makeMigrated } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { hasRedisServer, startRedis } from '../fixtures/redis-world.ts';

describe.skipIf(!hasPostgres || !hasRedisServer())('a service without Redis', () => {
  test('decides without histories, reports it in decision, metric and one log line, and counts later', async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const env = {
      DATABASE_URL: await makeMigrated(),
      REDIS_URL: redis.url,
      SECRET_KEY: randomBytes(32).toString('base64'),
    };
    const service = await startService({ env, logLevel: 'warn' });
    const api = client(service, await service.key());
    const screen = async () => {
      const { status, json } = await api.post(
        '/v1/transactions/screen',
        payment({ user_id: 'ada', device_token: 'd' }),
      );
      expect(status).toBe(200);
      return (await api.get(`/v1/decisions/${json.decision_id}`)).json;
    };
    const metric = async (name: string): Promise<number> =>
      Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await api.get('/metrics')).text)?.[1]);
    expect((await screen()).unavailable).toEqual([]);
    await redis.stop();
    for (let i = 0; i < 3; i++)
      expect((await screen()).unavailable).toEqual(expect.arrayContaining(['user', 'device']));
    expect(await metric('portcullis_redis_up')).toBe(0);
    expect(await metric('portcullis_screenings_without_histories')).toBe(3);
    expect((await api.get('/v1/users/ada/risk-profile')).status).toBe(503);
    expect((await service.call('GET', '/readyz')).status).toBe(200);
    expect(service.logs.filter((line) => line.includes('Redis is unavailable'))).toHaveLength(1);
    await redis.start();
    await expect.poll(() => metric('portcullis_redis_up')).toBe(1);
    expect((await screen()).unavailable).toEqual([]);
    await expect.poll(async () => (await api.get('/v1/users/ada/risk-profile')).json?.transactions?.count).toBe(5);
    expect((await api.get('/v1/users/ada/risk-profile')).json.velocity['1h'].count).toBe(5);
  });

  test('that is stopped before Redis is back registers the loss', async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const env = {
      DATABASE_URL: await makeMigrated(),
      REDIS_URL: redis.url,
      SECRET_KEY: randomBytes(32).toString('base64'),
    };
    const isComplete = async (service: Service): Promise<number> => {
      const { text } = await client(service, await service.key()).get('/metrics');
      return Number(/^portcullis_histories_whole (\S+)$/m.exec(text)?.[1]);
    };
    const pay = async (service: Service) =>
      expect((await client(service, await service.key()).pay(payment())).status).toBe(200);
    const first = await startService({ env, logLevel: 'warn' });
    await pay(first);
    expect(await isComplete(first)).toBe(1);
    await redis.stop();
    await pay(first);
    await first.stop();
    expect(first.logs.at(-1)).toContain('portcullis rebuild');
    await redis.start();
    const second = await startService({ env, logLevel: 'warn' });
    expect(await isComplete(second)).toBe(0);
    await pay(second);
    await second.stop();
    // The second service lost nothing. The first loss stays until a rebuild.
    expect(await isComplete(await startService({ env, logLevel: 'warn' }))).toBe(0);
  });

  test('whose Redis was emptied says so in the next decision, and does not take known users for new ones until the rebuild', async () => {
    const redis = await startRedis();
    const url = await makeMigrated();
    const env = { DATABASE_URL: url, REDIS_URL: redis.url, SECRET_KEY: randomBytes(32).toString('base64') };
    const service = await startService({ env, logLevel: 'warn' });
    const api = client(service, await service.key());
    const unavailable = async (user_id: string): Promise<string[]> => {
      const { json } = await api.pay(payment({ user_id, device_token: 'd' }));
      return (await api.get(`/v1/decisions/${json.decision_id}`)).json.unavailable;
    };
    for (let i = 0; i < 3; i++) expect(await unavailable('ada')).toEqual([]);
    await saved(service);
    const other = new Redis(redis.url);
    await other.flushall();
    other.disconnect();
    for (const user of ['ada', 'ada', 'bea'])
      expect(await unavailable(user)).toEqual(expect.arrayContaining(['user', 'device']));
    for (const user of ['ada', 'bea', 'nobody'])
      expect((await api.get(`/v1/users/${user}/risk-profile`)).status).toBe(503);
    await saved(service);
    const { identityKey } = await openKeysOf(service.app.backend, readConfig(env) as Config);
    const { isComplete } = await rebuildFromJournal({
      backend: service.app.backend,
      identityKey,
      url: redis.url,
      prefix: 'portcullis',
      clock: () => Date.now() + 60_000,
      pause: async () => {},
    });
    expect(isComplete).toBe(true);
    expect(await unavailable('ada')).toEqual([]);
    await saved(service);
    const profile = (await api.get('/v1/users/ada/risk-profile')).json;
    expect([profile.transactions.count, profile.velocity['1h'].count]).toEqual([6, 6]);
    expect((await api.get('/v1/users/nobody/risk-profile')).status).toBe(404);
  });
});
