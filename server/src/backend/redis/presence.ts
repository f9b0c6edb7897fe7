import { isPresent, MAX_PRESENT, makeLocalPresence, PRESENT_MS, type Presence, type Seen } from '../presence.ts';
import type { RedisClient } from './client.ts';

const seenIn = (fields: Readonly<Record<string, string>>): Seen[] =>
  Object.entries(fields).map(([who, at]) => ({ who, at: Number(at) }));

/**
 * Presence that all processes share: a hash per place, which Redis deletes after the last request. While Redis is
 * unavailable, each process knows its own people.
 */
export const makeSharedPresence = (redis: RedisClient, prefix: string): Presence => {
  const local = makeLocalPresence();
  const keyOf = (place: string): string => `${prefix}:present:{${place}}`;
  const read = async (key: string): Promise<Seen[]> =>
    seenIn(await redis.sendFor(key, (client) => client.hgetall(key) as Promise<Record<string, string>>));
  return {
    see: async (place, who, now) => {
      await local.see(place, who, now);
      const key = keyOf(place);
      try {
        const seen = await read(key);
        const gone = seen.filter(({ at }) => !isPresent(at, now)).map((one) => one.who);
        if (gone.length > 0) await redis.sendFor(key, (client) => client.hdel(key, ...gone));
        if (seen.length - gone.length >= MAX_PRESENT && !seen.some((one) => one.who === who)) return;
        await redis.sendFor(key, (client) => client.multi().hset(key, who, now).pexpire(key, PRESENT_MS).exec());
      } catch {
        // Redis does not answer, which others report. Presence is no reason to refuse a request.
      }
    },
    at: async (place, now) => {
      try {
        return (await read(keyOf(place))).filter(({ at }) => isPresent(at, now));
      } catch {
        return local.at(place, now);
      }
    },
  };
};
