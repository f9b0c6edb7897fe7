/**
 * An allocator of blocks of numbers in one large buffer, which the garbage collector does not scan. The history of an
 * entity is small, changes often and exists a hundred thousand times. As objects, histories took the collector longer
 * than the updates themselves, and held twice the memory in use.
 *
 * Positions and sizes are in words of eight bytes. `f64` and `u32` are views of the same bytes: the word `at` is
 * `f64[at]`, or `u32[2 * at]` and `u32[2 * at + 1]`. Both views are replaced when the arena grows, so never keep one
 * across an `allocate`. Copy words by `copyWithin` or `set`: two halves may look like a NaN, and copying a NaN as a
 * number may change its bits. The first half of a block's first word is its size and belongs to the arena; the rest
 * belongs to the owner of the block.
 */
export interface Arena {
  f64: Float64Array;
  u32: Uint32Array;
  bytes: Uint8Array;
  /** Returns a block of at least `words` words. Its content is undefined. */
  allocate(words: number): number;
  free(at: number): void;
  /** Frees all blocks. */
  clear(): void;
  /**
   * Moves blocks together, so that no space is lost between them. `blocks` has all blocks in use, in order, and
   * receives their new positions.
   */
  compact(blocks: Float64Array): void;
  /** Words in allocated blocks. */
  used(): number;
  /** Words up to the end of the last block, free ones included. */
  extent(): number;
}

/**
 * Block sizes grow by up to a half: few enough that free blocks are soon reused, and close enough that little space
 * is wasted. The largest holds any group: eight histories, each with every activity in every granule of all windows,
 * take 23,000 words.
 */
const SIZES: readonly number[] = [
  8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024, 1280, 1536,
  2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768,
];
const LARGEST = SIZES.at(-1) as number;
/** The index of the smallest sufficient size, by the number of words divided by four and rounded up. */
const CLASS_OF = Uint8Array.from({ length: LARGEST / 4 + 1 }, (_, fours) =>
  SIZES.findIndex((size) => size >= fours * 4),
);

export const sizeOf = (arena: Arena, at: number): number => arena.u32[2 * at] as number;

export const makeArena = (words: number): Arena => {
  /** The first free block of each size, or 0. Each free block points to the next. Word 0 is unused. */
  const freed = new Uint32Array(SIZES.length);
  let end = 1;
  let used = 0;
  const buffer = new ArrayBuffer(words * 8);

  const grow = (to: number): void => {
    const larger = new Float64Array(Math.max(to, arena.f64.length * 2));
    larger.set(arena.f64);
    arena.f64 = larger;
    arena.u32 = new Uint32Array(larger.buffer);
    arena.bytes = new Uint8Array(larger.buffer);
  };
  const arena: Arena = {
    f64: new Float64Array(buffer),
    u32: new Uint32Array(buffer),
    bytes: new Uint8Array(buffer),
    allocate: (wanted) => {
      if (wanted > LARGEST) throw new RangeError(`a block of ${wanted} words exceeds the largest size, ${LARGEST}`);
      const index = CLASS_OF[(wanted + 3) >>> 2] as number;
      const size = SIZES[index] as number;
      used += size;
      const at = freed[index] as number;
      if (at !== 0) {
        freed[index] = arena.u32[2 * at + 1] as number;
        return at;
      }
      if (end + size > arena.f64.length) grow(end + size);
      arena.u32[2 * end] = size;
      end += size;
      return end - size;
    },
    free: (at) => {
      const size = arena.u32[2 * at] as number;
      const index = CLASS_OF[size >>> 2] as number;
      used -= size;
      arena.u32[2 * at + 1] = freed[index] as number;
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
        const size = arena.u32[2 * at] as number;
        if (at !== end) arena.f64.copyWithin(end, at, at + size);
        blocks[i] = end;
        end += size;
        used += size;
      }
    },
    used: () => used,
    extent: () => end,
  };
  return arena;
};
