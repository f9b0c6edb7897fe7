import { entityCount, keyOf, shelfWords } from '@portcullis/engine';
import type { Shelves } from './shelves.ts';

/**
 * Shelves on their way to the thread that saves them, one after the other in one piece of memory: id, tenant, number of words, number
 * of entities that the index on disk does not know yet, their keys, and then the shelf itself.
 */
export interface ShelvesToSave {
  readonly count: number;
  /** The last screening that is in them. */
  readonly through: number;
  /** The last screening up to which every shelf on disk is complete once they are. */
  readonly completeThrough: number;
  readonly words: Float64Array<ArrayBuffer>;
}
const HEAD = 4;

/** Into `spare` where it is large enough: megabytes that come and go with every save would tear holes into memory. */
export const packShelves = (
  { columns, slab }: Shelves,
  shelves: readonly number[],
  spare: Float64Array<ArrayBuffer>,
): Float64Array<ArrayBuffer> => {
  const from = slab();
  let size = 0;
  for (const shelf of shelves) {
    const block = columns.block[shelf] as number;
    size += HEAD + shelfWords(from, block) + entityCount(from, block) - (columns.indexed[shelf] as number);
  }
  const words = size <= spare.length ? spare : new Float64Array(2 ** Math.ceil(Math.log2(size)));
  let at = 0;
  for (const shelf of shelves) {
    const block = columns.block[shelf] as number;
    const length = shelfWords(from, block);
    const count = entityCount(from, block);
    words[at++] = columns.id[shelf] as number;
    words[at++] = columns.tenant[shelf] as number;
    words[at++] = length;
    words[at++] = count - (columns.indexed[shelf] as number);
    for (let i = columns.indexed[shelf] as number; i < count; i++) words[at++] = keyOf(from, block, i);
    words.set(from.f64.subarray(block, block + length), at);
    at += length;
  }
  return words;
};

/** Calls `save` for each shelf in the order they were packed. */
export const unpackShelves = (
  { count, words }: ShelvesToSave,
  save: (shelf: number, tenant: number, bytes: Uint8Array, freshKeys: Float64Array) => void,
): void => {
  let at = 0;
  for (let i = 0; i < count; i++) {
    const length = words[at + 2] as number;
    const from = at + HEAD + (words[at + 3] as number);
    const bytes = new Uint8Array(words.buffer, from * 8, length * 8);
    save(words[at] as number, words[at + 1] as number, bytes, words.subarray(at + HEAD, from));
    at = from + length;
  }
};
