import { randomBytes } from 'node:crypto';
import type { Link } from './redis-link.ts';
import type { Keys } from './redis-records.ts';

/**
 * Tells whether what Redis holds is all there was. Each server holds a mark that says so. A server that lost its data comes back without one,
 * although something was stored before, and everyone looks new to it. One that came back from a copy of some time ago has its mark, but not what
 * each process wrote beside it since. Either way the mark says from then on that much is missing, to every process, until the histories are made anew.
 */
const STATE = 'state';
const WHOLE = 'whole';
/** Different each time: whoever made the histories anew must not take back what was lost since they began. */
const lostAnew = (): string => `lost ${randomBytes(6).toString('base64url')}`;
const nameAnew = (): string => `p ${randomBytes(6).toString('base64url')}`;
/** A cluster keeps a key on one of its servers: so many are spread over all of them. */
const MARKS_IN_CLUSTER = 64;
/** An append-only file that is synced every second may lose one, and a copy that takes over some: not worth making everything anew. */
const BACK_MS = 10_000;
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

interface Mark {
  readonly key: string;
  readonly state: string | undefined;
}

export const makeMarker = (
  link: Link,
  keys: Keys,
  hasStored: () => Promise<boolean>,
  clock: () => number = Date.now,
) => {
  const self = nameAnew();
  /** By mark: when we wrote beside it last, and what it said. */
  const written = new Map<string, number>();
  const seen = new Map<string, string | undefined>();
  /** Those that went back in time, until they say so. */
  const back = new Set<string>();
  let wasMarked = false;
  const marks = (): string[] =>
    Array.from({ length: link.isCluster() ? MARKS_IN_CLUSTER : 1 }, (_, i) => keys.marker(i));
  const set = (key: string, state: string): Promise<unknown> =>
    link.askOf(key, (client) => client.hset(key, STATE, state));
  const setIfMissing = (key: string, state: string): Promise<unknown> =>
    link.askOf(key, (client) => client.hsetnx(key, STATE, state));

  /** Reads a mark, and writes beside it that we were here. */
  const visit = async (key: string): Promise<Mark> => {
    const now = clock();
    const [found] = await Promise.all([
      link.askOf(key, (client) => client.hgetall(key)),
      link.askOf(key, (client) => client.hset(key, self, String(now))),
    ]);
    const { [STATE]: state, [self]: before } = found;
    // Made after all beside it was lost, by whoever noticed first: to tell of the same loss again would undo what is being made anew since.
    const isTold = before === undefined && state !== undefined && state !== WHOLE && state !== seen.get(key);
    if (!isTold && (written.get(key) ?? 0) - Number(before ?? 0) > BACK_MS) back.add(key);
    written.set(key, now);
    seen.set(key, state);
    const gone = Object.entries(found).filter(
      ([name, at]) => name !== STATE && name !== self && now - Number(at) > FORGOTTEN_AFTER_MS,
    );
    if (gone.length > 0) await link.askOf(key, (client) => client.hdel(key, ...gone.map(([name]) => name)));
    return { key, state };
  };

  return {
    /** Looks at all marks, and sets those that are missing or no longer true. Answers with whether all is there. */
    check: async (): Promise<boolean> => {
      const found = await Promise.all(marks().map(visit));
      const missing = found.filter(({ state }) => state === undefined);
      // The first start of all: nothing stored, nothing lost.
      const isNew = !wasMarked && missing.length === found.length && !(await hasStored());
      for (const { key } of missing) await setIfMissing(key, isNew ? WHOLE : lostAnew());
      wasMarked = true;
      const wentBack = back.size > 0;
      for (const key of back) {
        await set(key, lostAnew());
        back.delete(key);
      }
      return isNew || (!wentBack && found.every(({ state }) => state === WHOLE));
    },
    /** Something that was screened will never be counted. */
    setLost: async (): Promise<void> => {
      for (const key of marks()) await set(key, lostAnew());
    },
    setWhole: async (): Promise<void> => {
      for (const key of marks()) await set(key, WHOLE);
    },
    /** What the marks say now, for whoever begins to make the histories anew: handed over again when that is done. */
    states: async (): Promise<ReadonlyMap<string, string>> => {
      const states = new Map<string, string>();
      for (const key of marks()) {
        await setIfMissing(key, lostAnew());
        states.set(key, (await link.askOf(key, (client) => client.hget(key, STATE))) ?? '');
      }
      return states;
    },
    /** All is there again, unless something was lost since. Answers with whether it is. */
    mend: async (states: ReadonlyMap<string, string>): Promise<boolean> => {
      let mended = 0;
      for (const [key, state] of states) mended += Number(await link.run('swap', [key], [STATE, state, WHOLE]));
      return mended === states.size;
    },
    /** Takes back what we wrote beside the marks. */
    leave: async (): Promise<void> => {
      for (const key of written.keys()) await link.askOf(key, (client) => client.hdel(key, self));
    },
  };
};
export type Marker = ReturnType<typeof makeMarker>;
