import { addHistory, entityCount, keyOf, makeSlab, newShelf } from '@portcullis/engine';

/**
 * The shelves in memory, found by any entity on them; the least recently used leave when `maxBytes` is exceeded. A shelf is a
 * number, by which columns tell the rest, and an entity is the number of its shelf and its own on it: as objects, tens of
 * thousands of them that come and go keep the garbage collector busy. Number 0 is nothing.
 */

/** A shelf with more would make every write of its hot entity carry the cold ones along. */
export const SHELF_MAX_ENTITIES = 8;
const INDEX_BITS = 3;
const INDEX_MASK = SHELF_MAX_ENTITIES - 1;
export const shelfOf = (entity: number): number => entity >>> INDEX_BITS;
export const indexOf = (entity: number): number => entity & INDEX_MASK;

const FIRST_NUMBERS = 1024;
const numbers = () => new Uint32Array(FIRST_NUMBERS);
const doubles = () => new Float64Array(FIRST_NUMBERS);
/** What the columns and the index take for a shelf, about. */
const SHELF_BYTES = 100;
const RESERVE_BYTES = 64 * 1024 * 1024;
const WASTE_RATIO = 1.3;
const WASTE_WORDS = 2 ** 18;
/** More than there are ever shelves in memory. */
const NUMBERS = 2 ** 26;

