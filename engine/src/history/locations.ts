import { ENTITY_KINDS } from '../subject/entity.ts';

/** Stands for a group that could not be read. All facts of the entity are unknown then, even whether it is new. */
export const HISTORY_UNAVAILABLE = 0xffff_ffff;

/**
 * Where the histories of a subject's entities are, by kind: the group in the arena (0 for none) and the index in that
 * group.
 */
export interface HistoryLocations {
  readonly group: Uint32Array;
  readonly index: Uint32Array;
}
export const makeHistoryLocations = (): HistoryLocations => ({
  group: new Uint32Array(ENTITY_KINDS.length),
  index: new Uint32Array(ENTITY_KINDS.length),
});
