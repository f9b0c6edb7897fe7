import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterEachFile, takeAll } from './after-file.ts';
import { makeDatabase } from './postgres.ts';

/** Whether services keep what they have where other processes share it: then what is in their folder says nothing. */
export const isShared = process.env.TEST_BACKEND === 'postgres';

/** The Redis that tests keep their keys in, each under a prefix of its own. */
const REDIS = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

const made = new Map<string, Promise<Record<string, string>>>();
const prefixes = new Set<string>();
afterEachFile(async () => {
  made.clear();
  if (prefixes.size === 0) return;
  const redis = new Redis(REDIS);
  for (const prefix of takeAll(prefixes))
    for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1000 }))
      if (keys.length > 0) await redis.unlink(...(keys as string[]));
  await redis.quit();
});

/** A database and a prefix of its own, as settings; the database empty, or a copy. */
export const makeSharedStore = async (copied?: string): Promise<Record<string, string>> => {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  prefixes.add(prefix);
  return {
    DATABASE_URL: await makeDatabase(copied),
    REDIS_URL: `${REDIS}?prefix=${prefix}`,
    SECRET_KEY: randomBytes(32).toString('base64'),
  };
};

/**
 * Settings of a store for whoever would keep theirs in a folder: none, or, with TEST_BACKEND=postgres, a database and a prefix of its own in Redis, the same
 * whenever the folder is named again.
 */
export const storeEnv = (folder: string): Promise<Record<string, string>> => {
  if (!isShared) return Promise.resolve({});
  let env = made.get(folder);
  if (env === undefined) {
    env = makeSharedStore();
    made.set(folder, env);
  }
  return env;
};

const copyKeys = async (from: string, to: string): Promise<void> => {
  const redis = new Redis(REDIS);
  for await (const keys of redis.scanStream({ match: `${from}:*`, count: 1000 }))
    for (const key of keys as string[]) {
      const [value, ttl] = await Promise.all([redis.dumpBuffer(key), redis.pttl(key)]);
      if (value !== null) await redis.restore(to + key.slice(from.length), Math.max(ttl, 0), value);
    }
  await redis.quit();
};
const prefixOf = ({ REDIS_URL = '' }: Record<string, string>): string =>
  new URL(REDIS_URL).searchParams.get('prefix') as string;

/** Copies the store of a service that is stopped to another folder. */
export const copyStore = async (from: string, to: string): Promise<void> => {
  cpSync(from, to, { recursive: true });
  if (!isShared) return;
  const copied = await storeEnv(from);
  const copy = { ...copied, ...(await makeSharedStore(copied.DATABASE_URL)), SECRET_KEY: copied.SECRET_KEY as string };
  await copyKeys(prefixOf(copied), prefixOf(copy));
  made.set(to, Promise.resolve(copy));
};
