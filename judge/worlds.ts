import { estimateMean, type Model, makeSignalCounts, type SignalPrecision } from '@portcullis/engine';
import { worldsToJudge } from './judging-worlds.ts';
import { openShippedKnowledge } from './knowledge.ts';
import { LABEL_PERCENTAGES, measureWorld, type WorldResult } from './measure-world.ts';
import { showProgress } from './progress.ts';
import { asCount, asFinePercent, asFraction, asPercent, type Part, type Table, withInterval } from './report.ts';
import { makeServe } from './served.ts';
import type { ServedFacts } from './served-facts.ts';
import { FIGURE_COLUMNS, type Figures, type ScoredFigures } from './worlds-figures.ts';
import { requirementsOfWorlds } from './worlds-requirements.ts';

export interface WorldsOptions {
  readonly model: Model;
  readonly served: ServedFacts;
  readonly worlds: number;
  readonly itemsEach: number;
  /** Figures of an earlier version, saved with `--save`. */
  readonly baseline: readonly WorldResult[] | undefined;
}

const worldTable = (results: readonly WorldResult[], baseline: readonly WorldResult[] | undefined): Table => ({
  title: 'Judging worlds, served score, every label known after 7 days',
  head: ['world', 'items', 'fraud', ...FIGURE_COLUMNS.map(([title]) => title), 'AP of the model', 'AP before'],
  rows: results.map(({ name, items, frauds, byLabels }) => [
    name,
    asCount(items),
    asCount(frauds),
    ...FIGURE_COLUMNS.map(([, key, format]) => format(byLabels[100].served[key])),
    asFraction(byLabels[100].model.ap),
    (() => {
      const before = baseline?.find((world) => world.name === name);
      return before === undefined ? '-' : asFraction(before.byLabels[100].served.ap);
    })(),
  ]),
});

const meanRow = (name: string, all: readonly Figures[]): string[] => [
  name,
  ...FIGURE_COLUMNS.map(([, key, format]) => withInterval(estimateMean(all.map((figures) => figures[key])), format)),
];
const meanTable = (results: readonly WorldResult[], baseline: readonly WorldResult[] | undefined): Table => {
  const rows = LABEL_PERCENTAGES.flatMap((percentage) => {
    const at = (read: (figures: ScoredFigures) => Figures, from = results): Figures[] =>
      from.map(({ byLabels }) => read(byLabels[percentage]));
    return [
      meanRow(
        `served, ${percentage} % of labels`,
        at(({ served }) => served),
      ),
      meanRow(
        `model alone, ${percentage} % of labels`,
        at(({ model }) => model),
      ),
      ...(baseline === undefined
        ? []
        : [
            meanRow(
              `served before, ${percentage} % of labels`,
              at(({ served }) => served, baseline),
            ),
          ]),
    ];
  });
  return {
    title: `Means over ${results.length} worlds with 95 % intervals`,
    head: ['score', ...FIGURE_COLUMNS.map(([title]) => title)],
    rows,
  };
};

const kindTable = (results: readonly WorldResult[]): Table => ({
  title: 'Means by kind of business, served score, every label known after 7 days',
  head: ['kind', 'worlds', ...FIGURE_COLUMNS.map(([title]) => title)],
  rows: [...new Set(results.map(({ kind }) => kind))].map((kind) => {
    const of = results.filter((world) => world.kind === kind).map(({ byLabels }) => byLabels[100].served);
    const cells = FIGURE_COLUMNS.map(([, key, format]) =>
      format(estimateMean(of.map((figures) => figures[key])).value),
    );
    return [kind, String(of.length), ...cells];
  }),
});

const signalTable = (signals: readonly SignalPrecision[]): Table => ({
  title: 'Precision of each signal, all worlds together',
  head: ['signal', 'items', 'worlds', 'precision', 'share of all fraud'],
  rows: signals.map(({ signal, items, groups, precision, low, high, fraudShare }) => [
    signal,
    asCount(items),
    asCount(groups),
    withInterval({ value: precision, low, high }, asPercent),
    asFinePercent(fraudShare),
  ]),
});

/** A world of an earlier version is comparable only if it has the same items. */
const comparable = (results: readonly WorldResult[], baseline: readonly WorldResult[] | undefined) =>
  baseline?.filter(({ name, items, frauds }) =>
    results.some((world) => world.name === name && world.items === items && world.frauds === frauds),
  );

/** Ranking and decisions in simulated worlds that no model was trained on. */
export const judgeWorlds = ({ model, served, worlds, itemsEach, baseline }: WorldsOptions): Part => {
  const serve = makeServe(model, served);
  const knowledge = openShippedKnowledge();
  const signals = makeSignalCounts();
  const progress = showProgress('worlds', worlds);
  const results = worldsToJudge(worlds, itemsEach)
    .map((world, i) => {
      const result = measureWorld(world, serve, knowledge, signals.add);
      progress.at(i + 1);
      return result;
    })
    // Without fraud there is nothing to rank.
    .filter(({ frauds }) => frauds > 0);
  progress.end();
  served.end();
  const before = comparable(results, baseline);
  const precisions = signals.result();
  return {
    tables: [worldTable(results, before), kindTable(results), meanTable(results, before), signalTable(precisions)],
    requirements: requirementsOfWorlds(results, before),
    figures: { model: model.version, worlds: results, signals: precisions },
  };
};
