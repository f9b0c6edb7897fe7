import { type Model, rankMetrics } from '@portcullis/engine';
import { openKnowledge } from '../knowledge/knowledge.ts';
import { randomWorlds, simulate } from '../simulate/simulate.ts';
import { makeWalk } from './history-walk.ts';
import { makeItemReader } from './item-reader.ts';

/** The base model was not trained on the worlds of this seed. Every challenger is measured on the same ones. */
const SEED = 4242;
const WORLDS = 4;
const ITEMS_EACH = 1500;

/**
 * Recall of each model at a false positive rate of 1 %, averaged over simulated worlds. Each world has its own
 * threshold, because ordinary scores differ between worlds. The comparison shows whether a challenger forgot attacks
 * that the base model detects.
 */
export const measureKnownAttacks = (
  base: Model,
  challenger: Model,
): { readonly base: number; readonly challenger: number } => {
  const knowledge = openKnowledge({ ipDatabase: undefined, torExitList: undefined, proxyList: undefined }, () => {});
  const recalls = randomWorlds(SEED, WORLDS, ITEMS_EACH).map((world) => {
    const read = makeItemReader({ warn: () => undefined, knowledge });
    const walk = makeWalk(Number.POSITIVE_INFINITY);
    const [byBase, byChallenger, labels] = [[], [], []] as [number[], number[], number[]];
    let line = 0;
    for (const simulated of simulate(world)) {
      const item = read({ line: ++line, fields: simulated });
      const facts = walk.factsOf(item);
      byBase.push(base.score(facts, item.subject).probability);
      byChallenger.push(challenger.score(facts, item.subject).probability);
      labels.push(item.label ?? 0);
      walk.next(item);
    }
    return [rankMetrics(byBase, labels).recallAt1, rankMetrics(byChallenger, labels).recallAt1] as const;
  });
  const mean = (of: 0 | 1): number => recalls.reduce((sum, pair) => sum + pair[of], 0) / recalls.length;
  return { base: mean(0), challenger: mean(1) };
};
