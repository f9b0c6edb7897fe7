import type { Link } from './redis-link.ts';
import type { Keys } from './redis-records.ts';

/**
 * Tells whether what Redis holds is all there was: a server that lost its data comes back empty, and everyone looks new to it. So each server
 * holds a mark that it is whole. Where that is missing although something was stored before, it says from then on that much is missing, to every
 * process, until the histories are made anew.
 */
const WHOLE = 'whole';
const LOST = 'lost';
/** A cluster keeps a key on one of its servers: so many are spread over all of them. */
const MARKS_IN_CLUSTER = 64;

export const makeMarker = (link: Link, keys: Keys, hasStored: () => Promise<boolean>) => {
  const marks = (): string[] =>
    Array.from({ length: link.isCluster() ? MARKS_IN_CLUSTER : 1 }, (_, i) => keys.marker(i));
  const read = (): Promise<(string | null)[]> =>
    Promise.all(marks().map((key) => link.ask((client) => client.get(key))));
  let wasMarked = false;
  return {
    /** Reads the marks, and sets those that are missing. Answers with whether all is there. */
    check: async (): Promise<boolean> => {
      const found = await read();
      const missing = marks().filter((_, i) => found[i] === null);
      if (missing.length > 0) {
        // The first start of all: nothing stored, nothing lost.
        const isNew = !wasMarked && missing.length === found.length && !(await hasStored());
        for (const key of missing) await link.ask((client) => client.set(key, isNew ? WHOLE : LOST, 'NX'));
        wasMarked = true;
        return isNew;
      }
      wasMarked = true;
      return found.every((mark) => mark === WHOLE);
    },
    /** What was screened while Redis was away was more than could be remembered. */
    setLost: async (): Promise<void> => {
      for (const key of marks()) await link.ask((client) => client.set(key, LOST));
    },
    setWhole: async (): Promise<void> => {
      for (const key of marks()) await link.ask((client) => client.set(key, WHOLE));
    },
  };
};
export type Marker = ReturnType<typeof makeMarker>;
