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

/** A group to save. `owner` is the check of its first entity. */
export interface SavedGroup {
  readonly id: number;
  readonly tenant: number;
  readonly owner: number;
  /** The row on disk is damaged: whatever it says, this group replaces it. */
  readonly replaces: boolean;
  readonly bytes: Uint8Array;
}

/**
 * Calls `saveGroup` for each group and `saveEntity` for each entity that is new to the index, in the order of their
 * tables. Each page is then visited once, however small the page cache.
 */
export const unpackGroups = (
  { count, words }: GroupsToSave,
  saveGroup: (group: SavedGroup) => void,
  saveEntity: (tenant: number, key: number, check: number, id: number) => void,
): void => {
  // Positions in `words`, not objects: there are thousands. `groupOfEntity` maps the position of an entity to that of
  // its group.
  const groups: number[] = [];
  const entities: number[] = [];
  const groupOfEntity = new Map<number, number>();
  const number = (at: number): number => words[at] as number;
  const bytesFrom = (group: number): number => group + GROUP_HEAD + ENTITY_WORDS * number(group + ENTITIES);
  let at = 0;
  for (let i = 0; i < count; i++) {
    groups.push(at);
    for (let entity = at + GROUP_HEAD; entity < bytesFrom(at); entity += ENTITY_WORDS) {
      entities.push(entity);
      groupOfEntity.set(entity, at);
    }
    at = bytesFrom(at) + number(at + WORDS);
  }
  groups.sort((a, b) => number(a) - number(b));
  for (const group of groups)
    saveGroup({
      id: number(group + ID),
      tenant: number(group + TENANT),
      owner: number(group + OWNER),
      replaces: number(group + REPLACES) === 1,
      bytes: new Uint8Array(words.buffer, bytesFrom(group) * 8, number(group + WORDS) * 8),
    });
  entities.sort((a, b) => number(a) - number(b));
  for (const entity of entities) {
    const group = groupOfEntity.get(entity) as number;
    saveEntity(number(group + TENANT), number(entity), number(entity + 1), number(group + ID));
  }
};
