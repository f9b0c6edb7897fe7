import { kindIndex } from '../subject/entity.ts';
import type { Arena } from './arena.ts';
import { historyAt } from './entity-group.ts';
import { RELATED_MAX, RELATION_INDEXES, relatedBits, relatedBitsOf } from './related.ts';

/**
 * Whether nobody but these users took part in what the history of an entity counts. A history that is full of users has
 * forgotten some, so it counts as shared. `keys` are the keys of the users' identities.
 */
export const isOfUsersAlone = (
  arena: Arena,
  group: number,
  index: number,
  kind: number,
  keys: Iterable<number>,
): boolean => {
  if (!(RELATION_INDEXES[kind] as readonly number[]).includes(kindIndex.user)) return false;
  const known = relatedBitsOf(arena, historyAt(arena, group, index), kind, kindIndex.user);
  const wanted = new Set(Array.from(keys, relatedBits));
  return known.length < RELATED_MAX && known.every((bits) => wanted.has(bits));
};
