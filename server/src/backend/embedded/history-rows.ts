/**
 * Entity groups in a message to the housekeeper thread, one after the other in one buffer. Each is: id, tenant, check
 * of its first entity, 1 to replace a damaged row, number of words, number of entities that the index on disk does not
 * contain yet, key and check of each of those, and the group itself.
 *
 * This file imports nothing, so that the housekeeper thread does not load the engine.
 */
export interface GroupsToSave {
  readonly count: number;
  /** The last screening that the groups contain. */
  readonly through: number;
  /** The last screening up to which every group on disk is complete after this save. */
  readonly completeThrough: number;
  readonly words: Float64Array<ArrayBuffer>;
  readonly forget?: GroupsToForget | undefined;
}

/** Rows to delete before the groups are saved. */
export interface GroupsToForget {
  readonly ids: readonly number[];
  /** Entities to delete from the index. */
  readonly entities: readonly (readonly [tenant: number, key: number, check: number])[];
}
/** Words before the entities, and words of each. */
export const GROUP_HEAD = 6;
export const ENTITY_WORDS = 2;
const [ID, TENANT, OWNER, REPLACES, WORDS, ENTITIES] = [0, 1, 2, 3, 4, 5] as const;

/** `owner` is the check of the group's first entity. `replaces` says that its row on disk is damaged, so this group replaces it. */
export type SaveGroup = (id: number, tenant: number, owner: number, replaces: boolean, bytes: Uint8Array) => void;
export type SaveEntity = (tenant: number, key: number, check: number, id: number) => void;

const LOW_BITS = 2 ** 22;
/**
 * The order of the keys at these positions of `words`, as indexes of `positions`. An index takes the place of the lowest
 * bits of its key, so that sorting needs no comparator. Keys that differ only in those bits are on the same page anyway.
 */
const orderOf = (words: Float64Array, positions: readonly number[]): Float64Array => {
  const order = new Float64Array(positions.length);
  for (let i = 0; i < order.length; i++)
    order[i] = Math.floor((words[positions[i] as number] as number) / LOW_BITS) * LOW_BITS + i;
  order.sort();
  for (let i = 0; i < order.length; i++) {
    const sorted = order[i] as number;
    order[i] = sorted - Math.floor(sorted / LOW_BITS) * LOW_BITS;
  }
  return order;
};

/**
 * Calls `saveGroup` for each group and `saveEntity` for each entity that is new to the index, in the order of their
 * tables. Each page is then visited once, however small the page cache.
 */
export const unpackGroups = ({ count, words }: GroupsToSave, saveGroup: SaveGroup, saveEntity: SaveEntity): void => {
  // Positions in `words`, not objects: there are thousands. `groupsOfEntities` has the group of each of `entities`.
  const groups: number[] = [];
  const entities: number[] = [];
  const groupsOfEntities: number[] = [];
  const number = (at: number): number => words[at] as number;
  const bytesFrom = (group: number): number => group + GROUP_HEAD + ENTITY_WORDS * number(group + ENTITIES);
  let at = 0;
  for (let i = 0; i < count; i++) {
    groups.push(at);
    const end = bytesFrom(at);
    for (let entity = at + GROUP_HEAD; entity < end; entity += ENTITY_WORDS) {
      entities.push(entity);
      groupsOfEntities.push(at);
    }
    at = end + number(at + WORDS);
  }
  for (const i of orderOf(words, groups)) {
    const group = groups[i] as number;
    const bytes = new Uint8Array(words.buffer, bytesFrom(group) * 8, number(group + WORDS) * 8);
    saveGroup(number(group + ID), number(group + TENANT), number(group + OWNER), number(group + REPLACES) === 1, bytes);
  }
  for (const i of orderOf(words, entities)) {
    const entity = entities[i] as number;
    const group = groupsOfEntities[i] as number;
    saveEntity(number(group + TENANT), number(entity), number(entity + 1), number(group + ID));
  }
};
