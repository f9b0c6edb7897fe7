import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { client, payment, type Service, startService } from './harness.ts';
import { makeDatabase } from './postgres.ts';
import { hasPostgres } from './postgres-answers.ts';
import { hasRedisServer, startRedis } from './redis-world.ts';

describe.skipIf(!hasPostgres || !hasRedisServer())('a service whose Redis goes away', () => {
  test('decides without histories, says so in the decision, a metric and one line, and counts later what it missed', async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const env = {
      DATABASE_URL: await makeDatabase(),
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
    expect(service.logs.filter((line) => line.includes('Redis does not answer'))).toHaveLength(1);
    await redis.start();
    await expect.poll(() => metric('portcullis_redis_up')).toBe(1);
    expect((await screen()).unavailable).toEqual([]);
    await expect.poll(async () => (await api.get('/v1/users/ada/risk-profile')).json?.transactions?.count).toBe(5);
    expect((await api.get('/v1/users/ada/risk-profile')).json.velocity['1h'].count).toBe(5);
  });

  test('and which is stopped before it is back leaves word of what it did not count', async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const env = {
      DATABASE_URL: await makeDatabase(),
      REDIS_URL: redis.url,
      SECRET_KEY: randomBytes(32).toString('base64'),
    };
    const isWhole = async (service: Service): Promise<number> => {
      const { text } = await client(service, await service.key()).get('/metrics');
      return Number(/^portcullis_histories_whole (\S+)$/m.exec(text)?.[1]);
    };
    const pay = async (service: Service) =>
      expect((await client(service, await service.key()).pay(payment())).status).toBe(200);
    const first = await startService({ env, logLevel: 'warn' });
    await pay(first);
    expect(await isWhole(first)).toBe(1);
    await redis.stop();
    await pay(first);
    await first.stop();
    expect(first.logs.at(-1)).toContain('portcullis rebuild');
    await redis.start();
    const second = await startService({ env, logLevel: 'warn' });
    expect(await isWhole(second)).toBe(0);
    await pay(second);
    await second.stop();
    // All was told this time; what was lost is, until it is made anew.
    expect(await isWhole(await startService({ env, logLevel: 'warn' }))).toBe(0);
  });
});
