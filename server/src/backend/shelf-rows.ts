/**
 * Imports nothing, for the thread that saves shelves should not have to hold all of the engine in memory.
 *
 * Shelves on their way to that thread, one after the other in one piece of memory: id, tenant, number of words, number
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
/** Words before the keys. */
export const SHELF_HEAD = 4;

/**
 * Calls `saveShelf` for each shelf and `saveEntity` for each entity that is new to the index, in the order of their tables: each page is
 * then visited once, however small the cache.
 */
export const unpackShelves = (
  { count, words }: ShelvesToSave,
  saveShelf: (shelf: number, tenant: number, bytes: Uint8Array) => void,
  saveEntity: (tenant: number, key: number, shelf: number) => void,
): void => {
  // Where each shelf begins, and where each key stands with where its shelf begins: numbers, for there are thousands.
  const shelves: number[] = [];
  const keys: number[] = [];
  const shelfOfKey = new Map<number, number>();
  let at = 0;
  for (let i = 0; i < count; i++) {
    shelves.push(at);
    const from = at + SHELF_HEAD + (words[at + 3] as number);
    for (let key = at + SHELF_HEAD; key < from; key++) {
      keys.push(key);
      shelfOfKey.set(key, at);
    }
    at = from + (words[at + 2] as number);
  }
  shelves.sort((a, b) => (words[a] as number) - (words[b] as number));
  for (const shelf of shelves) {
    const from = (shelf + SHELF_HEAD + (words[shelf + 3] as number)) * 8;
    const bytes = new Uint8Array(words.buffer, from, (words[shelf + 2] as number) * 8);
    saveShelf(words[shelf] as number, words[shelf + 1] as number, bytes);
  }
  keys.sort((a, b) => (words[a] as number) - (words[b] as number));
  for (const key of keys) {
    const shelf = shelfOfKey.get(key) as number;
    saveEntity(words[shelf + 1] as number, words[key] as number, words[shelf] as number);
  }
};
