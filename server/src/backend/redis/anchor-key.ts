import type { AnchorPlace } from '../anchor-place.ts';
import type { RedisClient } from './client.ts';

/** The anchor of the audit log in Redis, which an administrator of PostgreSQL cannot write to. */
export const makeAnchorKey = (redis: RedisClient, prefix: string): AnchorPlace => {
  const key = `${prefix}:audit:{anchor}`;
  return {
    name: 'redis',
    read: async () => (await redis.sendFor(key, (client) => client.get(key))) ?? undefined,
    write: async (text) => void (await redis.sendFor(key, (client) => client.set(key, text))),
  };
};
