import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, test, vi } from 'vitest';
import { rebuild } from '../src/commands/rebuild.ts';
import { type Config, readConfig } from '../src/config.ts';
import { client, HOUR_MS, makeClock, makeFolder, startService } from './harness.ts';
import { makeDatabase } from './postgres.ts';
import { hasPostgres } from './postgres-answers.ts';
import { hasRedisServer, startRedis } from './redis-world.ts';
import { profilesOf, traffic, usersIn } from './traffic.ts';

const told = (act: () => Promise<void>): Promise<string> => {
  let text = '';
  const take = (chunk: unknown): boolean => {
    text += String(chunk);
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(take));
  return act()
    .then(() => text)
    .finally(() => {
      for (const spy of spies) spy.mockRestore();
    });
};

describe('portcullis rebuild', () => {
  test.skipIf(!hasPostgres || !hasRedisServer())(
    'brings back what Redis lost, from PostgreSQL, while the service runs',
    async () => {
      const redis = await startRedis();
      const env = {
        DATABASE_URL: await makeDatabase(),
        REDIS_URL: redis.url,
        SECRET_KEY: randomBytes(32).toString('base64'),
      };
      // An hour ago: what is rebuilt must be durable for some time.
      const clock = makeClock(Date.now() - HOUR_MS);
      const service = await startService({ clock: clock.now, logLevel: 'silent', env });
      const api = client(service, await service.key());
      const steps = [...traffic(3, 60)];
      for (const { path, body } of steps) {
        const { json } = await api.post(path, body);
        if (json.transaction_id !== undefined && json.risk_score > 20)
          await api.post('/v1/labels', { transaction_id: json.transaction_id, label: 'fraud', source: 'test' });
      }
      const users = usersIn(steps);
      const before = await vi.waitFor(async () => {
        const profiles = await profilesOf(api, users);
        const { json } = await api.get(`/v1/users/${users[0]}/risk-profile`);
        const own = steps.filter(({ body, path }) => body.user_id === users[0] && path.endsWith('screen'));
        expect(json.transactions.count).toBe(own.length);
        return profiles;
      });
      const emptied = new Redis(redis.url);
      await emptied.flushall();
      expect((await api.get(`/v1/users/${users[0]}/risk-profile`)).status).toBe(404);
      const config = readConfig({ DATA_DIR: makeFolder(), ...env }) as Config;
      expect(await told(() => rebuild(config))).toMatch(
        /^What was screened last is waited for: \d+ s\.\n\d+ histories and profiles were made anew from \d+ screenings/,
      );
      emptied.disconnect();
      expect(await profilesOf(api, users)).toEqual(before);
    },
    60_000,
  );

  test('of the embedded store is refused, which needs none', async () => {
    const config = readConfig({ DATA_DIR: makeFolder() }) as Config;
    expect(await told(() => rebuild(config))).toContain('by itself');
    expect(process.exitCode).toBe(2);
    process.exitCode = 0;
  });
});
