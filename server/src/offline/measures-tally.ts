import {
  decisionFor,
  makeRanking,
  makeScoreFigures,
  makeSignalCounts,
  modelScoreFor,
  type Ranking,
  SCORES,
  type Thresholds,
} from '@portcullis/engine';
import type { ByDecision, ByLabel, TestedItem } from './measures-result.ts';

const DAY_MS = 86_400_000;
export const WEEK_MS = 7 * DAY_MS;
/** 1 January 1970 was a Thursday. */
export const FIRST_MONDAY_MS = 4 * DAY_MS;

export interface WeekTally {
  /** Weeks since the first Monday of 1970. */
  readonly number: number;
  /** Number of ranked items before the week. */
  readonly rankedFrom: number;
  items: number;
  frauds: number;
  scores: number;
  flagged: number;
  /** Number of items by score, in tens. */
  readonly bins: Uint32Array;
}

/**
 * Counts of tested items. Scores are whole numbers, so sums per score replace the items themselves, however many
 * there are.
 */
export interface Tally {
  readonly ranking: Ranking;
  /** Of labelled items. */
  readonly served: ReturnType<typeof makeScoreFigures>;
  readonly modelAlone: ReturnType<typeof makeScoreFigures>;
  readonly decisions: ByLabel<ByDecision>;
  readonly dollars: ByLabel<ByDecision>;
  readonly countAt: ByLabel<Uint32Array>;
  readonly dollarsAt: ByLabel<Float64Array>;
  /** By tenths of the probability. */
  readonly probabilities: readonly { items: number; frauds: number; sum: number }[];
  readonly signals: ReturnType<typeof makeSignalCounts>;
  readonly attacks: Map<string, { items: number; flagged: number; blocked: number }>;
  readonly weeks: WeekTally[];
  /** Number of items with an amount. */
  amounts: number;
}

const byDecision = (): ByDecision => ({ allow: 0, review: 0, block: 0 });
const byLabel = <T>(make: () => T): ByLabel<T> => ({ fraud: make(), legitimate: make(), unlabelled: make() });

export const makeTally = (): Tally => ({
  ranking: makeRanking(),
  served: makeScoreFigures(),
  modelAlone: makeScoreFigures(),
  decisions: byLabel(byDecision),
  dollars: byLabel(byDecision),
  countAt: byLabel(() => new Uint32Array(SCORES)),
  dollarsAt: byLabel(() => new Float64Array(SCORES)),
  probabilities: Array.from({ length: 10 }, () => ({ items: 0, frauds: 0, sum: 0 })),
  signals: makeSignalCounts(),
  attacks: new Map(),
  weeks: [],
  amounts: 0,
});

const getOrMake = <T>(tallies: Map<string, T>, name: string, make: () => T): T => {
  const known = tallies.get(name);
  if (known !== undefined) return known;
  const made = make();
  tallies.set(name, made);
  return made;
};

const countWeek = ({ weeks, ranking }: Tally, { at, score, label, decision }: TestedItem): void => {
  const number = Math.floor((at - FIRST_MONDAY_MS) / WEEK_MS);
  let week = weeks.at(-1);
  if (week?.number !== number) {
    const bins = new Uint32Array(10);
    week = { number, rankedFrom: ranking.length(), items: 0, frauds: 0, scores: 0, flagged: 0, bins };
    weeks.push(week);
  }
  week.items++;
  week.frauds += label ?? 0;
  week.scores += score;
  week.flagged += decision === 'allow' ? 0 : 1;
  (week.bins[Math.min(9, Math.floor(score / 10))] as number)++;
};

const countRanking = (tally: Tally, item: TestedItem, label: 0 | 1, thresholds: Thresholds): void => {
  const { ranking, probabilities, served, modelAlone } = tally;
  const { probability, score, decision, money } = item;
  const modelScore = modelScoreFor(probability);
  served.add(score, decision, label, money);
  modelAlone.add(modelScore, decisionFor(modelScore, thresholds), label, money);
  ranking.add(probability, label);
  const bin = probabilities[Math.min(9, Math.floor(probability * 10))] as (typeof probabilities)[number];
  bin.items++;
  bin.frauds += label;
  bin.sum += probability;
};

const countNames = ({ signals, attacks }: Tally, item: TestedItem): void => {
  const { at, label, attack, decision } = item;
  // Items of one attack often come on one day, and are not independent of each other.
  signals.add(Math.floor(at / DAY_MS), item.signals, label);
  if (attack === undefined) return;
  const tally = getOrMake(attacks, attack, () => ({ items: 0, flagged: 0, blocked: 0 }));
  tally.items++;
  if (decision !== 'allow') tally.flagged++;
  if (decision === 'block') tally.blocked++;
};

export const countItem = (tally: Tally, item: TestedItem, thresholds: Thresholds): void => {
  const { label, score, decision, dollars } = item;
  const kind = label === undefined ? 'unlabelled' : label === 1 ? 'fraud' : 'legitimate';
  tally.decisions[kind][decision]++;
  (tally.countAt[kind][score] as number)++;
  if (Number.isFinite(dollars)) {
    tally.amounts++;
    tally.dollars[kind][decision] += dollars;
    (tally.dollarsAt[kind][score] as number) += dollars;
  }
  // Counted before the ranking, because a new week stores the length of the ranking.
  countWeek(tally, item);
  if (label !== undefined) countRanking(tally, item, label, thresholds);
  countNames(tally, item);
};
