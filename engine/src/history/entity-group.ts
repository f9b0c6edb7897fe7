import { type Arena, sizeOf } from './arena.ts';

/**
 * An entity group: the histories of a few entities that occur together, and the profile of the user if there is one,
 * in one block of an arena. They are read, saved and evicted together, and the bytes on disk are the bytes in memory.
 *
 * Layout: the number of words in use (beside the size, which is the arena's), the number of entities and the position
 * of the profile; then, for each entity, the key and the check of its identity, its kind with the start of its history,
 * and the end of it; then the histories in the same order; then the profile. Positions are relative to the start of the
 * group. A function that may enlarge the group returns its new position in the arena.
 */
const HEAD = 2;
const ENTRY = 3;
const FIRST_WORDS = 20;

/** Halves of an entry. The kind is in the highest bits of the first: a position needs far fewer. */
const FROM = 4;
const END = 5;
const KIND_SHIFT = 24;
const FROM_MASK = 2 ** KIND_SHIFT - 1;
const entry = (group: number, index: number): number => 2 * (group + HEAD + index * ENTRY);

export const entityGroupWords = ({ u32 }: Arena, group: number): number => u32[2 * group + 1] as number;
export const entityCount = ({ u32 }: Arena, group: number): number => u32[2 * group + 2] as number;
export const keyOf = ({ f64 }: Arena, group: number, index: number): number =>
  f64[group + HEAD + index * ENTRY] as number;
export const checkOf = ({ f64 }: Arena, group: number, index: number): number =>
  f64[group + HEAD + index * ENTRY + 1] as number;
export const kindOf = ({ u32 }: Arena, group: number, index: number): number =>
  (u32[entry(group, index) + FROM] as number) >>> KIND_SHIFT;
export const historyAt = ({ u32 }: Arena, group: number, index: number): number =>
  group + ((u32[entry(group, index) + FROM] as number) & FROM_MASK);
export const historyEnd = ({ u32 }: Arena, group: number, index: number): number =>
  group + (u32[entry(group, index) + END] as number);
/** The position of the profile; that of the group itself if it has none. */
export const profileAt = ({ u32 }: Arena, group: number): number => group + (u32[2 * group + 3] as number);

export const newEntityGroup = (arena: Arena): number => {
  const group = arena.allocate(FIRST_WORDS);
  arena.u32[2 * group + 1] = HEAD;
  arena.u32[2 * group + 2] = 0;
  arena.u32[2 * group + 3] = 0;
  return group;
};

/** Loads a group from its bytes. */
export const readEntityGroup = (arena: Arena, bytes: Uint8Array): number => {
  const words = bytes.length >>> 3;
  const group = arena.allocate(words);
  const size = sizeOf(arena, group);
  arena.bytes.set(bytes, group * 8);
  arena.u32[2 * group] = size;
  return group;
};

/** The key of the first entity in the bytes of a group. */
export const firstKeyIn = (bytes: Uint8Array): number =>
  new Float64Array(bytes.slice(8 * HEAD, 8 * (HEAD + 1)).buffer)[0] ?? Number.NaN;

/** Adds words at the end of a group. */
export const growEnd = (arena: Arena, group: number, words: number): number => {
  const taken = entityGroupWords(arena, group);
  if (taken + words <= sizeOf(arena, group)) {
    arena.u32[2 * group + 1] = taken + words;
    return group;
  }
  const moved = arena.allocate(taken + words);
  const { f64, u32 } = arena;
  f64.copyWithin(moved + 1, group + 1, group + taken);
  u32[2 * moved + 1] = taken + words;
  arena.free(group);
  return moved;
};

/** Moves the recorded positions of the histories from number `from` on, and of the profile, by `words`. */
const shift = ({ u32 }: Arena, group: number, from: number, words: number): void => {
  const count = u32[2 * group + 2] as number;
  for (let i = from; i < count; i++) {
    const at = entry(group, i);
    u32[at + FROM] = (u32[at + FROM] as number) + words;
    u32[at + END] = (u32[at + END] as number) + words;
  }
  if (u32[2 * group + 3] !== 0) u32[2 * group + 3] = (u32[2 * group + 3] as number) + words;
};

/** Inserts `words` words into the history of an entity, before position `at` of the group. */
export const openGap = (arena: Arena, before: number, index: number, at: number, words: number): number => {
  const taken = entityGroupWords(arena, before);
  const group = growEnd(arena, before, words);
  arena.f64.copyWithin(group + at + words, group + at, group + taken);
  const { u32 } = arena;
  u32[entry(group, index) + END] = (u32[entry(group, index) + END] as number) + words;
  shift(arena, group, index + 1, words);
  return group;
};

/** Removes words from the history of an entity. */
export const closeGap = (arena: Arena, group: number, index: number, at: number, words: number): void => {
  const { f64, u32 } = arena;
  f64.copyWithin(group + at, group + at + words, group + entityGroupWords(arena, group));
  u32[2 * group + 1] = entityGroupWords(arena, group) - words;
  u32[entry(group, index) + END] = (u32[entry(group, index) + END] as number) - words;
  shift(arena, group, index + 1, -words);
};

/** Adds an entity with a history of `words` words, which the caller must fill. */
export const addEntity = (
  arena: Arena,
  before: number,
  kind: number,
  key: number,
  check: number,
  words: number,
): number => {
  const taken = entityGroupWords(arena, before);
  const count = entityCount(arena, before);
  const group = growEnd(arena, before, ENTRY + words);
  const { f64, u32 } = arena;
  const profile = u32[2 * group + 3] as number;
  const end = profile === 0 ? taken : profile;
  f64.copyWithin(group + end + ENTRY + words, group + end, group + taken);
  f64.copyWithin(group + HEAD + (count + 1) * ENTRY, group + HEAD + count * ENTRY, group + end);
  shift(arena, group, 0, ENTRY);
  if (profile !== 0) u32[2 * group + 3] = profile + ENTRY + words;
  u32[2 * group + 2] = count + 1;
  f64[group + HEAD + count * ENTRY] = key;
  f64[group + HEAD + count * ENTRY + 1] = check;
  u32[entry(group, count) + FROM] = (end + ENTRY) | (kind << KIND_SHIFT);
  u32[entry(group, count) + END] = end + ENTRY + words;
  return group;
};

/** Adds a profile of `words` words at the end, which the caller must fill. */
export const addProfile = (arena: Arena, before: number, words: number): number => {
  const taken = entityGroupWords(arena, before);
  const group = growEnd(arena, before, words);
  arena.u32[2 * group + 3] = taken;
  return group;
};

/** Adds an entity of another group, with its history. Returns the new position of the group. */
export const copyEntity = (arena: Arena, from: number, index: number, before: number): number => {
  const start = historyAt(arena, from, index);
  const words = historyEnd(arena, from, index) - start;
  const kind = kindOf(arena, from, index);
  const group = addEntity(arena, before, kind, keyOf(arena, from, index), checkOf(arena, from, index), words);
  arena.f64.copyWithin(historyAt(arena, group, entityCount(arena, group) - 1), start, start + words);
  return group;
};

/** Adds the profile of another group, which must have one. Returns the new position of the group. */
export const copyProfile = (arena: Arena, from: number, before: number): number => {
  const start = profileAt(arena, from);
  const words = from + entityGroupWords(arena, from) - start;
  const group = addProfile(arena, before, words);
  arena.f64.copyWithin(profileAt(arena, group), start, start + words);
  return group;
};
