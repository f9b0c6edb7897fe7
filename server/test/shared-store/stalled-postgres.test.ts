import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { rounds, timeoutMs } from '../fixtures/effort.ts';
import { type Service, saved, startService } from '../fixtures/harness.ts';
import { hasPostgresServer, startPostgres } from '../fixtures/own-postgres.ts';
import { expectExactCounts } from '../fixtures/recount.ts';
import { hasRedisServer, startRedis } from '../fixtures/redis-world.ts';
import { startLoad } from '../fixtures/steady-load.ts';

/** How long the store waits for an answer, instead of five seconds. */
const WAITS_MS = 1500;
/** The first is longer: the store does not know which of its commits succeed later. */
const STOPS_MS =
  rounds(1, 2) === 1
    ? [WAITS_MS + 600, 400, 400]
    : Array.from({ length: 30 }, (_, i) => WAITS_MS + (i % 2 ? -500 : 1000));

test.skipIf(!hasPostgresServer() || !hasRedisServer())(
  'a PostgreSQL that hangs under load, three times, leaves exact profiles and counts, and answers are 200 or 503',
  { timeout: timeoutMs(60_000) },
  async () => {
    const [postgres, redis] = [await startPostgres(), await startRedis()];
    const env = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
    };
    const options = { env, logLevel: 'warn', storeTimeoutMs: WAITS_MS };
    const services = [await startService(options), await startService(options)];
    const load = await startLoad(services);
    await load.more(100);
    for (const ms of STOPS_MS) {
      postgres.signal('SIGSTOP');
      await sleep(ms);
      postgres.signal('SIGCONT');
      await load.more(100);
    }
    const statuses = await load.stop();
    expect(Object.keys(statuses)).toEqual(['200', '503']);
    await Promise.all(services.map(saved));
    const { backend } = (services[0] as Service).app;
    const [stored] = await backend.read<{ count: number }>('SELECT COUNT(*) AS count FROM screenings');
    expect(stored?.count).toBeGreaterThanOrEqual(statuses[200] as number);
    await expectExactCounts(backend, env, 'portcullis');
  },
);
