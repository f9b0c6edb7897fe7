import { makeRandom as makeUnit } from '@portcullis/engine';

/** The same numbers for the same seed, on every machine. */
export const makeRandom = (seed: number) => {
  const unit = makeUnit(seed);
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
