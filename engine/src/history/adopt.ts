import { RELATED_KINDS, type RelatedKind } from '../subject/entity.ts';
import { ACTIVITIES } from '../subject/subject.ts';
import type { Arena } from './arena.ts';
import { addEntity, addProfile, entityCount, historyAt, profileAt } from './entity-group.ts';
import {
  HASH_BITS,
  HISTORY_HEAD,
  KIND_CODES,
  LAST_AT,
  M2,
  MAXIMUM,
  MEAN,
  RELATED_MAX,
  RELATION_INDEXES,
  relatedStride,
  STORED_KINDS,
} from './history.ts';
import { isWholeProfile } from './profile.ts';
import { CELL, isWholeCell } from './windows.ts';

/** Takes over histories and profiles of an earlier layout, or from a damaged file, whose words cannot be trusted. */

const HASH_MASK = 2 ** HASH_BITS - 1;
const wordsFor = (halves: number): number => (halves + 1) >>> 1;

/** The new ids of a related entity, by the index of its kind and its 28 bits. Two entities may have had one id. */
export type MapRelated = (relation: number, id: number) => readonly number[];

const isAmount = (value: number): boolean => Number.isFinite(value) && value >= 0;

/** Whether the words can be the history of an entity of this kind. */
const isWholeHistory = (words: Float64Array, halves: Uint32Array, kind: number): boolean => {
  const related = halves[0] as number;
  const stride = relatedStride(kind);
  const cells = HISTORY_HEAD + wordsFor(related * stride);
  if (related > RELATED_MAX * RELATED_KINDS.length || cells > words.length || (words.length - cells) % CELL !== 0)
    return false;
  if (![LAST_AT, MEAN, M2, MAXIMUM].every((at) => isAmount(words[at] as number))) return false;
  const codes = (RELATION_INDEXES[kind] as readonly number[]).map((relation) => KIND_CODES[relation]);
  for (let i = 0; i < related; i++)
    if (!codes.includes((halves[2 * HISTORY_HEAD + i * stride] as number) >>> HASH_BITS)) return false;
  for (let cell = cells; cell < words.length; cell += CELL)
    if (!isWholeCell(words, halves, cell, ACTIVITIES.length)) return false;
  return true;
};

/**
 * Adds an entity with the words of a history to a group, its related entities under their new ids. Returns the new
 * position of the group; 0, and leaves the group as it is, if the words cannot be a history of this kind.
 */
export const adoptHistory = (
  arena: Arena,
  before: number,
  kind: number,
  key: number,
  check: number,
  words: Float64Array,
  mapRelated: MapRelated,
): number => {
  const from = new Uint32Array(words.buffer, words.byteOffset, 2 * words.length);
  if (words.length < HISTORY_HEAD || !isWholeHistory(words, from, kind)) return 0;
  const stride = relatedStride(kind);
  const kept: number[] = [];
  for (let i = 0; i < (from[0] as number); i++) {
    const at = 2 * HISTORY_HEAD + i * stride;
    const code = (from[at] as number) >>> HASH_BITS;
    const relation = RELATED_KINDS.indexOf(STORED_KINDS[code] as RelatedKind);
    for (const id of mapRelated(relation, (from[at] as number) & HASH_MASK))
      kept.push(((code << HASH_BITS) | (id & HASH_MASK)) >>> 0, ...from.subarray(at + 1, at + stride));
  }
  const related = kept.length / stride;
  const oldCells = HISTORY_HEAD + wordsFor((from[0] as number) * stride);
  const cells = HISTORY_HEAD + wordsFor(kept.length);
  const length = cells + words.length - oldCells;
  const group = addEntity(arena, before, kind, key, check, length);
  const at = historyAt(arena, group, entityCount(arena, group) - 1);
  arena.u32.set(from.subarray(0, 2 * HISTORY_HEAD), 2 * at);
  arena.u32.fill(0, 2 * (at + HISTORY_HEAD), 2 * (at + cells));
  arena.u32.set(kept, 2 * (at + HISTORY_HEAD));
  arena.u32.set(from.subarray(2 * oldCells), 2 * (at + cells));
  arena.u32[2 * at] = related;
  return group;
};

/** Adds the words of a profile to a group. Returns the new position of the group; 0 if they cannot be a profile. */
export const adoptProfile = (arena: Arena, before: number, words: Float64Array): number => {
  const halves = new Uint32Array(words.buffer, words.byteOffset, 2 * words.length);
  if (!isWholeProfile(words, halves)) return 0;
  const group = addProfile(arena, before, words.length);
  arena.u32.set(halves, 2 * profileAt(arena, group));
  return group;
};
