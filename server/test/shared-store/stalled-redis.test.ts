import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { rounds, timeoutMs } from '../fixtures/effort.ts';
import { type Service, saved, startService } from '../fixtures/harness.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { expectExactCounts } from '../fixtures/recount.ts';
import { hasRedisServer, startRedis } from '../fixtures/redis-world.ts';
import { makeSharedStore } from '../fixtures/shared-store.ts';
import { startLoad } from '../fixtures/steady-load.ts';

/** The first is longer than a connection may be silent: its commands are retried over another one. */
const STOPS_MS = rounds(1, 2) === 1 ? [2600, 400, 400] : Array.from({ length: 30 }, () => 3000);

describe.skipIf(!hasPostgres || !hasRedisServer())('a Redis that hangs under load', () => {
  test('three times leaves the profiles and counts that a recount of the records gives, and no screening fails', {
    timeout: timeoutMs(120_000),
  }, async () => {
    const redis = await startRedis();
    const env = { ...(await makeSharedStore()), REDIS_URL: redis.url };
    // A disk that is busy with other tests makes commits slow. That is not the fault that this test is about.
    const options = { env, logLevel: 'warn', storeTimeoutMs: 60_000 };
    const services = [await startService(options), await startService(options)];
    const load = await startLoad(services);
    await load.more(100);
    for (const ms of STOPS_MS) {
      redis.signal('SIGSTOP');
      await sleep(ms);
      redis.signal('SIGCONT');
      await load.more(100);
    }
    expect(Object.keys(await load.stop())).toEqual(['200']);
    await Promise.all(services.map(saved));
    await expectExactCounts((services[0] as Service).app.backend, env, 'portcullis');
  });
});
