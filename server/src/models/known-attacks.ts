import { type Model, rankMetrics } from '@portcullis/engine';
import { makeItemReader } from '../backtest/items.ts';
import { makeWalk } from '../backtest/walk.ts';
import { openKnowledge } from '../knowledge/knowledge.ts';
import { randomWorlds, simulate } from '../simulate/simulate.ts';
import type { KnownAttacks } from './gates.ts';

/** Worlds that the base model was not trained on, the same for every challenger. */
const SEED = 4242;
const WORLDS = 4;
const ITEMS_EACH = 1500;

/**
 * How much of the attacks that anybody may meet each model finds, by world: what is ordinary in one is not in another, so each has a threshold of its own.
 * It tells whether a challenger forgot what the base model knew.
 */
export const findKnownAttacks = (base: Model, challenger: Model): KnownAttacks => {
  const knowledge = openKnowledge({ ipDatabase: undefined, torExitList: undefined, proxyList: undefined }, () => {});
  const recalls = randomWorlds(SEED, WORLDS, ITEMS_EACH).map((world) => {
    const read = makeItemReader({ warn: () => undefined, knowledge });
    const walk = makeWalk(Number.POSITIVE_INFINITY);
    const [byBase, byChallenger, labels] = [[], [], []] as [number[], number[], number[]];
    let line = 0;
    for (const simulated of simulate(world)) {
      const item = read({ line: ++line, members: simulated });
      const facts = walk.factsOf(item);
      byBase.push(base.rate(facts, item.subject).probability);
      byChallenger.push(challenger.rate(facts, item.subject).probability);
      labels.push(item.label ?? 0);
      walk.next(item);
    }
    return [rankMetrics(byBase, labels).recallAt1, rankMetrics(byChallenger, labels).recallAt1] as const;
  });
  const mean = (of: 0 | 1): number => recalls.reduce((sum, pair) => sum + pair[of], 0) / recalls.length;
  return { base: mean(0), challenger: mean(1) };
};
