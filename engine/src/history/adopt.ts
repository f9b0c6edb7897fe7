import { kindIndex, RELATED_KINDS, type RelatedKind } from '../subject/entity.ts';
import { ACTIVITIES } from '../subject/subject.ts';
import type { Arena } from './arena.ts';
import { addEntity, addProfile, entityCount, historyAt, profileAt } from './entity-group.ts';
import { HISTORY_HEAD, LAST_AT, M2, MAXIMUM, MEAN, setRelatedCount, wordsFor } from './history-layout.ts';
import { formerPair } from './pair.ts';
import { isWholeProfile } from './profile.ts';
import { HASH_BITS, KIND_CODES, RELATED_MAX, RELATION_INDEXES, relatedStride, STORED_KINDS } from './related.ts';
import { CELL, isWholeCell } from './windows.ts';

/**
 * Takes over histories and profiles of layouts 2 and 3, whose words cannot be trusted. The head of a history had a word
 * less. A user and a related entity had only the seconds they were last and first seen together.
 */
const FORMER_HEAD = 7;
const formerStride = (kind: number): number => (kind === kindIndex.user ? 3 : 2);

const HASH_MASK = 2 ** HASH_BITS - 1;

/** The new ids of a related entity, by the index of its kind and its 28 bits. Two entities may have had one id. */
export type MapRelated = (relation: number, id: number) => readonly number[];

/** A related entity that a former history lacks, in the halves of this layout. */
export type AddedRelated = readonly number[];

const isAmount = (value: number): boolean => Number.isFinite(value) && value >= 0;

/** Whether the words can be the history of an entity of this kind. */
const isWholeHistory = (words: Float64Array, halves: Uint32Array, kind: number): boolean => {
  const related = halves[0] as number;
  const stride = formerStride(kind);
  const cells = FORMER_HEAD + wordsFor(related * stride);
  if (related > RELATED_MAX * RELATED_KINDS.length || cells > words.length || (words.length - cells) % CELL !== 0)
    return false;
  if (![LAST_AT, MEAN, M2, MAXIMUM].every((at) => isAmount(words[at] as number))) return false;
  const codes = (RELATION_INDEXES[kind] as readonly number[]).map((relation) => KIND_CODES[relation]);
  for (let i = 0; i < related; i++)
    if (!codes.includes((halves[2 * FORMER_HEAD + i * stride] as number) >>> HASH_BITS)) return false;
  for (let cell = cells; cell < words.length; cell += CELL)
    if (!isWholeCell(words, halves, cell, ACTIVITIES.length)) return false;
  return true;
};

/** The related entities of a former history in the halves of this layout, each once, by their new ids. */
const convertRelated = (from: Uint32Array, kind: number, mapRelated: MapRelated): Map<number, readonly number[]> => {
  const stride = formerStride(kind);
  const kept = new Map<number, readonly number[]>();
  for (let i = 0; i < (from[0] as number); i++) {
    const at = 2 * FORMER_HEAD + i * stride;
    const code = (from[at] as number) >>> HASH_BITS;
    const relation = RELATED_KINDS.indexOf(STORED_KINDS[code] as RelatedKind);
    for (const number of mapRelated(relation, (from[at] as number) & HASH_MASK)) {
      const id = ((code << HASH_BITS) | (number & HASH_MASK)) >>> 0;
      const [last, first] = [from[at + 1] as number, from[at + 2] as number];
      const before = kept.get(id) ?? [id, last, first];
      const seen = Math.max(last, before[1] as number);
      // Two former ids can be one entity now: it was first seen under the earlier one.
      kept.set(id, stride === 2 ? [id, seen] : [id, ...formerPair(seen, Math.min(first, before[2] as number))]);
    }
  }
  return kept;
};

/**
 * Adds an entity with the words of a former history to a group, its related entities under their new ids, and further
 * ones that it lacks. Returns the new position of the group; 0, and leaves the group as it is, if the words cannot be a
 * history of this kind.
 */
export const adoptHistory = (
  arena: Arena,
  before: number,
  kind: number,
  key: number,
  check: number,
  words: Float64Array,
  mapRelated: MapRelated,
  added: readonly AddedRelated[] = [],
): number => {
  const from = new Uint32Array(words.buffer, words.byteOffset, 2 * words.length);
  if (words.length < FORMER_HEAD || !isWholeHistory(words, from, kind)) return 0;
  const converted = convertRelated(from, kind, mapRelated);
  for (const related of added) if (!converted.has(related[0] as number)) converted.set(related[0] as number, related);
  const kept = [...converted.values()].flat();
  const formerCells = FORMER_HEAD + wordsFor((from[0] as number) * formerStride(kind));
  const cells = HISTORY_HEAD + wordsFor(kept.length);
  const group = addEntity(arena, before, kind, key, check, cells + words.length - formerCells);
  const at = historyAt(arena, group, entityCount(arena, group) - 1);
  arena.u32.fill(0, 2 * at, 2 * (at + cells));
  arena.u32.set(from.subarray(0, 2 * FORMER_HEAD), 2 * at);
  arena.u32.set(kept, 2 * (at + HISTORY_HEAD));
  arena.u32.set(from.subarray(2 * formerCells), 2 * (at + cells));
  setRelatedCount(arena, at, kept.length / relatedStride(kind));
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
