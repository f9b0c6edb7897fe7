import { judgingWorlds, type SimulateOptions } from '../server/src/simulate/simulate.ts';

/** A world to judge by. Its name stays the same from version to version, so that saved figures can be compared. */
export interface JudgingWorld {
  readonly name: string;
  readonly kind: string;
  readonly options: SimulateOptions;
}

const SEED = 7_310_455;

/** Worlds that no model was trained on: `count` of about `itemsEach` items, of all kinds of business in turn. */
export const worldsToJudge = (count: number, itemsEach: number): JudgingWorld[] =>
  judgingWorlds(SEED, count, itemsEach).map((options, i) => ({
    name: `${options.world}-${i + 1}`,
    kind: options.world,
    options,
  }));
