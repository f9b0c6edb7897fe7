import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  addToProfile,
  ENTITY_KINDS,
  type Facts,
  FIRST_AT,
  type History,
  hash48,
  kindIndex,
  measure,
  newHistory,
  observe,
  type Profile,
  type Subject,
  subjectOf,
  type Verdict,
} from '@portcullis/engine';
import type { Statement } from './backend.ts';
import { makeEntityFilter } from './entity-filter.ts';
import {
  type Entry,
  entityName,
  newShelf,
  profileOf,
  readShelf,
  SHELF,
  SHELF_MAX_ENTRIES,
  type Shelf,
  type ShelfRow,
  shelfBytes,
  writeShelf,
} from './shelf.ts';
import { makeShelfCache } from './shelf-cache.ts';
import { readFault } from './sqlite-open.ts';

const SAVE_SHELF = `INSERT INTO shelves (shelf, tenant, through, entities, histories, profile) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (shelf) DO UPDATE SET through = excluded.through, entities = excluded.entities,
  histories = excluded.histories, profile = excluded.profile`;
const SAVE_ENTITY = 'INSERT INTO entities (tenant, entity, shelf) VALUES (?, ?, ?)';
const SAVE_THROUGH = 'UPDATE counters_through SET seq = ? WHERE id = 1';
const OTHERS = ENTITY_KINDS.length - 1;
const FIND_SHELVES = `SELECT s.shelf, s.tenant, s.through, s.entities, s.histories, s.profile
  FROM entities e JOIN shelves s ON s.shelf = e.shelf WHERE e.tenant = ? AND e.entity`;
const LATER_SCREENINGS =
  'SELECT seq, tenant, type, screened_at, request, verdict FROM screenings WHERE seq > ? ORDER BY seq';

/**
 * How many screenings a shelf may be behind on disk. The screenings themselves are the log it is made good from after a
 * crash, so more means fewer writes of busy shelves and a longer start: 4,096 take about a quarter of a second.
 */
const MAX_SCREENINGS_BEHIND = 4096;
const IDLE_SHELVES = 256;

interface StoredScreening {
  readonly seq: number;
  readonly tenant: number;
  readonly type: Subject['type'];
  readonly screened_at: number;
  readonly request: string;
  readonly verdict: string;
}

const readRows = (statement: StatementSync, ...params: (number | string | null)[]): ShelfRow[] => {
  try {
    return statement.all(...params) as unknown as ShelfRow[];
  } catch (error) {
    throw readFault(error);
  }
};

