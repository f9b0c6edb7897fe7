import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { rebuild } from '../../src/commands/rebuild.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { runCommand } from '../fixtures/command.ts';
import { client, HOUR_MS, makeClock, makeFolder, startService } from '../fixtures/harness.ts';
import { makeMigrated } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { hasRedisServer, startRedis } from '../fixtures/redis-world.ts';
import { profilesOf, traffic, usersIn } from '../fixtures/traffic.ts';

describe('portcullis rebuild', () => {
  test.skipIf(!hasPostgres || !hasRedisServer())(
    'restores the histories that Redis lost, from PostgreSQL, while the service runs',
    async () => {
      const redis = await startRedis();
      const env = {
        DATABASE_URL: await makeMigrated(),
        REDIS_URL: redis.url,
        SECRET_KEY: randomBytes(32).toString('base64'),
      };
      // An hour ago, because only screenings older than some seconds are certain to be stored.
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
      const own = steps.filter(({ body, path }) => body.user_id === users[0] && path.endsWith('screen'));
      const countOf = async () => (await api.get(`/v1/users/${users[0]}/risk-profile`)).json.transactions.count;
      await expect.poll(countOf).toBe(own.length);
      const before = await profilesOf(api, users);
      const emptied = new Redis(redis.url);
      await emptied.flushall();
      expect((await api.get(`/v1/users/${users[0]}/risk-profile`)).status).toBe(503);
      const config = readConfig({ DATA_DIR: makeFolder(), ...env }) as Config;
      const waits: number[] = [];
      const { out } = await runCommand(() => rebuild(config, async (ms) => waits.push(ms)));
      expect(out).toMatch(
        /^Waiting \d+ s for screenings in progress\.\nRebuilt \d+ histories and profiles from \d+ screenings/,
      );
      expect(waits).toHaveLength(1);
      emptied.disconnect();
      expect(await profilesOf(api, users)).toEqual(before);
    },
    120_000,
  );

  test('is refused for the embedded store, which needs none', async () => {
    const config = readConfig({ DATA_DIR: makeFolder() }) as Config;
    const { err, code } = await runCommand(() => rebuild(config));
    expect([code, err]).toEqual([2, expect.stringContaining('by itself')]);
  });
});
