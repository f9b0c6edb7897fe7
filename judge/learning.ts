import type { ModelFile } from '@portcullis/contract';
import { DEFAULT_POLICY, decide, estimateMean, type Facts, makeModel } from '@portcullis/engine';
import type { KnowledgeSource } from '../server/src/knowledge/knowledge.ts';
import { trainChallenger } from '../server/src/models/train-challenger.ts';
import type { PastItems, TrainingItem } from '../server/src/models/training-items.ts';
import { makeWalk } from '../server/src/offline/history-walk.ts';
import { makeItemReader } from '../server/src/offline/item-reader.ts';
import { measureKnownAttacks } from '../server/src/offline/known-attacks.ts';
import { simulate } from '../server/src/simulate/simulate.ts';
import { type JudgingWorld, worldsToJudge } from './judging-worlds.ts';
import { openShippedKnowledge } from './knowledge.ts';
import { LABEL_DELAY_MS } from './measure-world.ts';
import { showProgress } from './progress.ts';
import { asCount, asFraction, atLeast, type Part, type Table, withInterval } from './report.ts';
import { FIGURE_COLUMNS, type Figures, makeFigures } from './worlds-figures.ts';

export interface LearningOptions {
  readonly base: ModelFile;
  readonly worlds: number;
  readonly itemsEach: number;
}

const DAY_MS = 86_400_000;
/** The service trains daily. A week between trainings is enough to see what labels are worth. */
const TRAINING_EVERY_MS = 7 * DAY_MS;
/** As long as the service needs to take an allowed item without a label for legitimate. */
const MATURITY_MS = 30 * DAY_MS;

interface LearningWorld {
  readonly name: string;
  readonly kind: string;
  readonly trainings: number;
  readonly promotions: number;
  /** By scorer: all items, and those from the middle of the history on. */
  readonly shipped: Figures;
  readonly learned: Figures;
  readonly shippedLater: Figures;
  readonly learnedLater: Figures;
}

/** Past items as the trainer reads them: a label only once it is known. */
export const pastItemsAt = (items: readonly TrainingItem[], now: number): PastItems => {
  async function* read(): AsyncGenerator<TrainingItem> {
    for (const item of items) {
      const isKnown = item.at + LABEL_DELAY_MS <= now;
      yield isKnown ? item : { ...item, label: undefined };
    }
  }
  return { summaries: read, items: read };
};

/**
 * Replays a world twice side by side: with the shipped model, and with the model that the account has learned by then. All
 * frauds are reported, and held legitimate items are approved, after a week each. Allowed legitimate items stay without a
 * label, as in life.
 */
