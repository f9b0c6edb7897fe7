import { curvesOf, makeRanking, ranked } from './measures-ranking.ts';
import type { BacktestResult, ByDecision, ByLabel, TestedItem, ThresholdRow, WeekRow } from './measures-result.ts';

export type { BacktestResult, TestedItem } from './measures-result.ts';

export interface Measures {
  add(item: TestedItem): void;
  tell(): BacktestResult;
}

const SCORES = 101;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** 1970 began on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const MOST_NAMES = 50;

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const cents = (dollars: number): number => Math.round(dollars * 100) / 100;
const byDecision = (): ByDecision => ({ allow: 0, review: 0, block: 0 });
const byLabel = <T>(make: () => T): ByLabel<T> => ({ fraud: make(), legitimate: make(), unlabelled: make() });

const tallyOf = <T>(tallies: Map<string, T>, name: string, make: () => T): T => {
  const known = tallies.get(name);
  if (known !== undefined) return known;
  const made = make();
  tallies.set(name, made);
  return made;
};

/** Half an item more in every bin, because the logarithm of an empty one would be infinite. */
const stabilityIndex = (before: Uint32Array, now: Uint32Array): number => {
  const sum = (bins: Uint32Array): number => bins.reduce((total, count) => total + count, bins.length / 2);
  const [all, allNow] = [sum(before), sum(now)];
  let index = 0;
  for (let bin = 0; bin < before.length; bin++) {
    const expected = ((before[bin] as number) + 0.5) / all;
    const actual = ((now[bin] as number) + 0.5) / allNow;
    index += (actual - expected) * Math.log(actual / expected);
  }
  return index;
};

/**
 * Counts what was decided. Nothing is kept per item but its probability and label, so a history of millions fits: scores are
 * whole numbers, hence sums per score are as good as the items themselves.
 */
