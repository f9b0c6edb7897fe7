import {
  copyEntity,
  copyProfile,
  entityCount,
  isOfUsersAlone,
  keyOf,
  kindIndex,
  kindOf,
  newEntityGroup,
  profileAt,
} from '@portcullis/engine';
import { Unavailable } from '../backend.ts';
import type { EntityIdentity } from '../counters.ts';
import { findEntity, type Histories, isThere, LOST, newGroupId } from './find-entity.ts';
import { addGroup, drop, indexOf, slotOf } from './history-cache.ts';
import { HAS_OWN_GROUP } from './own-groups.ts';

const isOneOf = (users: readonly EntityIdentity[], { kind, key, check }: EntityIdentity): boolean =>
  kind === kindIndex.user && users.some((user) => user.key === key && user.check === check);

/** Whether the history of an entity is to be deleted. */
const isAlone = (
  { cache }: Histories,
  entity: number,
  identity: EntityIdentity,
  users: readonly EntityIdentity[],
): boolean => {
  if (!isThere(entity)) return false;
  if (identity.kind === kindIndex.user) return isOneOf(users, identity);
  const block = cache.columns.block[slotOf(entity)] as number;
  const keys = users.map(({ key }) => key);
  return isOfUsersAlone(cache.arena, block, indexOf(entity), identity.kind, keys);
};

/**
 * Puts the other entities of a group into a new one, and drops the group. The new one has another id: that of the old one
 * may be the key of an entity that is to be forgotten. Returns the slot of the new group; undefined if it would be empty.
 */
const replaceGroup = (histories: Histories, slot: number, removed: ReadonlySet<number>): number | undefined => {
  const { cache, saver } = histories;
  const { arena, columns } = cache;
  const [old, tenant] = [columns.block[slot] as number, columns.tenant[slot] as number];
  const kept = Array.from({ length: entityCount(arena, old) }, (_, index) => index).filter(
    (index) => !removed.has(index),
  );
  let group = newEntityGroup(arena);
  for (const index of kept) group = copyEntity(arena, old, index, group);
  const keepsUser = kept.some((index) => kindOf(arena, old, index) === kindIndex.user);
  if (keepsUser && profileAt(arena, old) !== old) group = copyProfile(arena, old, group);
  // It is not saved any more, though it may be in the queue.
  columns.dirtySince[slot] = 0;
  drop(cache, slot);
  if (kept.length === 0) {
    arena.free(group);
    return undefined;
  }
  const key = keyOf(arena, group, 0);
  const id = newGroupId(histories, key);
  const seq = saver.newestSeq();
  const added = addGroup(cache, id, tenant, seq, group);
  cache.columns.indexed[added] = HAS_OWN_GROUP[kindOf(arena, group, 0)] && id === key ? 1 : 0;
  saver.markDirty(added, seq);
  return added;
};

/** Removes the entities from memory and from disk. Resolves when both are done. */
const removeEntities = (
  histories: Histories,
  tenant: number,
  found: readonly (readonly [entity: number, identity: EntityIdentity])[],
): Promise<void> => {
  const { cache, saver } = histories;
  const slots = new Map<number, Set<number>>();
  for (const [entity] of found)
    slots.set(slotOf(entity), (slots.get(slotOf(entity)) ?? new Set()).add(indexOf(entity)));
  const ids = [...slots.keys()].map((slot) => cache.columns.id[slot] as number);
  const replacements = [...slots].map(([slot, removed]) => replaceGroup(histories, slot, removed));
  const entities = found.map(([, { key, check }]) => [tenant, key, check] as const);
  return saver.forgotten.add(
    { ids, entities },
    replacements.filter((slot) => slot !== undefined),
  );
};

/** Saves what entities did after they were forgotten, once it is counted again. */
const saveLater = async (
  histories: Histories,
  tenant: number,
  identities: readonly EntityIdentity[],
): Promise<void> => {
  const { cache, saver, lost } = histories;
  await lost.whenRebuilt();
  await saver.whenFree();
  const found = identities.map(({ kind, key, check }) => findEntity(histories, tenant, kind, key, check));
  if (found.includes(LOST)) throw new Unavailable('a history is being rebuilt');
  // A group that is not dirty is saved, and may leave the cache.
  const isDirty = (slot: number): boolean => (cache.columns.dirtySince[slot] as number) > 0;
  const slots = new Set(found.filter(isThere).map(slotOf).filter(isDirty));
  if (slots.size > 0) await saver.forgotten.add({ ids: [], entities: [] }, [...slots]);
};

/** See `Counters.forget`. */
export const forgetEntities = async (
  histories: Histories,
  tenant: number,
  entities: readonly EntityIdentity[],
  users: readonly EntityIdentity[],
  after: number,
): Promise<boolean[]> => {
  const { saver, lost } = histories;
  await lost.whenRebuilt();
  await saver.whenFree();
  // No await from here on: a group that is packed or saved must not change.
  const found = entities.map((identity) => findEntity(histories, tenant, identity.kind, identity.key, identity.check));
  if (found.includes(LOST)) throw new Unavailable('a history is being rebuilt');
  const alone = found.map((entity, i) => isAlone(histories, entity, entities[i] as EntityIdentity, users));
  const removed = found.flatMap((entity, i) => (alone[i] ? [[entity, entities[i] as EntityIdentity] as const] : []));
  if (removed.length === 0) return alone;
  // The save that deletes the groups also says that what came after is missing: a process that ends before it is
  // counted again and saved must not lose it.
  const hasLater = saver.newestSeq() > after;
  if (hasLater) saver.holdBack(after);
  const done = removeEntities(histories, tenant, removed);
  if (hasLater) for (const [, { kind, key, check }] of removed) lost.add(tenant, kind, key, check, after);
  await done;
  if (hasLater) {
    await saveLater(
      histories,
      tenant,
      removed.map(([, identity]) => identity),
    );
    saver.release(after);
  }
  return alone;
};
