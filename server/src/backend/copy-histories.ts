import { DatabaseSync } from 'node:sqlite';
import {
  addEntity,
  addProfile,
  ENTITY_KINDS,
  entityCount,
  historyAt,
  historyEnd,
  keyOf,
  kindIndex,
  makeSlab,
  mayBeOf,
  newShelf,
  profileAt,
  readShelf,
  type Slab,
  shelfWords,
} from '@portcullis/engine';
import type { OnProgress } from './copy-records.ts';
import { Failed, Refused, type Source } from './copy-source.ts';
import { entityKey, STANDS_ALONE } from './counters-local.ts';
import { openLink } from './redis-link.ts';
import { makeMarker } from './redis-marker.ts';
import { baseOf, HEADER, makeKeys, RECORD_BYTES, throughBytes } from './redis-records.ts';
import { type StoredScreening, storedSubject } from './stored-history.ts';

/**
 * Histories and profiles from the shelves of the embedded store into Redis, as they are: the bytes of a history are the same in both. A shelf holds
 * those of several entities, and knows each by a key that its kind and hash went into. Which kind that was is told by the screenings that
 * are still stored, and else by what the history looks like. Where that leaves several, it is put under each: the others are names
 * that nobody has, and expire.
 */

/** What is put into Redis. `size` is that of a record behind it. */
interface Item {
  readonly key: string;
  readonly base: Buffer;
  readonly size: number;
}

const TOGETHER = 500;
const LIMIT_MS = 10_000;
const PROGRESS_EVERY = 1000;

const SCREENINGS =
  'SELECT seq, tenant, type, screened_at, request, verdict, facts_version, facts FROM screenings ORDER BY seq';

/** The kinds of all entities but users in the stored screenings, on disk where they are too many for memory. */
const readKinds = (source: Source, onProgress: OnProgress) => {
  const database = new DatabaseSync('');
  database.exec('CREATE TABLE kinds (tenant, key, kind, PRIMARY KEY (tenant, key)) WITHOUT ROWID; BEGIN');
  const insert = database.prepare('INSERT OR IGNORE INTO kinds (tenant, key, kind) VALUES (?, ?, ?)');
  const find = database.prepare('SELECT kind FROM kinds WHERE tenant = ? AND key = ?');
  const total = source.tables.find(({ name }) => name === 'screenings')?.rows ?? 0;
  let done = 0;
  for (const row of source.records.prepare(SCREENINGS).iterate() as Iterable<unknown> as Iterable<StoredScreening>) {
    const { hashes } = storedSubject(row).subject;
    for (let kind = kindIndex.user + 1; kind < ENTITY_KINDS.length; kind++)
      if (hashes[kind] !== 0) insert.run(row.tenant, entityKey(kind, hashes[kind] as number), kind);
    if (++done % PROGRESS_EVERY === 0) onProgress('reading screenings', done, total);
  }
  return {
    find: (tenant: number, key: number): number | undefined => find.get(tenant, key)?.kind as number | undefined,
    close: () => database.close(),
  };
};

/** Words copied within a slab, onto a shelf of their own. */
const historyAlone = (slab: Slab, shelf: number, index: number): Buffer => {
  const [from, end] = [historyAt(slab, shelf, index), historyEnd(slab, shelf, index)];
  const alone = addEntity(slab, newShelf(slab), 0, end - from);
  slab.f64.copyWithin(historyAt(slab, alone, 0), from, end);
  return baseOf(slab, alone);
};
const profileAlone = (slab: Slab, shelf: number): Buffer => {
  const [from, end] = [profileAt(slab, shelf), shelf + shelfWords(slab, shelf)];
  const alone = addProfile(slab, newShelf(slab), end - from);
  slab.f64.copyWithin(profileAt(slab, alone), from, end);
  return baseOf(slab, alone);
};

const KINDS = ENTITY_KINDS.map((_, kind) => kind);

export interface HistoriesOptions {
  readonly url: string;
  readonly prefix: string;
  readonly source: Source;
}

