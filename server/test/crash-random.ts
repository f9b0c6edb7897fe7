/** The same numbers for the same seed, on every machine. */
export const makeRandom = (seed: number) => {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number): number => Math.floor(unit() * end);
  return {
    unit,
    /** A whole number from 0, less than `end`. */
    below,
    between: (from: number, to: number): number => from + below(to - from),
    chance: (probability: number): boolean => unit() < probability,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
  };
};
export type Random = ReturnType<typeof makeRandom>;
