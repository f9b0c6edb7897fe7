import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';

const DATABASES = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const REDIS = process.env.BENCH_REDIS_URL ?? 'redis://127.0.0.1:6379';

export interface SharedStore {
  /** Settings of a service process that uses this store. */
  readonly env: Readonly<Record<string, string>>;
  readonly redis: Redis;
  /** Does at once what the database would do by itself in the minutes after many rows were written. */
  readonly settle: () => Promise<void>;
  readonly drop: () => Promise<void>;
}

/** Creates a new database and Redis prefix. Undefined if PostgreSQL or Redis is not available. */
export const makeSharedStore = async (): Promise<SharedStore | undefined> => {
  const redis = new Redis(REDIS, { lazyConnect: true, retryStrategy: null });
  const admin = new pg.Client({ connectionString: DATABASES });
  redis.on('error', () => {});
  try {
    await Promise.all([redis.connect(), admin.connect()]);
  } catch {
    redis.disconnect();
    return undefined;
  }
  const name = `portcullis_bench_${randomBytes(4).toString('hex')}`;
  const url = new URL(DATABASES);
  url.pathname = `/${name}`;
  await admin.query(`CREATE DATABASE ${name}`);
  return {
    env: {
      DATABASE_URL: url.href,
      REDIS_URL: `${REDIS}?prefix=${name}`,
      SECRET_KEY: randomBytes(32).toString('base64'),
    },
    redis,
    settle: async () => {
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      await client.query('VACUUM (ANALYZE)');
      await client.query('CHECKPOINT');
      await client.end();
    },
    drop: async () => {
      for await (const keys of redis.scanStream({ match: `${name}:*`, count: 1000 }))
        if (keys.length > 0) await redis.unlink(...(keys as string[]));
      await redis.quit();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
};
