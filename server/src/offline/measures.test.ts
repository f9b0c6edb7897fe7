import { rankMetrics } from '@portcullis/engine';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeMeasures, type TestedItem } from './measures.ts';

const POLICY = { review: 50, block: 80 };
const START = Date.UTC(2026, 2, 4);
const DAY_MS = 86_400_000;

const decided = (score: number): TestedItem['decision'] =>
  score >= POLICY.block ? 'block' : score >= POLICY.review ? 'review' : 'allow';

const anItem = fc.record({
  score: fc.integer({ min: 0, max: 100 }),
  // Few values, so that ties are common.
  probability: fc.integer({ min: 0, max: 40 }).map((step) => step / 40),
  dollars: fc.oneof(
    fc.constant(Number.NaN),
    fc.integer({ min: 0, max: 500_000 }).map((cents) => cents / 100),
  ),
  money: fc.option(fc.record({ amount: fc.integer({ min: 0, max: 9000 }), currency: fc.constantFrom('EUR', 'JPY') }), {
    nil: undefined,
  }),
  label: fc.constantFrom<0 | 1 | undefined>(0, 1, undefined),
  attack: fc.constantFrom(undefined, 'takeover', '__proto__'),
  signals: fc.subarray(['new_device', 'ip_velocity', 'constructor']),
  hours: fc.integer({ min: 0, max: 60 }),
  // A list or rule can decide against the score.
  forced: fc.constantFrom<TestedItem['decision'] | undefined>(undefined, undefined, undefined, 'allow', 'block'),
});

/** Sorted by time, like a file. */
const items = fc.array(anItem, { maxLength: 150 }).map((drawn) => {
  let at = START;
  return drawn.map(({ hours, forced, ...item }, row): TestedItem => {
    at += hours * 3_600_000;
    return { ...item, row, at, decision: forced ?? decided(item.score) };
  });
});

const measure = (all: readonly TestedItem[], policy = POLICY) => {
  const measures = makeMeasures(policy);
  for (const item of all) measures.add(item);
  return measures.result();
};

const money = (all: readonly TestedItem[]): number =>
  all.reduce((sum, item) => sum + (Number.isNaN(item.dollars) ? 0 : item.dollars), 0);
const labelled = (all: readonly TestedItem[]) => ({
  fraud: all.filter((item) => item.label === 1),
  legitimate: all.filter((item) => item.label === 0),
  unlabelled: all.filter((item) => item.label === undefined),
});

const KINDS = ['fraud', 'legitimate', 'unlabelled'] as const;

