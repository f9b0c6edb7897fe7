import { makeRandom } from '@portcullis/engine';
import type { KnowledgeSource } from '../server/src/knowledge/knowledge.ts';
import { type Item, makeItemReader } from '../server/src/offline/item-reader.ts';
import { simulate } from '../server/src/simulate/simulate.ts';
import type { JudgingWorld } from './judging-worlds.ts';
import type { Serve } from './served.ts';
import { makeFigures, type ScoredFigures } from './worlds-figures.ts';

/** Percentages of items whose label the business reports. */
export const LABEL_PERCENTAGES = [0, 10, 50, 100] as const;
export type LabelPercentage = (typeof LABEL_PERCENTAGES)[number];
export const LABEL_DELAY_MS = 7 * 86_400_000;

export interface WorldResult {
  readonly name: string;
  readonly kind: string;
  readonly items: number;
  readonly frauds: number;
  readonly byLabels: Readonly<Record<LabelPercentage, ScoredFigures>>;
}

export type OnSignals = (world: string, active: readonly string[], label: 0 | 1) => void;

/**
 * Replays a world once for each percentage of labels. A label becomes known after a week. The labels of a smaller
 * percentage are part of those of a larger one.
 */
export const measureWorld = (
  { name, kind, options }: JudgingWorld,
  serve: Serve,
  knowledge: KnowledgeSource,
  onSignals: OnSignals = () => undefined,
  percentages: readonly LabelPercentage[] = LABEL_PERCENTAGES,
): WorldResult => {
  const read = makeItemReader({ warn: () => undefined, knowledge });
  const random = makeRandom(options.seed);
  const runs = percentages.map((percentage) => ({
    percentage,
    walk: serve.startWalk(LABEL_DELAY_MS),
    figures: makeFigures(),
  }));
  let items = 0;
  let frauds = 0;
  for (const simulated of simulate(options)) {
    const item = read({ line: ++items, fields: simulated });
    const label = item.label ?? 0;
    frauds += label;
    const luck = 100 * random();
    const unlabelled: Item = { ...item, label: undefined };
    for (const { percentage, walk, figures } of runs) {
      const known = luck < percentage ? item : unlabelled;
      const outcome = serve(known, walk.factsOf(known));
      figures.add(outcome, label);
      if (percentage === 100) onSignals(name, outcome.signals, label);
      walk.next(known);
    }
  }
  const byLabels = Object.fromEntries(runs.map(({ percentage, figures }) => [percentage, figures.result()]));
  return { name, kind, items, frauds, byLabels: byLabels as WorldResult['byLabels'] };
};
