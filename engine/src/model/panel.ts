import { type ForestScorer, makeScorer } from './forest-scorer.ts';
import type { Forest } from './tree.ts';

/**
 * Forests beside the first one of a model. Most items look harmless to the first forest, and it scores them alone. Where its
 * log-odds reach `from`, the mean of all forests counts, but at least `from`: so a higher score of the first never lowers the result.
 * A mean errs less than each forest, and few items pay for it.
 */
export interface Others {
  /** Number of trees of the first forest. The trees after them correct the panel for an account, and always count. */
  readonly after: number;
  readonly from: number;
  readonly forests: Forest[];
}

/** Log-odds, and those of a row about which nothing is known. The contributions lead from one to the other. */
interface Explained {
  readonly logOdds: number;
  readonly baseline: number;
}
type ExplainBy = (scorer: ForestScorer, contributions: Float64Array) => Explained;

const add = (sums: Float64Array, more: Float64Array): void => {
  for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] as number) + (more[i] as number);
};
const scale = (values: Float64Array, factor: number): void => {
  for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) * factor;
};

const membersOf = (forest: Forest, { after, from, forests }: Others) => ({
  from,
  first: makeScorer({ base: forest.base, trees: forest.trees.slice(0, after) }),
  others: forests.map(makeScorer),
  corrections: makeScorer({ base: 0, trees: forest.trees.slice(after) }),
});
type Members = ReturnType<typeof membersOf>;

const explainTogether = (
  { from, first, others, corrections }: Members,
  contributions: Float64Array,
  explainBy: ExplainBy,
): Explained => {
  const own = new Float64Array(contributions.length);
  let { logOdds, baseline } = explainBy(first, contributions);
  if (logOdds >= from) {
    const alone = { logOdds, baseline };
    for (const other of others) {
      const explained = explainBy(other, own);
      logOdds += explained.logOdds;
      baseline += explained.baseline;
      add(contributions, own);
    }
    const share = 1 / (1 + others.length);
    logOdds *= share;
    baseline *= share;
    scale(contributions, share);
    if (logOdds < from) {
      // The others disagree, and `from` counts. The explanation that reaches as far is cut to it.
      if (from > alone.baseline) ({ logOdds, baseline } = explainBy(first, contributions));
      scale(contributions, (from - baseline) / (logOdds - baseline));
      logOdds = from;
    }
  }
  const corrected = explainBy(corrections, own);
  add(contributions, own);
  return { logOdds: logOdds + corrected.logOdds, baseline: baseline + corrected.baseline };
};

/** The scorer of a forest, or of a panel of which it is the first. */
export const makePanelScorer = (forest: Forest, panel: Others | undefined): ForestScorer => {
  if (panel === undefined) return makeScorer(forest);
  const members = membersOf(forest, panel);
  const { from, first, others, corrections } = members;
  const share = 1 / (1 + others.length);
  const isCorrected = forest.trees.length > panel.after;
  /** The log-odds of the panel, given those of its first forest. */
  const judge = (alone: number, values: Float64Array, at: number): number => {
    let logOdds = alone;
    if (alone >= from) {
      for (const other of others) logOdds += other.logOdds(values, at);
      logOdds = Math.max(from, logOdds * share);
    }
    return isCorrected ? logOdds + corrections.logOdds(values, at) : logOdds;
  };
  return {
    logOdds: (values, at = 0) => judge(first.logOdds(values, at), values, at),
    logOddsOfRows: (values, count, stride, sums) => {
      first.logOddsOfRows(values, count, stride, sums);
      for (let row = 0; row < count; row++) sums[row] = judge(sums[row] as number, values, row * stride);
    },
    explain: (values, contributions, at) =>
      explainTogether(members, contributions, (scorer, into) => ({
        logOdds: scorer.explain(values, into, at),
        baseline: scorer.baseline,
      })).logOdds,
    partly: (values, hidden, contributions) =>
      explainTogether(members, contributions, (scorer, into) => ({
        logOdds: scorer.partly(values, hidden, into),
        baseline: scorer.baseline,
      })).logOdds,
    shapley: (values, contributions) =>
      explainTogether(members, contributions, (scorer, into) => ({
        logOdds: scorer.logOdds(values),
        baseline: scorer.shapley(values, into),
      })).baseline,
    baseline: first.baseline + corrections.baseline,
  };
};

/** Largest difference between the baselines of the forests of a file, whose numbers are rounded. */
const ROUNDING = 1e-5;

/** The reason why a panel cannot be used. Explanations of all its forests must begin at the same value. */
export const panelError = (forest: Forest, panel: Others): string | undefined => {
  const { after } = panel;
  if (after > forest.trees.length) return `begin after ${after} of ${forest.trees.length} trees`;
  const { first, others } = membersOf(forest, panel);
  const far = others.findIndex(({ baseline }) => !(Math.abs(baseline - first.baseline) < ROUNDING));
  return far < 0 ? undefined : `have another baseline in forest ${far + 2} than in the first`;
};
