import {
  type Arena,
  addHistory,
  checkOf,
  entityCount,
  type HashIndex,
  keyOf,
  makeArena,
  makeHashIndex,
  newEntityGroup,
} from '@portcullis/engine';
import { randomSpread } from '../../runtime/random-spread.ts';

/**
 * A cache of entity groups, found by any entity in them. It evicts the least recently used groups beyond `maxBytes`.
 *
 * A group has a slot number, and its fields are columns indexed by slot. An entity is a number too: the slot of its
 * group and its index in it. Objects instead of numbers would keep the garbage collector busy. Number 0 means none.
 */
export interface HistoryCache {
  readonly maxBytes: number;
  readonly arena: Arena;
  readonly index: HashIndex;
  readonly columns: Columns;
  /** The first slot that was never used. */
  end: number;
  /** The first slot of the free list, which continues in `older`. */
  free: number;
  newest: number;
  oldest: number;
  count: number;
}

interface Columns {
  /** Address of the group in the arena. */
  block: Uint32Array;
  id: Float64Array;
  tenant: Float64Array;
  /** The last screening that the row on disk contains. */
  through: Float64Array;
  /** The first screening that is neither on disk nor being saved; 0 when there is none. */
  dirtySince: Float64Array;
  /** The value of `dirtySince` when the save in progress started; 0 when none is. */
  savingSince: Float64Array;
  /** How many entities of the group, from its first, the index on disk contains. */
  indexed: Uint32Array;
  older: Uint32Array;
  newer: Uint32Array;
}

/** In a larger group, each write of one busy entity would also write many idle ones. */
export const MAX_GROUP_ENTITIES = 8;
const INDEX_BITS = 3;
const INDEX_MASK = MAX_GROUP_ENTITIES - 1;
export const slotOf = (entity: number): number => entity >>> INDEX_BITS;
export const indexOf = (entity: number): number => entity & INDEX_MASK;

const FIRST_SLOTS = 1024;
const uint32Column = () => new Uint32Array(FIRST_SLOTS);
const float64Column = () => new Float64Array(FIRST_SLOTS);
/** Approximate size of a group in the columns and the index. */
const SLOT_BYTES = 100;
const WASTE_RATIO = 1.3;
const WASTE_WORDS = 2 ** 18;
/** More slots than the cache can ever have. */
const SLOT_LIMIT = 2 ** 26;
/** Bounds the work of an eviction. More than one screening adds, so that the cache always shrinks to its size. */
const EVICTION_TRIES = 8;

export const makeHistoryCache = (maxBytes: number): HistoryCache => ({
  maxBytes,
  // Untouched memory costs nothing, so the arena has room for eight times the limit: growing it would copy everything.
  arena: makeArena(maxBytes),
  index: makeHashIndex(randomSpread()),
  columns: {
    block: uint32Column(),
    id: float64Column(),
    tenant: float64Column(),
    through: float64Column(),
    dirtySince: float64Column(),
    savingSince: float64Column(),
    indexed: uint32Column(),
    older: uint32Column(),
    newer: uint32Column(),
  },
  end: 1,
  free: 0,
  newest: 0,
  oldest: 0,
  count: 0,
});

const takeSlot = (cache: HistoryCache): number => {
  const { columns, free, end } = cache;
  if (free !== 0) {
    cache.free = columns.older[free] as number;
    return free;
  }
  if (end === columns.id.length) {
    for (const [name, column] of Object.entries(columns)) {
      const larger = column instanceof Float64Array ? new Float64Array(2 * end) : new Uint32Array(2 * end);
      larger.set(column);
      (columns as unknown as Record<string, typeof larger>)[name] = larger;
    }
  }
  return cache.end++;
};

const addToIndex = ({ index, arena, columns }: HistoryCache, entity: number): void =>
  index.add(keyOf(arena, columns.block[slotOf(entity)] as number, indexOf(entity)), entity);

const removeFromIndex = ({ index }: HistoryCache, entity: number, key: number): void => {
  let place = index.find(key);
  while (index.valueAt(place) !== entity) place = index.next(place);
  index.removeAt(place);
};

const unlink = (cache: HistoryCache, slot: number): void => {
  const { columns } = cache;
  const older = columns.older[slot] as number;
  const newer = columns.newer[slot] as number;
  if (newer === 0) cache.newest = older;
  else columns.older[newer] = older;
  if (older === 0) cache.oldest = newer;
  else columns.newer[older] = newer;
};

const linkNewest = (cache: HistoryCache, slot: number): void => {
  const { columns, newest } = cache;
  columns.older[slot] = newest;
  columns.newer[slot] = 0;
  if (newest !== 0) columns.newer[newest] = slot;
  cache.newest = slot;
  if (cache.oldest === 0) cache.oldest = slot;
};

const touch = (cache: HistoryCache, slot: number): void => {
  if (slot === cache.newest) return;
  unlink(cache, slot);
  linkNewest(cache, slot);
};

