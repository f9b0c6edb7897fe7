import { type Slab, sizeOf } from './slab.ts';

/**
 * A shelf: the histories of a few entities that come together, and the profile of the user if there is one, all in one block of a slab.
 * So they are read, saved and forgotten in one piece, and the bytes on disk are the bytes in memory.
 *
 * First the number of words taken (the other half is the slab's), the number of entities and where the profile begins; then
 * for each entity its key, and where its history begins and ends; then the histories in the same order; then the profile. All
 * places are counted from the beginning of the shelf. Whatever makes it larger answers with where it is then.
 */
const HEAD = 2;
const ENTRY = 2;
const FIRST_WORDS = 16;

const FROM = 2;
const END = 3;
const entry = (shelf: number, index: number): number => 2 * (shelf + HEAD + index * ENTRY);

export const shelfWords = ({ u32 }: Slab, shelf: number): number => u32[2 * shelf + 1] as number;
export const entityCount = ({ u32 }: Slab, shelf: number): number => u32[2 * shelf + 2] as number;
export const keyOf = ({ f64 }: Slab, shelf: number, index: number): number =>
  f64[shelf + HEAD + index * ENTRY] as number;
export const historyAt = ({ u32 }: Slab, shelf: number, index: number): number =>
  shelf + (u32[entry(shelf, index) + FROM] as number);
export const historyEnd = ({ u32 }: Slab, shelf: number, index: number): number =>
  shelf + (u32[entry(shelf, index) + END] as number);
/** Where the profile is; the place of the shelf itself when there is none. */
export const profileAt = ({ u32 }: Slab, shelf: number): number => shelf + (u32[2 * shelf + 3] as number);

export const newShelf = (slab: Slab): number => {
  const shelf = slab.allocate(FIRST_WORDS);
  slab.u32[2 * shelf + 1] = HEAD;
  slab.u32[2 * shelf + 2] = 0;
  slab.u32[2 * shelf + 3] = 0;
  return shelf;
};

/** Brings a shelf back from its bytes. */
export const readShelf = (slab: Slab, bytes: Uint8Array): number => {
  const words = bytes.length >>> 3;
  const shelf = slab.allocate(words);
  const size = sizeOf(slab, shelf);
  slab.bytes.set(bytes, shelf * 8);
  slab.u32[2 * shelf] = size;
  return shelf;
};

/** So many words more at the end. */
export const growEnd = (slab: Slab, shelf: number, words: number): number => {
  const taken = shelfWords(slab, shelf);
  if (taken + words <= sizeOf(slab, shelf)) {
    slab.u32[2 * shelf + 1] = taken + words;
    return shelf;
  }
  const moved = slab.allocate(taken + words);
  const { f64, u32 } = slab;
  f64.copyWithin(moved + 1, shelf + 1, shelf + taken);
  u32[2 * moved + 1] = taken + words;
  slab.free(shelf);
  return moved;
};

/** Tells those behind a change that they stand `words` further on. */
const shift = ({ u32 }: Slab, shelf: number, from: number, words: number): void => {
  const count = u32[2 * shelf + 2] as number;
  for (let i = from; i < count; i++) {
    const at = entry(shelf, i);
    u32[at + FROM] = (u32[at + FROM] as number) + words;
    u32[at + END] = (u32[at + END] as number) + words;
  }
  if (u32[2 * shelf + 3] !== 0) u32[2 * shelf + 3] = (u32[2 * shelf + 3] as number) + words;
};

/** Makes room for `words` words in the history of an entity, before the word that is `at` words from the beginning of the shelf. */
export const openGap = (slab: Slab, before: number, index: number, at: number, words: number): number => {
  const taken = shelfWords(slab, before);
  const shelf = growEnd(slab, before, words);
  slab.f64.copyWithin(shelf + at + words, shelf + at, shelf + taken);
  const { u32 } = slab;
  u32[entry(shelf, index) + END] = (u32[entry(shelf, index) + END] as number) + words;
  shift(slab, shelf, index + 1, words);
  return shelf;
};

/** Takes words out of the history of an entity. */
export const closeGap = (slab: Slab, shelf: number, index: number, at: number, words: number): void => {
  const { f64, u32 } = slab;
  f64.copyWithin(shelf + at, shelf + at + words, shelf + shelfWords(slab, shelf));
  u32[2 * shelf + 1] = shelfWords(slab, shelf) - words;
  u32[entry(shelf, index) + END] = (u32[entry(shelf, index) + END] as number) - words;
  shift(slab, shelf, index + 1, -words);
};

/** Adds an entity with so many words for its history, which are for the caller to fill. */
export const addEntity = (slab: Slab, before: number, key: number, words: number): number => {
  const taken = shelfWords(slab, before);
  const count = entityCount(slab, before);
  const shelf = growEnd(slab, before, ENTRY + words);
  const { f64, u32 } = slab;
  const profile = u32[2 * shelf + 3] as number;
  const end = profile === 0 ? taken : profile;
  f64.copyWithin(shelf + end + ENTRY + words, shelf + end, shelf + taken);
  f64.copyWithin(shelf + HEAD + (count + 1) * ENTRY, shelf + HEAD + count * ENTRY, shelf + end);
  shift(slab, shelf, 0, ENTRY);
  if (profile !== 0) u32[2 * shelf + 3] = profile + ENTRY + words;
  u32[2 * shelf + 2] = count + 1;
  f64[shelf + HEAD + count * ENTRY] = key;
  u32[entry(shelf, count) + FROM] = end + ENTRY;
  u32[entry(shelf, count) + END] = end + ENTRY + words;
  return shelf;
};

/** Makes a profile of so many words, which are for the caller to fill, behind everything else. */
export const addProfile = (slab: Slab, before: number, words: number): number => {
  const taken = shelfWords(slab, before);
  const shelf = growEnd(slab, before, words);
  slab.u32[2 * shelf + 3] = taken;
  return shelf;
};