const learnWorld = async (
  { name, kind, options }: JudgingWorld,
  base: ModelFile,
  knowledge: KnowledgeSource,
): Promise<LearningWorld> => {
  const read = makeItemReader({ warn: () => undefined, knowledge });
  const walk = makeWalk(LABEL_DELAY_MS);
  const shipped = { ...DEFAULT_POLICY, model: makeModel(base) };
  let champion = { file: base, until: 0 };
  let learned = shipped;
  const figures = {
    shipped: makeFigures(),
    learned: makeFigures(),
    shippedLater: makeFigures(),
    learnedLater: makeFigures(),
  };
  const items: TrainingItem[] = [];
  const middle = options.start + (options.days * DAY_MS) / 2;
  let [line, trainings, promotions] = [0, 0, 0];
  let nextTraining = options.start + 2 * TRAINING_EVERY_MS;
  const outcomeOf = (policy: typeof shipped, item: Parameters<typeof walk.factsOf>[0], facts: Facts) => {
    const { probability, points } = policy.model.score(facts, item.subject);
    const verdict = decide(policy, item.subject, facts);
    const modelScore = Math.round(points);
    return { ...verdict, probability, modelScore, modelDecision: verdict.decision };
  };
  for (const simulated of simulate(options)) {
    const item = read({ line: ++line, fields: simulated });
    const { at } = item.subject;
    if (at >= nextTraining) {
      nextTraining += TRAINING_EVERY_MS;
      const result = await trainChallenger(
        pastItemsAt(items, at),
        {
          base,
          champion: champion.file,
          championUntil: champion.until,
          policy: DEFAULT_POLICY,
          maturityMs: MATURITY_MS,
          now: at,
        },
        measureKnownAttacks,
        () => undefined,
      );
      if ('file' in result) {
        trainings++;
        if (result.report.gates.every(({ passed }) => passed)) {
          promotions++;
          champion = { file: result.file, until: result.learnedUntil };
          learned = { ...DEFAULT_POLICY, model: makeModel(result.file) };
        }
      }
    }
    const label = item.label ?? 0;
    const facts = walk.factsOf(item).slice();
    const [before, now] = [outcomeOf(shipped, item, facts), outcomeOf(learned, item, facts)];
    figures.shipped.add(before, label);
    figures.learned.add(now, label);
    if (at >= middle) {
      figures.shippedLater.add(before, label);
      figures.learnedLater.add(now, label);
    }
    const isReported = label === 1 || now.decision !== 'allow';
    const known = { ...item, label: isReported ? label : undefined };
    walk.next(known);
    items.push({
      at,
      score: now.score,
      decision: now.decision,
      probability: now.probability,
      label: isReported ? (label === 1 ? 'fraud' : 'legitimate') : undefined,
      isExpired: false,
      subject: { ...item.subject, knowledge: item.subject.knowledge.slice() },
      facts,
    });
  }
  const of = (key: keyof typeof figures): Figures => figures[key].result().served;
  return {
    name,
    kind,
    trainings,
    promotions,
    shipped: of('shipped'),
    learned: of('learned'),
    shippedLater: of('shippedLater'),
    learnedLater: of('learnedLater'),
  };
};

const ROWS = [
  ['shipped model', 'shipped'],
  ['model of the account', 'learned'],
  ['shipped model, second half', 'shippedLater'],
  ['model of the account, second half', 'learnedLater'],
] as const;

const meanTable = (results: readonly LearningWorld[]): Table => ({
  title: `Means over ${results.length} worlds with 95 % intervals, every fraud and every held item labelled after 7 days`,
  head: ['served with', ...FIGURE_COLUMNS.map(([title]) => title)],
  rows: ROWS.map(([title, of]) => [
    title,
    ...FIGURE_COLUMNS.map(([, key, format]) =>
      withInterval(estimateMean(results.map((world) => world[of][key])), format),
    ),
  ]),
});
const worldTable = (results: readonly LearningWorld[]): Table => ({
  title: 'Each world',
  head: ['world', 'trainings', 'promoted', 'AP, shipped', 'AP, account', 'second half: AP, shipped', 'AP, account'],
  rows: results.map(({ name, trainings, promotions, shipped, learned, shippedLater, learnedLater }) => [
    name,
    asCount(trainings),
    asCount(promotions),
    ...[shipped, learned, shippedLater, learnedLater].map(({ ap }) => asFraction(ap)),
  ]),
});

/** What the labels of an account are worth: its own model, trained weekly as in the service, beside the shipped one. */
export const judgeLearning = async ({ base, worlds, itemsEach }: LearningOptions): Promise<Part> => {
  const knowledge = openShippedKnowledge();
  const progress = showProgress('worlds', worlds);
  const results: LearningWorld[] = [];
  for (const world of worldsToJudge(worlds, itemsEach)) {
    results.push(await learnWorld(world, base, knowledge));
    progress.at(results.length);
  }
  progress.end();
  const mean = (of: (world: LearningWorld) => number): number => estimateMean(results.map(of)).value;
  return {
    tables: [worldTable(results), meanTable(results)],
    requirements: [
      atLeast(
        'change of mean served AP by the model of the account',
        mean(({ shipped, learned }) => learned.ap - shipped.ap),
        0,
        asFraction,
      ),
    ],
    figures: { worlds: results },
  };
};
