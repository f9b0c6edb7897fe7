import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import {
  addToProfile,
  countedAs,
  ENTITY_KINDS,
  type EntityKind,
  entityCount,
  type Facts,
  hash53,
  kindIndex,
  makeFacts,
  makeFound,
  measure,
  measureEntity,
  newProfile,
  observe,
  observeLabel,
  type Profile,
  profileAt,
  readShelf,
  type Said,
  type Subject,
  TWO_32,
  tellProfile,
  unpackVerdict,
  type Verdict,
} from '@portcullis/engine';
import { Unavailable } from './backend.ts';
import type { Counters, Decided } from './counters.ts';
import { completeThrough, shelfId } from './counters-file.ts';
import { makeEntityFilter } from './entity-filter.ts';
import { makeShelfSaver } from './shelf-saver.ts';
import { indexOf, makeShelves, SHELF_MAX_ENTITIES, shelfOf } from './shelves.ts';
import { openDatabase, readFault } from './sqlite-open.ts';
import {
  makeHistoryReader,
  type StoredLabel,
  type StoredScreening,
  type StoredSubject,
  saidBy,
  storedSubject,
} from './stored-history.ts';

const KINDS = ENTITY_KINDS.length;
/** A shelf whose first entity has that key is found under a number made from it; others by way of the index. */
const FIND_OWN = 'SELECT shelf, through, bytes FROM shelves WHERE shelf = ? AND tenant = ?';
const FIND_SHARED = `SELECT s.shelf, s.through, s.bytes FROM entities e JOIN shelves s ON s.shelf = e.shelf
  WHERE e.tenant = ? AND e.key = ?`;

type ShelfRow = readonly [id: number, through: number, bytes: Uint8Array];
const readRow = (statement: StatementSync, ...params: number[]): ShelfRow | undefined => {
  try {
    return statement.get(...params) as unknown as ShelfRow | undefined;
  } catch (error) {
    throw readFault(error);
  }
};

/** The same name as another kind of entity is another entity. Of a key, it gives the hash back. */
const KEY_SALTS = Int32Array.from(ENTITY_KINDS, (_, kind) => Math.imul(kind + 1, 0x9e3779b1));
export const entityKey = (kind: number, hash: number): number =>
  Math.floor(hash / TWO_32) * TWO_32 + ((hash ^ (KEY_SALTS[kind] as number)) >>> 0);

const IDLE_MS = 300;
/** More than it takes to save everything; fewer than would keep a service that cannot save from ending. */
const CLOSING_SAVES = 1000;
/** What may wait to be saved however small the cache is. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** Users, and what many of them share: kept on a user's shelf, it would keep all that user has in memory. The rest is mostly one user's. */
const ALONE: readonly EntityKind[] = ['user', 'network', 'counterparty', 'asn', 'domain', 'likeness'];
export const STANDS_ALONE = ENTITY_KINDS.map((kind) => ALONE.includes(kind));

export interface CountersOptions {
  /** Where the screenings and labels are: what is not in the histories on disk is folded in again from them. */
  readonly records: DatabaseSync;
  readonly path: string;
  /** The thread that saves them. */
  readonly housekeeper: Worker;
  readonly maxCacheBytes: number;
  readonly onFault: (message: string) => void;
}