/** The part of a Redis to copy into: empty, or with an unfinished copy of the same store. */
export const openHistories = async ({ url, prefix, source }: HistoriesOptions) => {
  const keys = makeKeys(prefix);
  /** Whose copy is under way. */
  const mark = `${prefix}:copy`;
  let away: string | undefined;
  const options = {
    url,
    key: keys.marker(0),
    limitMs: LIMIT_MS,
    onAway: (reason: string): void => {
      away = reason;
    },
    onBack: (): void => {},
    onRefused: (): void => {},
  };
  const link = await openLink(options);
  const refuseUnlessEmpty = async (): Promise<void> => {
    if (away !== undefined) throw new Failed(`--redis: Redis does not answer: ${away}`);
    if ((await link.ask((client) => client.get(mark))) === source.id) return;
    for await (const found of link.scan(`${prefix}:*`))
      if (found.length > 0)
        throw new Refused(
          `Redis holds keys that begin with ${prefix}: already. Choose another prefix, with ?prefix=, or an empty Redis: nothing was changed.`,
        );
  };
  try {
    await refuseUnlessEmpty();
  } catch (error) {
    link.close();
    throw error;
  }

  const isIndexed = source.counters.prepare('SELECT 1 FROM entities WHERE tenant = ? AND key = ?');
  /** Those that share a user's shelf, or could have, are in the index, and only those. */
  const standsAlone = (tenant: number, key: number, index: number): boolean =>
    index === 0 && isIndexed.get(tenant, key) === undefined;

  const itemsOn = (
    slab: Slab,
    tenant: number,
    bytes: Uint8Array,
    kindOf: (tenant: number, key: number) => number | undefined,
  ): Item[] => {
    slab.clear();
    const shelf = readShelf(slab, bytes);
    const items: Item[] = [];
    for (let index = 0; index < entityCount(slab, shelf); index++) {
      const key = keyOf(slab, shelf, index);
      const alone = standsAlone(tenant, key, index);
      const fitting = KINDS.filter(
        (kind) => STANDS_ALONE[kind] === alone && mayBeOf(slab, historyAt(slab, shelf, index), kind),
      );
      const told = kindOf(tenant, key);
      const kinds = told !== undefined && fitting.includes(told) ? [told] : fitting;
      if (kinds.length === 0) throw new Failed('a history is none of any kind: counters.db is not whole');
      const base = historyAlone(slab, shelf, index);
      for (const kind of kinds)
        items.push({
          key: keys.history(tenant, kind, entityKey(kind, key)),
          base,
          size: RECORD_BYTES[kind] as number,
        });
    }
    if (profileAt(slab, shelf) !== shelf) {
      const user = entityKey(kindIndex.user, keyOf(slab, shelf, 0));
      items.push({ key: keys.profile(tenant, user), base: profileAlone(slab, shelf), size: 0 });
    }
    return items;
  };

  const through = throughBytes(source.newestSeq);
  /** And read again: what is acknowledged is not yet what was meant. */
  const put = async ({ key, base, size }: Item): Promise<void> => {
    const anew = keys.anew('copy', key);
    await link.ask((client) => client.set(anew, base));
    await link.run('restore', [key, anew], [through, String(size), '1']);
    const value = await link.ask((client) => client.getBuffer(key));
    if (value === null || !value.subarray(HEADER).equals(base))
      throw new Failed('a history in Redis is not what was copied there: is something else using this prefix?');
  };

  return {
    /** Answers with how many histories and profiles there are. */
    copy: async (onProgress: OnProgress): Promise<number> => {
      const slab = makeSlab(2 ** 14);
      const kinds = readKinds(source, onProgress);
      const total = Number(source.counters.prepare('SELECT COUNT(*) AS count FROM shelves').get()?.count);
      let copied = 0;
      let done = 0;
      let waiting: Item[] = [];
      const putAll = async (): Promise<void> => {
        await Promise.all(waiting.map(put));
        copied += waiting.length;
        waiting = [];
        onProgress('histories', done, total);
      };
      try {
        await link.ask((client) => client.set(mark, source.id));
        for (const row of source.counters.prepare('SELECT tenant, bytes FROM shelves').iterate()) {
          waiting.push(...itemsOn(slab, Number(row.tenant), row.bytes as Uint8Array, kinds.find));
          done++;
          if (waiting.length >= TOGETHER) await putAll();
        }
        await putAll();
      } finally {
        kinds.close();
      }
      return copied;
    },
    /** All is there: whoever reads it may rely on that. */
    finish: () => makeMarker(link, keys, async () => true).setWhole(),
    /** Last of all: until then the same copy may come again. */
    unmark: () => link.ask((client) => client.del(mark)),
    close: (): void => link.close(),
  };
};
