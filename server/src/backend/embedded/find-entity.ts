import {
  checkOf,
  ENTITY_KINDS,
  HISTORY_UNAVAILABLE,
  type HistoryLocations,
  keyOf,
  makeHistoryLocations,
  readEntityGroup,
  type Subject,
} from '@portcullis/engine';
import type { BloomFilter } from './bloom-filter.ts';
import type { GroupFinder } from './find-group.ts';
import { type GroupRow, isIntact } from './group-row.ts';
import { addGroup, findCached, type HistoryCache, indexOf, isGroupCached, slotOf } from './history-cache.ts';
import type { HistorySaver } from './history-saver.ts';
import type { LostHistories } from './lost-histories.ts';
import { HAS_OWN_GROUP } from './own-groups.ts';

export const KINDS = ENTITY_KINDS.length;

/** The histories of a process: a cache over the groups on disk. */
export interface Histories {
  readonly cache: HistoryCache;
  readonly saver: HistorySaver;
  readonly filter: BloomFilter;
  readonly finder: GroupFinder;
  readonly lost: LostHistories;
  readonly onDamaged: (row: GroupRow) => void;
  readonly onReadError: (error: unknown) => void;
  /** The entities of the current subject, by kind, and where their histories are. Reused for every subject. */
  readonly entities: Uint32Array;
  readonly locations: HistoryLocations;
  hits: number;
  misses: number;
}
export type HistoriesParts = Omit<Histories, 'entities' | 'locations' | 'hits' | 'misses'>;

export const makeHistories = (parts: HistoriesParts): Histories => ({
  ...parts,
  entities: new Uint32Array(KINDS),
  locations: makeHistoryLocations(),
  hits: 0,
  misses: 0,
});

/** Stands for an entity whose history is damaged and not rebuilt yet. */
export const LOST = 0xffff_ffff;
/** Whether there is a history: the entity is neither new nor lost. */
export const isThere = (entity: number): boolean => entity !== 0 && entity !== LOST;

/**
 * Adds a group in the arena to the cache and returns the entity in it; LOST when the group does not contain it. A group
 * that is in the cache already would contain it. Adding the group again would undo what it counted since.
 */
const addRead = (histories: Histories, row: GroupRow, group: number, key: number, check: number): number => {
  const { cache } = histories;
  const [id, tenant, through] = row;
  const { arena } = cache;
  if (findCached(cache, tenant, keyOf(arena, group, 0), checkOf(arena, group, 0)) !== 0) arena.free(group);
  else addGroup(cache, id, tenant, through, group);
  return findCached(cache, tenant, key, check) || LOST;
};

const readIndexed = (histories: Histories, tenant: number, key: number, check: number): number => {
  const row = histories.finder.indexed(tenant, key, check);
  if (row === undefined) return 0;
  // Null where the row of the group is gone.
  if (row[3] === null) return LOST;
  if (!isIntact(row)) histories.onDamaged(row);
  else if (row[1] === tenant)
    return addRead(histories, row, readEntityGroup(histories.cache.arena, row[3]), key, check);
  return LOST;
};

const readEntity = (histories: Histories, tenant: number, kind: number, key: number, check: number): number => {
  const own = HAS_OWN_GROUP[kind] ? histories.finder.byId(key) : undefined;
  if (own === undefined) return readIndexed(histories, tenant, key, check);
  if (!isIntact(own)) {
    // Whose row it was is not known. Only an entity that is in the index has another one.
    histories.onDamaged(own);
    return readIndexed(histories, tenant, key, check) || LOST;
  }
  const { arena } = histories.cache;
  const group = readEntityGroup(arena, own[3]);
  if (own[1] === tenant && keyOf(arena, group, 0) === key && checkOf(arena, group, 0) === check)
    return addRead(histories, own, group, key, check);
  arena.free(group);
  return readIndexed(histories, tenant, key, check);
};

const tryRead = (histories: Histories, ...identity: [tenant: number, kind: number, key: number, check: number]) => {
  try {
    return readEntity(histories, ...identity);
  } catch (error) {
    histories.onReadError(error);
    throw error;
  }
};

/**
 * Returns the entity with an identity, reading its group into the cache when needed; 0 when the entity is new, LOST
 * when its history is damaged.
 */
export const findEntity = (histories: Histories, tenant: number, kind: number, key: number, check: number): number => {
  const { cache, lost, saver } = histories;
  const cached = findCached(cache, tenant, key, check);
  if (cached !== 0) {
    histories.hits++;
    return cached;
  }
  histories.misses++;
  if (histories.filter.isNew(key)) return 0;
  if (lost.has(tenant, key, check)) return LOST;
  if (saver.forgotten.has(tenant, key, check)) return 0;
  const entity = tryRead(histories, tenant, kind, key, check);
  if (entity !== LOST) return entity;
  if (lost.isGone(tenant, key, check)) return 0;
  lost.add(tenant, kind, key, check);
  return LOST;
};

/** Finds every entity of the subject. The user comes first: the user's group usually contains most of the others. */
export const findEntities = (histories: Histories, tenant: number, { hashes, checks }: Subject): void => {
  const { entities, locations, cache } = histories;
  for (let kind = 0; kind < KINDS; kind++) {
    const key = hashes[kind] as number;
    entities[kind] = key === 0 ? 0 : findEntity(histories, tenant, kind, key, checks[kind] as number);
  }
  for (let kind = 0; kind < KINDS; kind++) {
    const entity = entities[kind] as number;
    if (entity === LOST) locations.group[kind] = HISTORY_UNAVAILABLE;
    else locations.group[kind] = entity === 0 ? 0 : (cache.columns.block[slotOf(entity)] as number);
    locations.index[kind] = indexOf(entity);
  }
};

/**
 * The id of a new group whose first entity has the key: the key itself, unless another group has that id. Then nobody
 * may be misled by it: the group gets a spare id, and the index on disk has all of its entities.
 */
export const newGroupId = ({ filter, cache, finder }: Histories, key: number): number =>
  filter.isNew(key) || !(isGroupCached(cache, key) || finder.hasId(key)) ? key : finder.spareId();