/** Histories and profiles on one machine: a bounded cache over the shelves on disk, saved some time after they changed. */
export const makeLocalCounters = ({ records, path, housekeeper, maxCacheBytes, onFault }: CountersOptions) => {
  const memory = makeShelves(maxCacheBytes);
  const { columns } = memory;
  const saver = makeShelfSaver(memory, housekeeper, onFault);
  const database = openDatabase(path, { readOnly: true, cacheKib: 4096 });
  const findOwn = database.prepare(FIND_OWN);
  const findShared = database.prepare(FIND_SHARED);
  findOwn.setReturnArrays(true);
  findShared.setReturnArrays(true);
  const redoAfter = makeHistoryReader(records);
  const filter = makeEntityFilter(database);
  // Reused from screening to screening: nothing of them is needed once the write has set out.
  const facts = makeFacts();
  let hits = 0;
  let misses = 0;

  /** The entity with its shelf brought into memory; 0 when it was never seen. */
  const find = (tenant: number, kind: number, key: number): number => {
    const known = memory.find(tenant, key);
    if (known !== 0) {
      hits++;
      return known;
    }
    misses++;
    if (filter.neverSeen(tenant, key)) return 0;
    const row = STANDS_ALONE[kind] ? readRow(findOwn, shelfId(tenant, key), tenant) : readRow(findShared, tenant, key);
    if (row === undefined) return 0;
    memory.add(row[0], tenant, row[1], readShelf(memory.slab, row[2]));
    return memory.find(tenant, key);
  };

  /** Of the subject at hand, by kind: its entities' keys and numbers, and where their histories are. */
  const keys = new Float64Array(KINDS);
  const entities = new Uint32Array(KINDS);
  const found = makeFound();

  /** The user comes first: their shelf usually brings most of the rest along. */
  const findAll = (tenant: number, subject: Subject): void => {
    for (let kind = 0; kind < KINDS; kind++) {
      const key = entityKey(kind, subject.hashes[kind] as number);
      keys[kind] = key;
      entities[kind] = subject.hashes[kind] === 0 ? 0 : find(tenant, kind, key);
    }
    for (let kind = 0; kind < KINDS; kind++) {
      const entity = entities[kind] as number;
      found.shelf[kind] = entity === 0 ? 0 : (columns.block[shelfOf(entity)] as number);
      found.index[kind] = indexOf(entity);
    }
  };
  /**
   * Gives each entity that was never seen a place: on the user's shelf while there is room, else on one of its own. A shelf that
   * already is past the screening would swallow it when the screening is folded in again.
   */
  const placeNew = (tenant: number, subject: Subject, seq: number): void => {
    for (let kind = 0; kind < KINDS; kind++) {
      if (subject.hashes[kind] === 0 || entities[kind] !== 0) continue;
      const key = keys[kind] as number;
      const user = shelfOf(entities[kindIndex.user] as number);
      const alone =
        STANDS_ALONE[kind] ||
        entityCount(memory.slab, columns.block[user] as number) === SHELF_MAX_ENTITIES ||
        (columns.through[user] as number) >= seq;
      const shelf = alone ? memory.addEmpty(shelfId(tenant, key), tenant) : user;
      entities[kind] = memory.addEntity(shelf, key, subject.at);
      // Found by its shelf's own number.
      if (STANDS_ALONE[kind]) columns.indexed[shelf] = 1;
      filter.add(tenant, key);
    }
  };
  /** Counts the subject in wherever it is not in yet. */
  const countIn = (subject: Subject, counted: number, seq: number): void => {
    const { slab } = memory;
    for (let kind = 0; kind < KINDS; kind++) {
      const entity = entities[kind] as number;
      if (entity === 0) continue;
      const shelf = shelfOf(entity);
      if ((columns.through[shelf] as number) >= seq) continue;
      columns.block[shelf] = observe(slab, columns.block[shelf] as number, indexOf(entity), kind, subject, counted);
      saver.markDirty(shelf, seq);
    }
  };
  const userShelf = (): number => shelfOf(entities[kindIndex.user] as number);
  const addVerdict = (subject: Subject, { score, decision, signals }: Verdict): void => {
    const { slab } = memory;
    const shelf = userShelf();
    let block = columns.block[shelf] as number;
    if (profileAt(slab, block) === block) block = newProfile(slab, block, subject.at);
    columns.block[shelf] = addToProfile(slab, block, subject, score, decision, signals);
  };

  const tellAll = (tenant: number, subject: Subject, said: Said, seq: number): void => {
    findAll(tenant, subject);
    for (let kind = 0; kind < KINDS; kind++) {
      const entity = entities[kind] as number;
      const shelf = shelfOf(entity);
      if (entity === 0 || (columns.through[shelf] as number) >= seq) continue;
      columns.block[shelf] = observeLabel(memory.slab, columns.block[shelf] as number, indexOf(entity), kind, said);
      saver.markDirty(shelf, seq);
    }
  };
  /** Counts in, as number `seq`, what is said of a screening, wherever it is not in yet. What only repeats what was said before changes nothing. */
  const label = (tenant: number, of: StoredSubject, said: Said | undefined, seq: number): void => {
    if (said !== undefined) tellAll(tenant, storedSubject(of).subject, said, seq);
    saver.counted(seq);
    memory.evict();
  };
  /** Only where all histories are made anew is a label so old that its screening is gone. */
  const redoLabel = (row: StoredLabel): void => {
    if (row.type === null) saver.counted(row.seq);
    else label(row.tenant, row, saidBy(row), row.seq);
  };

  /** Folds a stored screening into what it is not in yet. */
  const redo = (row: StoredScreening): void => {
    const { facts, subject } = storedSubject(row);
    findAll(row.tenant, subject);
    placeNew(row.tenant, subject, row.seq);
    if ((columns.through[userShelf()] as number) < row.seq) addVerdict(subject, unpackVerdict(row.verdict));
    countIn(subject, countedAs(subject, facts), row.seq);
    saver.counted(row.seq);
    memory.evict();
  };

  /** Starts from what is on disk: the shelves, and the screenings and labels that came after them. */
  const recover = (): void => {
    memory.clear();
    const through = completeThrough(database);
    saver.reset(through);
    redoAfter(through, redo, redoLabel);
    saver.recovered();
  };
  recover();

  let mustRecover = false;
  const recoverNow = (): void => {
    try {
      recover();
      mustRecover = false;
    } catch (error) {
      // Not even readable now. Nothing may be counted before it is, so it is tried again until it works.
      onFault(`the histories could not be read anew: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  // A save that is under way adds shelves that a reading now would not see, and make once more.
  const recoverSoon = (): Promise<void> => saver.landed().then(recoverNow);
  let seqBefore = saver.newestSeq();
  const idle = setInterval(() => {
    if (mustRecover) void recoverSoon();
    // In the pauses of steady traffic saving would take the disk from the next commit, and save the same shelves over and over.
    else if (saver.newestSeq() === seqBefore) saver.saveIdle();
    seqBefore = saver.newestSeq();
  }, IDLE_MS);
  idle.unref();

  return {
    count: <T extends Decided>(tenant: number, subject: Subject, seq: number, decide: (facts: Facts) => T): T => {
      findAll(tenant, subject);
      measure(memory.slab, found, subject, facts);
      placeNew(tenant, subject, seq);
      countIn(subject, countedAs(subject, facts), seq);
      saver.counted(seq);
      const decided = decide(facts);
      addVerdict(subject, decided.verdict);
      // Only now: what the subject is counted on must not leave before its verdict is there too.
      memory.evict();
      return decided;
    },
    /** Counted, then handed over, with no await between: the order of counting is the order of storing. */
    label: <T>(
      tenant: number,
      of: StoredSubject,
      said: Said | undefined,
      seq: number,
      write: () => Promise<T>,
    ): Promise<T> => {
      label(tenant, of, said, seq);
      return write();
    },
    user: (tenant: number, userId: string, now: number, facts: Facts): Profile | undefined => {
      if (mustRecover) throw new Unavailable('the histories are being read anew');
      const entity = find(tenant, kindIndex.user, entityKey(kindIndex.user, hash53(userId)));
      if (entity === 0) return undefined;
      const { slab } = memory;
      const block = columns.block[shelfOf(entity)] as number;
      measureEntity(slab, block, indexOf(entity), kindIndex.user, now, facts);
      const profile = tellProfile(slab, block);
      memory.evict();
      return profile;
    },
    /** A commit that holds every screening and label counted so far sets out. */
    committing: saver.committing,
    committed: saver.committed,
    /** A commit did not arrive. Memory already holds what was in it, so nothing may be gathered before it is read anew. */
    lost: (): Promise<void> => {
      mustRecover = true;
      return recoverSoon();
    },
    isReady: (): boolean => !mustRecover && saver.isAlive() && memory.bytes() < 2 * maxCacheBytes + SPARE_BYTES,
    newestSeq: saver.newestSeq,
    /** Leaves everything on disk that is durable. */
    close: async (): Promise<void> => {
      clearInterval(idle);
      filter.close();
      for (let tries = 0; !mustRecover && saver.isAlive() && saver.hasUnsaved() && tries < CLOSING_SAVES; tries++) {
        saver.saveIdle();
        await saver.landed();
      }
      await saver.close();
      database.close();
    },
    stats: () => ({ ...memory.stats(), hits, misses, unsaved: saver.unsaved() }),
  } satisfies Counters & Record<string, unknown>;
};
export type LocalCounters = ReturnType<typeof makeLocalCounters>;