export const makeShelves = (maxBytes: number) => {
  // Memory that is never touched is never taken, so far more than the limit costs nothing, and growing would mean copying it all.
  const slab = makeSlab(Math.ceil((4 * maxBytes + RESERVE_BYTES) / 8));
  const columns: Record<string, Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>> & Columns = {
    block: numbers(),
    id: doubles(),
    tenant: doubles(),
    through: doubles(),
    dirtySince: doubles(),
    flyingSince: doubles(),
    indexed: numbers(),
    older: numbers(),
    newer: numbers(),
  };
  let end = 1;
  let free = 0;
  let newest = 0;
  let oldest = 0;
  let count = 0;
  let entities = 0;

  const takeNumber = (): number => {
    if (free !== 0) {
      const taken = free;
      free = columns.older[taken] as number;
      return taken;
    }
    if (end === columns.id.length) {
      for (const [name, column] of Object.entries(columns)) {
        const larger = column instanceof Float64Array ? new Float64Array(2 * end) : new Uint32Array(2 * end);
        larger.set(column);
        columns[name] = larger;
      }
    }
    return end++;
  };

  /** Open addressing, at most half full. The keys stand beside the entities, so that passing others by does not mean visiting them. */
  let index = numbers();
  let indexKeys = doubles();
  // Keys are hashes: their low bits are as good a place as any.
  const homeOf = (key: number): number => key & (index.length - 1);
  const insert = (entity: number, key: number): void => {
    let at = homeOf(key);
    while (index[at] !== 0) at = (at + 1) & (index.length - 1);
    index[at] = entity;
    indexKeys[at] = key;
  };
  const addToIndex = (entity: number): void => {
    if (++entities * 2 > index.length) {
      const [before, keysBefore] = [index, indexKeys];
      index = new Uint32Array(before.length * 2);
      indexKeys = new Float64Array(before.length * 2);
      for (let i = 0; i < before.length; i++) if (before[i] !== 0) insert(before[i] as number, keysBefore[i] as number);
    }
    insert(entity, keyOf(slab, columns.block[shelfOf(entity)] as number, indexOf(entity)));
  };
  /** Moves later ones of the same run up, so that looking for them still finds no hole before them. */
  const removeFromIndex = (entity: number, key: number): void => {
    const mask = index.length - 1;
    let hole = homeOf(key);
    while (index[hole] !== entity) hole = (hole + 1) & mask;
    for (let at = (hole + 1) & mask; index[at] !== 0; at = (at + 1) & mask) {
      if (((at - homeOf(indexKeys[at] as number)) & mask) < ((at - hole) & mask)) continue;
      index[hole] = index[at] as number;
      indexKeys[hole] = indexKeys[at] as number;
      hole = at;
    }
    index[hole] = 0;
    entities--;
  };

  const unlink = (shelf: number): void => {
    const older = columns.older[shelf] as number;
    const newer = columns.newer[shelf] as number;
    if (newer === 0) newest = older;
    else columns.older[newer] = older;
    if (older === 0) oldest = newer;
    else columns.newer[older] = newer;
  };
  const linkNewest = (shelf: number): void => {
    columns.older[shelf] = newest;
    columns.newer[shelf] = 0;
    if (newest !== 0) columns.newer[newest] = shelf;
    newest = shelf;
    if (oldest === 0) oldest = shelf;
  };
  const touch = (shelf: number): void => {
    if (shelf === newest) return;
    unlink(shelf);
    linkNewest(shelf);
  };
  const drop = (shelf: number): void => {
    unlink(shelf);
    const block = columns.block[shelf] as number;
    for (let i = entityCount(slab, block) - 1; i >= 0; i--)
      removeFromIndex((shelf << INDEX_BITS) | i, keyOf(slab, block, i));
    slab.free(block);
    columns.older[shelf] = free;
    free = shelf;
    count--;
  };
  /** What is kept grows with time, so freed blocks of sizes that nobody asks for any more pile up between the others. */
  const compactIfWorthwhile = (): void => {
    if (slab.extent() < WASTE_RATIO * slab.used() + WASTE_WORDS) return;
    // Place and number in one, so that sorting needs no comparing function: 30,000 are to be moved within a few milliseconds.
    const order = new Float64Array(count);
    for (let shelf = newest, i = 0; shelf !== 0; shelf = columns.older[shelf] as number, i++) {
      order[i] = (columns.block[shelf] as number) * NUMBERS + shelf;
    }
    order.sort();
    const blocks = order.map((both) => Math.floor(both / NUMBERS));
    slab.compact(blocks);
    for (let i = 0; i < count; i++) columns.block[(order[i] as number) % NUMBERS] = blocks[i] as number;
  };
  const bytes = (): number => slab.used() * 8 + count * SHELF_BYTES;

  const add = (id: number, tenant: number, through: number, block: number): number => {
    const shelf = takeNumber();
    columns.block[shelf] = block;
    columns.id[shelf] = id;
    columns.tenant[shelf] = tenant;
    columns.through[shelf] = through;
    columns.dirtySince[shelf] = 0;
    columns.flyingSince[shelf] = 0;
    columns.indexed[shelf] = entityCount(slab, block);
    linkNewest(shelf);
    count++;
    for (let i = entityCount(slab, block) - 1; i >= 0; i--) addToIndex((shelf << INDEX_BITS) | i);
    return shelf;
  };

  return {
    columns: columns as Columns,
    slab,
    /** The entity of that key, if its shelf is in memory; else 0. */
    find: (tenant: number, key: number): number => {
      for (let at = homeOf(key); ; at = (at + 1) & (index.length - 1)) {
        const entity = index[at] as number;
        if (entity === 0) return 0;
        if (indexKeys[at] !== key || columns.tenant[shelfOf(entity)] !== tenant) continue;
        touch(shelfOf(entity));
        return entity;
      }
    },
    /** A shelf that came from disk, as a block of the slab. */
    add,
    addEmpty: (id: number, tenant: number): number => add(id, tenant, 0, newShelf(slab)),
    addEntity: (shelf: number, key: number, moment: number): number => {
      const block = addHistory(slab, columns.block[shelf] as number, key, moment);
      columns.block[shelf] = block;
      const entity = (shelf << INDEX_BITS) | (entityCount(slab, block) - 1);
      addToIndex(entity);
      return entity;
    },
    /** What is not on disk yet, or only on its way there, must stay: reading it back would lose counts. */
    evict: (): void => {
      for (let tries = 8; bytes() > maxBytes && oldest !== 0 && tries > 0; tries--) {
        if ((columns.dirtySince[oldest] as number) > 0 || (columns.flyingSince[oldest] as number) > 0) touch(oldest);
        else drop(oldest);
      }
      compactIfWorthwhile();
    },
    clear: (): void => {
      slab.clear();
      index.fill(0);
      end = 1;
      free = 0;
      newest = 0;
      oldest = 0;
      count = 0;
      entities = 0;
    },
    bytes,
    stats: () => ({ bytes: bytes(), shelves: count, entities }),
  };
};
export type Shelves = ReturnType<typeof makeShelves>;

interface Columns {
  /** Where it stands in the slab. */
  block: Uint32Array;
  id: Float64Array;
  tenant: Float64Array;
  /** The last screening that is in the row on disk. */
  through: Float64Array;
  /** The first screening that is not in the row on disk nor on its way there; 0 when all are. */
  dirtySince: Float64Array;
  /** While a write is under way: what `dirtySince` was; else 0. */
  flyingSince: Float64Array;
  /** How many of its entities the index on disk knows: the first ones. */
  indexed: Uint32Array;
  older: Uint32Array;
  newer: Uint32Array;
}