export const drop = (cache: HistoryCache, slot: number): void => {
  const { arena, columns } = cache;
  unlink(cache, slot);
  const block = columns.block[slot] as number;
  for (let i = entityCount(arena, block) - 1; i >= 0; i--)
    removeFromIndex(cache, (slot << INDEX_BITS) | i, keyOf(arena, block, i));
  arena.free(block);
  columns.older[slot] = cache.free;
  cache.free = slot;
  cache.count--;
};

/** Groups grow with time, so freed blocks of sizes that no group needs any more pile up between the others. */
const compactIfWorthwhile = ({ arena, columns, count, newest }: HistoryCache): void => {
  if (arena.extent() < WASTE_RATIO * arena.used() + WASTE_WORDS) return;
  // Address and slot share one number, so that sorting needs no comparator: 30,000 groups move within a few
  // milliseconds.
  const order = new Float64Array(count);
  for (let slot = newest, i = 0; slot !== 0; slot = columns.older[slot] as number, i++) {
    order[i] = (columns.block[slot] as number) * SLOT_LIMIT + slot;
  }
  order.sort();
  const blocks = order.map((both) => Math.floor(both / SLOT_LIMIT));
  arena.compact(blocks);
  for (let i = 0; i < count; i++) columns.block[(order[i] as number) % SLOT_LIMIT] = blocks[i] as number;
};

export const cacheBytes = ({ arena, count }: HistoryCache): number => arena.used() * 8 + count * SLOT_BYTES;

/**
 * Returns the entity with the identity and marks its group as used; 0 when the group is not in the cache. A hit on the
 * key alone is not enough: another tenant, or a name with an equal key, would share the history.
 */
export const findCached = (cache: HistoryCache, tenant: number, key: number, check: number): number => {
  const { index, columns, arena } = cache;
  for (let place = index.find(key); place !== -1; place = index.next(place)) {
    const entity = index.valueAt(place);
    const slot = slotOf(entity);
    if (columns.tenant[slot] !== tenant || checkOf(arena, columns.block[slot] as number, indexOf(entity)) !== check)
      continue;
    touch(cache, slot);
    return entity;
  }
  return 0;
};

/** Whether the cache has a group with this id. The id is the key of an entity in it. */
export const isGroupCached = ({ index, columns }: HistoryCache, id: number): boolean => {
  for (let place = index.find(id); place !== -1; place = index.next(place))
    if (columns.id[slotOf(index.valueAt(place))] === id) return true;
  return false;
};

/** Adds a group that was read from disk into a block of the arena. Returns its slot. */
export const addGroup = (cache: HistoryCache, id: number, tenant: number, through: number, block: number): number => {
  const { arena, columns } = cache;
  const slot = takeSlot(cache);
  columns.block[slot] = block;
  columns.id[slot] = id;
  columns.tenant[slot] = tenant;
  columns.through[slot] = through;
  columns.dirtySince[slot] = 0;
  columns.savingSince[slot] = 0;
  columns.indexed[slot] = entityCount(arena, block);
  linkNewest(cache, slot);
  cache.count++;
  for (let i = entityCount(arena, block) - 1; i >= 0; i--) addToIndex(cache, (slot << INDEX_BITS) | i);
  return slot;
};

export const addEmptyGroup = (cache: HistoryCache, id: number, tenant: number): number =>
  addGroup(cache, id, tenant, 0, newEntityGroup(cache.arena));

/** Adds an entity with an empty history to a group. Returns the entity. */
export const addNewEntity = (
  cache: HistoryCache,
  slot: number,
  kind: number,
  key: number,
  check: number,
  moment: number,
): number => {
  const { arena, columns } = cache;
  const block = addHistory(arena, columns.block[slot] as number, kind, key, check, moment);
  columns.block[slot] = block;
  const entity = (slot << INDEX_BITS) | (entityCount(arena, block) - 1);
  addToIndex(cache, entity);
  return entity;
};

/**
 * Drops groups until the cache fits, after this many screenings. A group that is not on disk yet must stay: reading it
 * back would lose counts.
 */
export const evict = (cache: HistoryCache, screenings = 1): void => {
  const { columns } = cache;
  let tries = EVICTION_TRIES * screenings;
  for (; cacheBytes(cache) > cache.maxBytes && cache.oldest !== 0 && tries > 0; tries--) {
    const { oldest } = cache;
    if ((columns.dirtySince[oldest] as number) > 0 || (columns.savingSince[oldest] as number) > 0) touch(cache, oldest);
    else drop(cache, oldest);
  }
  compactIfWorthwhile(cache);
};

export const clearCache = (cache: HistoryCache): void => {
  cache.arena.clear();
  cache.index.clear();
  cache.end = 1;
  cache.free = 0;
  cache.newest = 0;
  cache.oldest = 0;
  cache.count = 0;
};

export const cacheStats = (cache: HistoryCache) => ({
  bytes: cacheBytes(cache),
  groups: cache.count,
  entities: cache.index.size(),
});
