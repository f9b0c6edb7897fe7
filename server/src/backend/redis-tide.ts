import type { Link } from './redis-link.ts';
import type { Keys } from './redis-records.ts';

/**
 * How far each process is certain that what it counted stays. To say so of every record at every entity would cost as much as counting it; one
 * number per process says the same: all it counted below that is stored, or was taken back. A record names its writer, so whoever reads a
 * tail knows which records may be folded for good.
 */
const MOST_WRITERS = 255;
/** Whose records are only settled one by one. */
export const NO_WRITER = 0;
const TELL_EVERY_MS = 20;
/** Numbers grow by so many in a millisecond. */
const PER_MS = 4096;
/** What is older than this stays, whoever wrote it: they are gone. */
const CERTAIN_AFTER = 10 * 60_000 * PER_MS;
const FORGOTTEN_AFTER = 24 * 3_600_000 * PER_MS;

/** A screening of which it is not certain yet whether it stays, and how many things are left to happen until it is. */
export interface Open {
  readonly seq: number;
  left: number;
}

export const makeTide = (link: Link, keys: Keys) => {
  let writer = NO_WRITER;
  let open: Open[] = [];
  let first = 0;
  let newest = 0;
  let levels = new Map<number, number>();
  let isTelling = false;
  let toldAt = Number.NEGATIVE_INFINITY;

  /** All of ours below it are certain. */
  const level = (): number => {
    while (first < open.length && (open[first] as Open).left <= 0) first++;
    if (first > 1000) {
      open = open.slice(first);
      first = 0;
    }
    return open[first]?.seq ?? newest + 1;
  };
  const read = (found: readonly unknown[]): void => {
    levels = new Map();
    for (let i = 0; i + 1 < found.length; i += 2) levels.set(Number(found[i]), Number(found[i + 1]));
    for (const [other, at] of levels)
      if (other !== writer && newest - at > FORGOTTEN_AFTER)
        link.ask((client) => client.hdel(keys.tide, String(other))).catch(() => {});
  };
  const tell = async (): Promise<void> => {
    isTelling = true;
    toldAt = performance.now();
    try {
      if (writer === NO_WRITER)
        writer = 1 + (Number(await link.ask((client) => client.incr(keys.writers))) % MOST_WRITERS);
      const [, found] = await Promise.all([
        link.ask((client) => client.hset(keys.tide, String(writer), String(level()))),
        link.ask((client) => client.call('HGETALL', keys.tide) as Promise<unknown>),
      ]);
      read(Array.isArray(found) ? found : Object.entries(found as object).flat());
    } catch {
      // Told again soon. Until then tails grow a little.
    } finally {
      isTelling = false;
    }
  };

  return {
    writer: (): number => writer,
    /** A screening is counted, in the order of their numbers; it has yet to be stored. */
    begin: (seq: number): Open => {
      const begun = { seq, left: 1 };
      newest = Math.max(newest, seq);
      open.push(begun);
      return begun;
    },
    isCertain: (of: number, seq: number): boolean =>
      (of !== NO_WRITER && seq < (of === writer ? level() : (levels.get(of) ?? 0))) || newest - seq > CERTAIN_AFTER,
    /** Tells others, and hears from them, now and then. */
    tell: (): void => {
      if (!isTelling && performance.now() - toldAt >= TELL_EVERY_MS && link.isHere()) void tell();
    },
    isTelling: (): boolean => isTelling,
    /** A number before the first is counted, where there is an answer. */
    start: tell,
  };
};
export type Tide = ReturnType<typeof makeTide>;