describe('the metrics of a backtest', () => {
  test('count every item once, by label and decision, with its amount', () => {
    fc.assert(
      fc.property(items, (all) => {
        const result = measure(all);
        const by = labelled(all);
        expect([result.rows, result.frauds, result.legitimates, result.unlabelled]).toEqual([
          all.length,
          by.fraud.length,
          by.legitimate.length,
          by.unlabelled.length,
        ]);
        for (const kind of KINDS) {
          for (const decision of ['allow', 'review', 'block'] as const) {
            const these = by[kind].filter((item) => item.decision === decision);
            expect(result.decisions_by_label[kind][decision]).toBe(these.length);
            if (all.every((item) => Number.isNaN(item.dollars))) expect(result.dollars_by_label).toBeNull();
            else expect(result.dollars_by_label?.[kind][decision]).toBeCloseTo(money(these), 2);
          }
        }
      }),
    );
  });

  test('have a table of counts by threshold', () => {
    fc.assert(
      fc.property(items, (all) => {
        const by = labelled(all);
        const noMoney = all.every((item) => Number.isNaN(item.dollars));
        for (const row of measure(all).thresholds) {
          const from = (these: readonly TestedItem[]) => these.filter((item) => item.score >= row.score);
          const [caught, wrong] = [from(by.fraud), from(by.legitimate)];
          const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
          expect(row.items_flagged).toBe(from(all).length);
          expect(row.frauds_caught).toBe(caught.length);
          expect(row.legitimates_flagged).toBe(wrong.length);
          expect(row.fraud_share_caught).toBe(share(caught.length, by.fraud.length));
          expect(row.legitimate_share_flagged).toBe(share(wrong.length, by.legitimate.length));
          expect(row.precision).toBe(share(caught.length, caught.length + wrong.length));
          if (noMoney) {
            expect([row.fraud_dollars_caught, row.fraud_dollars_missed, row.legitimate_dollars_held]).toEqual([
              null,
              null,
              null,
            ]);
          } else {
            expect(row.fraud_dollars_caught).toBeCloseTo(money(caught), 2);
            expect(row.fraud_dollars_missed).toBeCloseTo(money(by.fraud) - money(caught), 2);
            expect(row.legitimate_dollars_held).toBeCloseTo(money(wrong), 2);
          }
        }
      }),
    );
  });

  test('have rows for every fifth score and the thresholds in force, in order', () => {
    const fifths = Array.from({ length: 19 }, (_, i) => 5 * (i + 1));
    expect(measure([]).thresholds.map((row) => row.score)).toEqual(fifths);
    const scores = measure([], { review: 42, block: 97 }).thresholds.map((row) => row.score);
    expect(scores).toEqual([...fifths, 42, 97].sort((a, b) => a - b));
  });

  test('measure quality on labelled items, overall and by week, only with both labels', () => {
    fc.assert(
      fc.property(items, (all) => {
        const result = measure(all);
        const oracle = (these: readonly TestedItem[]) => {
          const known = these.filter((item) => item.label !== undefined);
          const { frauds, rows, auc, averagePrecision, recallAt1 } = rankMetrics(
            known.map((item) => item.probability),
            known.map((item) => item.label as number),
          );
          return frauds === 0 || frauds === rows ? [null, null, null] : [auc, averagePrecision, recallAt1];
        };
        expect([result.auc_roc, result.average_precision, result.recall_at_1_percent_fp]).toEqual(oracle(all));
        const mondayOf = (at: number): string => {
          const day = new Date(at);
          day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
          return day.toISOString().slice(0, 10);
        };
        const weeks = [...Map.groupBy(all, (item) => mondayOf(item.at))];
        expect(result.weeks.map((week) => week.week_start)).toEqual(weeks.map(([monday]) => monday));
        weeks.forEach(([, these], i) => {
          const week = result.weeks[i];
          expect([week?.auc_roc, week?.average_precision]).toEqual(oracle(these).slice(0, 2));
          expect(week?.items).toBe(these.length);
          expect(week?.frauds).toBe(labelled(these).fraud.length);
          expect(week?.average_score).toBeCloseTo(these.reduce((sum, item) => sum + item.score, 0) / these.length);
          expect(week?.flagged_share).toBe(these.filter((item) => item.decision !== 'allow').length / these.length);
        });
      }),
    );
  });

  test('count every item in bins: scores by fives, probabilities by tenths', () => {
    fc.assert(
      fc.property(items, (all) => {
        const { score_distribution: scores, calibration } = measure(all);
        const by = labelled(all);
        for (const bin of scores)
          for (const kind of KINDS)
            expect(bin[kind]).toBe(by[kind].filter(({ score }) => score >= bin.from && score <= bin.to).length);
        expect(scores.reduce((sum, bin) => sum + bin.fraud + bin.legitimate + bin.unlabelled, 0)).toBe(all.length);
        const known = [...by.fraud, ...by.legitimate];
        calibration.forEach((bin, i) => {
          const these = known.filter(({ probability }) => Math.min(9, Math.floor(probability * 10)) === i);
          expect(bin.items).toBe(these.length);
          if (these.length === 0) expect([bin.mean_probability, bin.fraud_share]).toEqual([null, null]);
          else {
            expect(bin.mean_probability).toBeCloseTo(
              these.reduce((sum, item) => sum + item.probability, 0) / these.length,
            );
            expect(bin.fraud_share).toBe(labelled(these).fraud.length / these.length);
          }
        });
      }),
    );
  });

  test('describe the served score and the model alone, over labelled items', () => {
    fc.assert(
      fc.property(items, (all) => {
        const { served, model_alone: model, ...result } = measure(all);
        const known = all.filter(({ label }) => label !== undefined);
        const { averagePrecision } = rankMetrics(
          known.map(({ score }) => score),
          known.map(({ label }) => label as number),
        );
        if (result.frauds === 0 || result.legitimates === 0) expect(served.average_precision).toBeNull();
        else expect(served.average_precision).toBeCloseTo(averagePrecision, 12);
        expect(model.average_precision).toBe(result.average_precision);
        const { review, block } = result.decisions_by_label.legitimate;
        if (result.legitimates > 0)
          expect(served.reviewed_per_10k).toBeCloseTo((10_000 * (review + block)) / result.legitimates, 9);
      }),
    );
  });

  test('have a row for the thresholds within the budget, which hold no more than it allows', () => {
    const shares = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1000, maxLength: 1100 });
    const rate = fc.integer({ min: 0, max: 4000 });
    fc.assert(
      fc.property(shares, rate, rate, (scores, a, b) => {
        const budget = { reviewed_per_10k: Math.max(a, b), blocked_per_10k: Math.min(a, b) };
        const measures = makeMeasures(POLICY, budget);
        for (const [row, score] of scores.entries())
          measures.add({
            ...{ row, at: START, dollars: 1, money: undefined, attack: undefined, probability: 0.1, signals: [] },
            ...{ score, label: row % 2 === 0 ? 0 : undefined, decision: decided(score) },
          });
        const { thresholds_by_budget: found, thresholds } = measures.result();
        if (found === null) return;
        const held = (from: number): number =>
          (10_000 * scores.filter((score) => score >= from).length) / scores.length;
        expect(held(found.review)).toBeLessThanOrEqual(budget.reviewed_per_10k);
        expect(held(found.block)).toBeLessThanOrEqual(budget.blocked_per_10k);
        expect(thresholds.map(({ score }) => score)).toEqual(expect.arrayContaining([found.review, found.block]));
      }),
      { numRuns: 30 },
    );
    expect(measure([]).thresholds_by_budget).toBeNull();
  });

  test('count signals and attacks by any name', () => {
    fc.assert(
      fc.property(items, (all) => {
        const result = measure(all);
        for (const { name, items: count, frauds, precision, fraud_share: share, ...interval } of result.top_signals) {
          if (precision === null)
            expect(interval).toMatchObject({ labelled: 0, precision_low: null, precision_high: null });
          else {
            expect(interval.precision_low).toBeLessThanOrEqual(precision);
            expect(interval.precision_high).toBeGreaterThanOrEqual(precision);
          }
          const on = all.filter((item) => item.signals.includes(name));
          const by = labelled(on);
          expect([count, frauds]).toEqual([on.length, by.fraud.length]);
          const known = by.fraud.length + by.legitimate.length;
          expect(precision).toBe(known === 0 ? null : by.fraud.length / known);
          expect(share).toBe(result.frauds === 0 ? null : by.fraud.length / result.frauds);
        }
        expect(new Set(result.top_signals.map(({ name }) => name))).toEqual(
          new Set(all.flatMap(({ signals }) => signals)),
        );
        for (const { name, ...tally } of result.attacks) {
          const of = all.filter((item) => item.attack === name);
          expect(tally).toEqual({
            items: of.length,
            flagged: of.filter((item) => item.decision !== 'allow').length,
            blocked: of.filter((item) => item.decision === 'block').length,
          });
        }
        expect(result.attacks.reduce((sum, attack) => sum + attack.items, 0)).toBe(
          all.filter(({ attack }) => attack).length,
        );
      }),
    );
  });

  test('have monotone curves of at most 200 points that match the reported area', () => {
    const all = Array.from({ length: 20_000 }, (_, row): TestedItem => {
      const label = row % 50 === 0 ? 1 : 0;
      const probability = ((row * 7919) % 20_011) / 20_011;
      return {
        ...{ row, at: START + row, dollars: 1, money: undefined, label, attack: undefined, signals: [] },
        ...{ probability: label === 1 ? Math.sqrt(probability) : probability, score: 0, decision: 'allow' },
      };
    });
    const { roc_curve: roc, precision_recall_curve: pr, auc_roc: auc, frauds, legitimates } = measure(all);
    expect(roc.length).toBeGreaterThan(100);
    expect(Math.max(roc.length, pr.length)).toBeLessThanOrEqual(200);
    expect(roc[0]).toEqual({ false_positive_share: 0, recall: 0 });
    expect(roc.at(-1)).toEqual({ false_positive_share: 1, recall: 1 });
    expect(pr.at(-1)?.recall).toBe(1);
    expect(pr.at(-1)?.precision).toBeCloseTo(frauds / (frauds + legitimates), 5);
    let area = 0;
    for (let i = 1; i < roc.length; i++) {
      const [a, b] = [roc[i - 1] as (typeof roc)[number], roc[i] as (typeof roc)[number]];
      expect(b.recall >= a.recall && b.false_positive_share >= a.false_positive_share).toBe(true);
      area += ((b.false_positive_share - a.false_positive_share) * (a.recall + b.recall)) / 2;
    }
    expect(area).toBeCloseTo(auc as number, 2);
  });

  test('report no drift for equal scores, and more drift for larger changes', () => {
    const week = (number: number, shift: number): TestedItem[] =>
      Array.from({ length: 500 }, (_, i) => ({
        ...{
          row: i,
          at: START + number * 7 * DAY_MS,
          dollars: 1,
          money: undefined,
          label: 0,
          attack: undefined,
          signals: [],
        },
        ...{ probability: 0, score: (i % 40) + shift, decision: 'allow' },
      }));
    const drift = measure([0, 0, 15, 45].flatMap((shift, number) => week(number, shift))).weeks.map(
      (row) => row.population_stability_index,
    );
    expect(drift.slice(0, 2)).toEqual([0, 0]);
    expect(drift[2]).toBeGreaterThan(0.25);
    expect(drift[3]).toBeGreaterThan(drift[2] as number);
  });

  test('are plain JSON, and can be read before all items are added', () => {
    fc.assert(
      fc.property(items, items, (first, second) => {
        const measures = makeMeasures(POLICY);
        for (const item of first) measures.add(item);
        const before = measures.result();
        const kept = structuredClone(before);
        expect(JSON.parse(JSON.stringify(before))).toEqual(before);
        const later = second.map((item) => ({ ...item, at: item.at + 2 * 365 * DAY_MS }));
        for (const item of later) measures.add(item);
        expect(measures.result()).toEqual(measure([...first, ...later]));
        expect(before).toEqual(kept);
      }),
      { numRuns: 30 },
    );
  });
});
