import { type Model, makeRanking, rankMetrics } from '@portcullis/engine';
import type { KnowledgeSource } from '../server/src/knowledge/knowledge.ts';
import { makeWalk } from '../server/src/offline/history-walk.ts';
import { makeItemReader } from '../server/src/offline/item-reader.ts';
import { simulate } from '../server/src/simulate/simulate.ts';
import type { JudgingWorld } from './judging-worlds.ts';
import { LABEL_DELAY_MS } from './measure-world.ts';

/** How well one model ranks the items of one world. */
export interface Ranked {
  readonly ap: number;
  readonly recallAt1: number;
}
/** The frauds of one attack, and by model how many of them rank above all but 1 % of the legitimate items. */
export interface AttackCount {
  frauds: number;
  readonly found: number[];
}
export interface RankedWorld {
  readonly name: string;
  readonly kind: string;
  /** In the order of the models. */
  readonly ranked: readonly Ranked[];
  readonly attacks: ReadonlyMap<string, AttackCount>;
}

const FALSE_POSITIVES = 0.01;

/** The probability that all but 1 % of the legitimate items are below. */
const limitOf = (probabilities: Float64Array, labels: Int8Array): number => {
  const legitimate = probabilities.filter((_, i) => labels[i] === 0).sort();
  return legitimate[Math.floor(legitimate.length * (1 - FALSE_POSITIVES))] ?? 0;
};

/** Replays one world, with every label known after a week, and ranks its items by the probability of each model. */
export const rankWorld = (
  { name, kind, options }: JudgingWorld,
  models: readonly Model[],
  knowledge: KnowledgeSource,
): RankedWorld => {
  const read = makeItemReader({ warn: () => undefined, knowledge });
  const walk = makeWalk(LABEL_DELAY_MS);
  const rankings = models.map(makeRanking);
  const attackOf: (string | undefined)[] = [];
  for (const simulated of simulate(options)) {
    const item = read({ line: attackOf.length + 1, fields: simulated });
    const facts = walk.factsOf(item);
    models.forEach((model, i) => {
      rankings[i]?.add(model.score(facts, item.subject).probability, item.label ?? 0);
    });
    attackOf.push(simulated.attack);
    walk.next(item);
  }
  const attacks = new Map<string, AttackCount>();
  const ranked = rankings.map((ranking, model) => {
    const [probabilities, labels] = ranking.between(0, ranking.length());
    const limit = limitOf(probabilities, labels);
    attackOf.forEach((attack, i) => {
      if (attack === undefined) return;
      const count = attacks.get(attack) ?? { frauds: 0, found: models.map(() => 0) };
      attacks.set(attack, count);
      if (model === 0) count.frauds++;
      if ((probabilities[i] as number) > limit) count.found[model] = (count.found[model] as number) + 1;
    });
    const { averagePrecision, recallAt1 } = rankMetrics(probabilities, labels);
    return { ap: averagePrecision, recallAt1 };
  });
  return { name, kind, ranked, attacks };
};
