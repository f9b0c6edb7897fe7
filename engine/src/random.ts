/**
 * A generator of pseudo-random numbers from 0 up to 1. The same seed gives the same numbers everywhere, so training
 * and simulation are repeatable.
 */
export const makeRandom = (seed: number) => {
  let state = seed | 0;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
export type Random = ReturnType<typeof makeRandom>;