/** Histories and profiles on one machine: a bounded cache over the shelves on disk, written back with later commits. */
export const makeLocalCounters = (database: DatabaseSync, maxCacheBytes: number) => {
  const cache = makeShelfCache(maxCacheBytes);
  const findShelf = database.prepare(`${FIND_SHELVES} = ?`);
  const findShelves = database.prepare(`${FIND_SHELVES} IN (${Array(OTHERS).fill('?').join(', ')})`);
  findShelf.setReturnArrays(true);
  findShelves.setReturnArrays(true);
  const laterScreenings = database.prepare(LATER_SCREENINGS);
  let seq = 0;
  let nextShelf = 1;
  let hits = 0;
  let misses = 0;
  /** Dirty shelves in the order they became so; the first `head` are gone already. */
  let dirty: Shelf[] = [];
  let head = 0;
  let flying: Shelf[] = [];

  const fromCache = (tenant: number, kind: number, value: string): Entry | undefined => {
    const entry = cache.get(tenant, kind, value);
    if (entry === undefined) misses++;
    else hits++;
    return entry;
  };
  const filter = makeEntityFilter(database);
  const addShelves = (rows: readonly ShelfRow[]): void => {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as ShelfRow;
      // Two entities of one shelf bring it twice; a second copy would count apart from the first.
      let first = 0;
      while ((rows[first] as ShelfRow)[SHELF] !== row[SHELF]) first++;
      if (first === i) cache.addShelf(readShelf(row));
    }
  };
  const findUser = (tenant: number, userId: string): Entry | undefined => {
    const cached = fromCache(tenant, kindIndex.user, userId);
    if (cached !== undefined || filter.neverSeen(tenant, kindIndex.user, hash48(userId))) return cached;
    const rows = readRows(findShelf, tenant, entityName(kindIndex.user, userId));
    if (rows.length === 0) return undefined;
    addShelves(rows);
    return cache.get(tenant, kindIndex.user, userId);
  };
  const sought = new Array<string | null>(OTHERS).fill(null);

  const openShelf = (tenant: number): Shelf => {
    const shelf = newShelf(nextShelf++, tenant);
    cache.addShelf(shelf);
    return shelf;
  };
  const markDirty = (shelf: Shelf, at: number): void => {
    if (shelf.dirtySince > 0) return;
    shelf.dirtySince = at;
    dirty.push(shelf);
  };

  const histories = new Array<History | undefined>(ENTITY_KINDS.length).fill(undefined);
  const entries = new Array<Entry | undefined>(ENTITY_KINDS.length).fill(undefined);

  /** The user first: their shelf usually brings the rest along. */
  const findAll = (tenant: number, subject: Subject): void => {
    entries[kindIndex.user] = findUser(tenant, subject.entities[kindIndex.user] as string);
    let missing = 0;
    for (let kind = kindIndex.user + 1; kind < entries.length; kind++) {
      const value = subject.entities[kind];
      entries[kind] = value === undefined ? undefined : fromCache(tenant, kind, value);
      if (value === undefined || entries[kind] !== undefined) continue;
      if (!filter.neverSeen(tenant, kind, subject.hashes[kind] as number)) sought[missing++] = entityName(kind, value);
    }
    if (missing > 0) {
      addShelves(readRows(findShelves, tenant, ...sought.fill(null, missing)));
      for (let kind = kindIndex.user + 1; kind < entries.length; kind++) {
        const value = subject.entities[kind];
        if (value !== undefined) entries[kind] ??= cache.get(tenant, kind, value);
      }
    }
    for (let kind = 0; kind < entries.length; kind++) histories[kind] = entries[kind]?.history;
  };
  /**
   * Gives each entity that was never seen a place: on the user's shelf while there is room, else on one of its own. A shelf that
   * already is past the screening would swallow it when the screening is folded in again.
   */
  const placeNew = (tenant: number, subject: Subject, at: number): void => {
    let shelf = entries[kindIndex.user]?.shelf;
    for (let kind = 0; kind < entries.length; kind++) {
      const value = subject.entities[kind];
      if (value === undefined || entries[kind] !== undefined) continue;
      const full = shelf === undefined || shelf.entries.length >= SHELF_MAX_ENTRIES || shelf.through >= at;
      if (shelf === undefined || full) shelf = openShelf(tenant);
      const entry: Entry = { kind, value, history: newHistory(subject.at), shelf };
      shelf.entries.push(entry);
      shelf.names = undefined;
      cache.addEntry(entry);
      filter.add(tenant, kind, subject.hashes[kind] as number);
      entries[kind] = entry;
      histories[kind] = entry.history;
    }
  };
  const userShelf = (): Shelf => (entries[kindIndex.user] as Entry).shelf;

  /** Folds a stored screening into what it is not in yet. */
  const redo = (row: StoredScreening): void => {
    const subject = subjectOf(row.type, JSON.parse(row.request), row.screened_at);
    findAll(row.tenant, subject);
    placeNew(row.tenant, subject, row.seq);
    const user = userShelf();
    if (user.through < row.seq) {
      const { score, decision, signals } = JSON.parse(row.verdict) as Verdict;
      addToProfile(profileOf(user, subject.at), subject, score, decision, signals);
    }
    for (let kind = 0; kind < entries.length; kind++) {
      const shelf = entries[kind]?.shelf;
      if (shelf === undefined) continue;
      if (shelf.through >= row.seq) histories[kind] = undefined;
      else markDirty(shelf, row.seq);
    }
    observe(subject, histories);
    seq = row.seq;
    cache.evict();
  };

  /** Starts from what is on disk: the shelves, and the screenings that came after them. */
  const recover = (): void => {
    cache.clear();
    dirty = [];
    head = 0;
    flying = [];
    seq = Number(database.prepare('SELECT seq FROM counters_through WHERE id = 1').get()?.seq ?? 0);
    nextShelf = Number(database.prepare('SELECT MAX(shelf) AS shelf FROM shelves').get()?.shelf ?? 0) + 1;
    for (const row of laterScreenings.iterate(seq)) redo(row as unknown as StoredScreening);
  };
  recover();

  const saveShelf = (shelf: Shelf, to: Statement[]): void => {
    const { entities, histories: bytes, profile } = writeShelf(shelf);
    shelf.through = seq;
    shelf.dirtySince = 0;
    shelf.flying = true;
    cache.resize(shelf, shelfBytes(shelf));
    to.push({ sql: SAVE_SHELF, params: [shelf.id, shelf.tenant, seq, entities, bytes, profile] });
    for (; shelf.indexed < shelf.entries.length; shelf.indexed++) {
      const { kind, value } = shelf.entries[shelf.indexed] as Entry;
      to.push({ sql: SAVE_ENTITY, params: [shelf.tenant, entityName(kind, value), shelf.id] });
    }
    flying.push(shelf);
  };

  return {
    /** Fills `facts` with what was known before the subject and counts the subject in. Answers with its number. */
    gather: (tenant: number, subject: Subject, facts: Facts): number => {
      findAll(tenant, subject);
      measure(subject, histories, facts);
      placeNew(tenant, subject, seq + 1);
      observe(subject, histories);
      seq++;
      for (const entry of entries) if (entry !== undefined) markDirty(entry.shelf, seq);
      // Only now: a shelf that is in use but not yet marked could be evicted, and what is counted on it lost.
      cache.evict();
      return seq;
    },
    /** Adds the verdict on the subject gathered last to its user's profile. */
    tell: (subject: Subject, verdict: Verdict): void => {
      addToProfile(profileOf(userShelf(), subject.at), subject, verdict.score, verdict.decision, verdict.signals);
    },
    user: (tenant: number, userId: string): { history: History; profile: Profile } | undefined => {
      const entry = findUser(tenant, userId);
      cache.evict();
      if (entry === undefined) return undefined;
      return { history: entry.history, profile: profileOf(entry.shelf, entry.history[FIRST_AT] as number) };
    },
    /**
     * Statements that bring the shelves on disk up to date, for the commit that also holds every screening gathered so far.
     * Those too far behind are saved; when `idle`, some of the others too.
     */
    save: (idle: boolean): Statement[] => {
      const statements: Statement[] = [];
      const from = head;
      for (; head < dirty.length; head++) {
        const shelf = dirty[head] as Shelf;
        if (shelf.dirtySince > seq - MAX_SCREENINGS_BEHIND && !(idle && head - from < IDLE_SHELVES)) break;
        saveShelf(shelf, statements);
      }
      if (head > 4096 || head === dirty.length) {
        dirty = dirty.slice(head);
        head = 0;
      }
      if (statements.length > 0)
        statements.push({ sql: SAVE_THROUGH, params: [(dirty[head]?.dirtySince ?? seq + 1) - 1] });
      return statements;
    },
    /** The statements of the last `save` are on disk. */
    saved: (): void => {
      for (const shelf of flying) shelf.flying = false;
      flying = [];
      cache.evict();
    },
    close: filter.close,
    hasUnsaved: (): boolean => head < dirty.length,
    recover,
    stats: () => ({ ...cache.size(), hits, misses, unsaved: dirty.length - head, seq }),
  };
};
export type LocalCounters = ReturnType<typeof makeLocalCounters>;
