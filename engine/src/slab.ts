/**
 * Blocks of numbers in one large piece of memory, outside the garbage collector's sight. What is remembered of an entity is small,
 * changes all the time and exists a hundred thousand times over: as objects or lists it kept the collector busy for longer than the
 * fold itself took, and held twice the memory that was in use.
 *
 * Places and sizes are in words of eight bytes. `f64` and `u32` are views of the same bytes (the word `at` is `f64[at]`, and
 * `u32[2 * at]` with `u32[2 * at + 1]`), and are replaced when the slab grows: never keep one across an `allocate`. Two halves of a
 * word may look like a NaN, which may be replaced by another when it is copied as a number: copy words by `copyWithin` or `set`.
 * The first half of a block's first word is its size and belongs to the slab; all else belongs to its owner.
 */
export interface Slab {
  f64: Float64Array;
  u32: Uint32Array;
  bytes: Uint8Array;
  /** A block of at least so many words, and what stood there before. */
  allocate(words: number): number;
  free(at: number): void;
  /** Frees all there is. */
  clear(): void;
  /**
   * Moves blocks together, so that no room is lost between them: `blocks` are all that are in use, in the order they stand, and hold
   * where they are afterwards.
   */
  compact(blocks: Float64Array): void;
  /** Words in blocks that are allocated. */
  used(): number;
  /** Words up to the end of the last block that ever was. */
  extent(): number;
}

/** Sizes grow by a third or a half: few enough that a freed block is soon taken again, close enough that little is wasted. */
const SIZES: readonly number[] = [
  8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024, 1280, 1536,
  2048, 3072, 4096,
];
const LARGEST = SIZES.at(-1) as number;
/** By words, rounded up to fours: the index of the smallest size that holds them. */
const CLASS_OF = Uint8Array.from({ length: LARGEST / 4 + 1 }, (_, fours) =>
  SIZES.findIndex((size) => size >= fours * 4),
);

export const sizeOf = (slab: Slab, at: number): number => slab.u32[2 * at] as number;

export const makeSlab = (words: number): Slab => {
  /** First free block of each size, each pointing to the next; 0 for none. Word 0 is nobody's. */
  const freed = new Uint32Array(SIZES.length);
  let end = 1;
  let used = 0;
  const buffer = new ArrayBuffer(words * 8);

  const grow = (to: number): void => {
    const larger = new Float64Array(Math.max(to, slab.f64.length * 2));
    larger.set(slab.f64);
    slab.f64 = larger;
    slab.u32 = new Uint32Array(larger.buffer);
    slab.bytes = new Uint8Array(larger.buffer);
  };
  const slab: Slab = {
    f64: new Float64Array(buffer),
    u32: new Uint32Array(buffer),
    bytes: new Uint8Array(buffer),
    allocate: (wanted) => {
      if (wanted > LARGEST) throw new RangeError(`a block of ${wanted} words is larger than any`);
      const index = CLASS_OF[(wanted + 3) >>> 2] as number;
      const size = SIZES[index] as number;
      used += size;
      const at = freed[index] as number;
      if (at !== 0) {
        freed[index] = slab.u32[2 * at + 1] as number;
        return at;
      }
      if (end + size > slab.f64.length) grow(end + size);
      slab.u32[2 * end] = size;
      end += size;
      return end - size;
    },
    free: (at) => {
      const size = slab.u32[2 * at] as number;
      const index = CLASS_OF[size >>> 2] as number;
      used -= size;
      slab.u32[2 * at + 1] = freed[index] as number;
      freed[index] = at;
    },
    clear: () => {
      freed.fill(0);
      end = 1;
      used = 0;
    },
    compact: (blocks) => {
      freed.fill(0);
      end = 1;
      used = 0;
      for (let i = 0; i < blocks.length; i++) {
        const at = blocks[i] as number;
        const size = slab.u32[2 * at] as number;
        if (at !== end) slab.f64.copyWithin(end, at, at + size);
        blocks[i] = end;
        end += size;
        used += size;
      }
    },
    used: () => used,
    extent: () => end,
  };
  return slab;
};