export const makeMeasures = (inForce: { readonly review: number; readonly block: number }): Measures => {
  const ranking = makeRanking();
  const decisions = byLabel(byDecision);
  const dollars = byLabel(byDecision);
  const countAt = byLabel(() => new Uint32Array(SCORES));
  const dollarsAt = byLabel(() => new Float64Array(SCORES));
  const chances = Array.from({ length: 10 }, () => ({ items: 0, frauds: 0, sum: 0 }));
  const signals = new Map<string, { items: number; frauds: number; labelled: number }>();
  const attacks = new Map<string, { items: number; flagged: number; blocked: number }>();
  const weeks: ReturnType<typeof makeWeek>[] = [];
  let amounts = 0;

  const makeWeek = (number: number) => ({
    number,
    rankedFrom: ranking.length(),
    items: 0,
    frauds: 0,
    scores: 0,
    flagged: 0,
    bins: new Uint32Array(10),
  });

  const countWeek = ({ at, score, label }: TestedItem, flagged: number): void => {
    const number = Math.floor((at - FIRST_MONDAY_MS) / WEEK_MS);
    let week = weeks.at(-1);
    if (week?.number !== number) {
      week = makeWeek(number);
      weeks.push(week);
    }
    week.items++;
    week.frauds += label ?? 0;
    week.scores += score;
    week.flagged += flagged;
    (week.bins[Math.min(9, Math.floor(score / 10))] as number)++;
  };

  const countRanking = ({ probability }: TestedItem, label: 0 | 1): void => {
    ranking.add(probability, label);
    const bin = chances[Math.min(9, Math.floor(probability * 10))] as (typeof chances)[number];
    bin.items++;
    bin.frauds += label;
    bin.sum += probability;
  };

  const countNames = ({ label, attack, signals: active, decision }: TestedItem): void => {
    for (const name of active) {
      const tally = tallyOf(signals, name, () => ({ items: 0, frauds: 0, labelled: 0 }));
      tally.items++;
      tally.frauds += label ?? 0;
      if (label !== undefined) tally.labelled++;
    }
    if (attack === undefined) return;
    const tally = tallyOf(attacks, attack, () => ({ items: 0, flagged: 0, blocked: 0 }));
    tally.items++;
    if (decision !== 'allow') tally.flagged++;
    if (decision === 'block') tally.blocked++;
  };

  const add = (item: TestedItem): void => {
    const { label, score, decision } = item;
    const kind = label === undefined ? 'unlabelled' : label === 1 ? 'fraud' : 'legitimate';
    decisions[kind][decision]++;
    (countAt[kind][score] as number)++;
    if (Number.isFinite(item.dollars)) {
      amounts++;
      dollars[kind][decision] += item.dollars;
      (dollarsAt[kind][score] as number) += item.dollars;
    }
    // The week notes where in the ranking it begins, so it comes first.
    countWeek(item, decision === 'allow' ? 0 : 1);
    if (label !== undefined) countRanking(item, label);
    countNames(item);
  };

  const tellThreshold = (score: number, { fraud: frauds, legitimate: legitimates }: ByLabel<number>): ThresholdRow => {
    const from = (sums: Uint32Array | Float64Array): number => {
      let sum = 0;
      for (let at = score; at < SCORES; at++) sum += sums[at] as number;
      return sum;
    };
    const below = (sums: Float64Array): number => sums.subarray(0, score).reduce((sum, at) => sum + at, 0);
    const [caught, wrong] = [from(countAt.fraud), from(countAt.legitimate)];
    const money = (sum: number): number | null => (amounts === 0 ? null : cents(sum));
    return {
      score,
      items_flagged: caught + wrong + from(countAt.unlabelled),
      frauds_caught: caught,
      fraud_share_caught: share(caught, frauds),
      legitimates_flagged: wrong,
      legitimate_share_flagged: share(wrong, legitimates),
      precision: share(caught, caught + wrong),
      fraud_dollars_caught: money(from(dollarsAt.fraud)),
      fraud_dollars_missed: money(below(dollarsAt.fraud)),
      legitimate_dollars_held: money(from(dollarsAt.legitimate)),
    };
  };

  const tellWeek = (week: (typeof weeks)[number], i: number): WeekRow => {
    const metrics = ranked(...ranking.between(week.rankedFrom, weeks[i + 1]?.rankedFrom ?? ranking.length()));
    return {
      week_start: new Date(FIRST_MONDAY_MS + week.number * WEEK_MS).toISOString().slice(0, 10),
      items: week.items,
      frauds: week.frauds,
      average_score: week.scores / week.items,
      flagged_share: week.flagged / week.items,
      auc_roc: metrics.auc_roc,
      average_precision: metrics.average_precision,
      population_stability_index: stabilityIndex((weeks[0] as typeof week).bins, week.bins),
    };
  };

  const tellDistribution = (): BacktestResult['score_distribution'] =>
    Array.from({ length: 20 }, (_, bin) => {
      // The last bin holds 100 as well.
      const [from, to] = [bin * 5, bin === 19 ? 100 : bin * 5 + 4];
      const count = (kind: keyof ByLabel<number>): number =>
        countAt[kind].subarray(from, to + 1).reduce((sum, at) => sum + at, 0);
      return { from, to, fraud: count('fraud'), legitimate: count('legitimate'), unlabelled: count('unlabelled') };
    });

  const tell = (): BacktestResult => {
    const all = ({ allow, review, block }: ByDecision): number => allow + review + block;
    const totals = {
      fraud: all(decisions.fraud),
      legitimate: all(decisions.legitimate),
      unlabelled: all(decisions.unlabelled),
    };
    const rounded = ({ allow, review, block }: ByDecision): ByDecision => ({
      allow: cents(allow),
      review: cents(review),
      block: cents(block),
    });
    const everything = ranking.between(0, ranking.length());
    const scores = new Set([...Array.from({ length: 19 }, (_, i) => 5 * (i + 1)), inForce.review, inForce.block]);
    return {
      rows: totals.fraud + totals.legitimate + totals.unlabelled,
      frauds: totals.fraud,
      legitimates: totals.legitimate,
      unlabelled: totals.unlabelled,
      ...ranked(...everything),
      decisions_by_label: structuredClone(decisions),
      dollars_by_label:
        amounts === 0
          ? null
          : {
              fraud: rounded(dollars.fraud),
              legitimate: rounded(dollars.legitimate),
              unlabelled: rounded(dollars.unlabelled),
            },
      thresholds_in_force: { review: inForce.review, block: inForce.block },
      thresholds: [...scores].sort((a, b) => a - b).map((score) => tellThreshold(score, totals)),
      top_signals: [...signals]
        .map(([name, { items, frauds, labelled }]) => ({
          name,
          items,
          frauds,
          precision: share(frauds, labelled),
          fraud_share: share(frauds, totals.fraud),
        }))
        .sort((a, b) => b.frauds - a.frauds || b.items - a.items || (a.name < b.name ? -1 : 1))
        .slice(0, MOST_NAMES),
      attacks: [...attacks]
        .map(([name, tally]) => ({ name, ...tally }))
        .sort((a, b) => b.items - a.items || (a.name < b.name ? -1 : 1))
        .slice(0, MOST_NAMES),
      weeks: weeks.map(tellWeek),
      score_distribution: tellDistribution(),
      calibration: chances.map(({ items, frauds, sum }, bin) => ({
        from: bin / 10,
        to: (bin + 1) / 10,
        items,
        mean_probability: share(sum, items),
        fraud_share: share(frauds, items),
      })),
      ...curvesOf(...everything),
    };
  };

  return { add, tell };
};
