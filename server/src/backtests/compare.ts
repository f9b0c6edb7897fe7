import { type BacktestOutcome, type DecisionValue, writeTimestamp } from '@portcullis/contract';
import { decide, type Facts, type Policy, type Subject, type Verdict } from '@portcullis/engine';
import { withPrefix } from '../ids.ts';

/** One that was screened, as it was then. */
export interface Screened {
  readonly id: string;
  readonly subject: Subject;
  readonly facts: Facts;
  /** Names of lists it was on. */
  readonly lists: readonly string[];
  readonly label: 'fraud' | 'legitimate' | null;
}

const MOST_EXAMPLES = 20;
const DAY = 'YYYY-MM-DD'.length;

/** Sums of amounts carry binary dust in their last digits. */
const inCents = (dollars: number): number => Math.round(dollars * 100) / 100;

/**
 * Decides each item by the policy in force and by another, from what was known then, and counts what differs. With a rule, a hit is what it
 * matches; without, what is decided otherwise.
 */
export const makeComparison = (inForce: Policy, other: Policy, ruleId: string | undefined) => {
  const before: Record<DecisionValue, number> = { allow: 0, review: 0, block: 0 };
  const after: Record<DecisionValue, number> = { allow: 0, review: 0, block: 0 };
  const labelled = { fraud: { items: 0, hits: 0 }, legitimate: { items: 0, hits: 0 } };
  const dollars = { hits: 0, fraud_hits: 0, legitimate_hits: 0 };
  const live = (inForce.rules ?? []).filter(({ id, state }) => state === 'live' && id !== ruleId);
  const overlap = new Map(live.map(({ id, name }) => [id, { name, hits: 0, both: 0 }]));
  const days = new Map<string, { items: number; hits: number }>();
  const examples: BacktestOutcome['examples'] = [];
  let items = 0;
  let hits = 0;
  let changed = 0;

  const countHit = ({ id, subject, label }: Screened, was: Verdict, would: Verdict): void => {
    hits++;
    if (label !== null) labelled[label].hits++;
    if (!Number.isNaN(subject.dollars)) {
      dollars.hits += subject.dollars;
      if (label !== null) dollars[`${label}_hits`] += subject.dollars;
    }
    for (const rule of was.rules) {
      const both = overlap.get(rule);
      if (both !== undefined) both.both++;
    }
    examples.push({
      subject_type: subject.type,
      subject_id: withPrefix(subject.type, id),
      screened_at: writeTimestamp(subject.at),
      score_before: was.score,
      score_after: would.score,
      decision_before: was.decision,
      decision_after: would.decision,
      label,
    });
    if (examples.length > MOST_EXAMPLES) examples.shift();
  };

  return {
    /** In the order of time. */
    add: (item: Screened): void => {
      const { subject, facts, lists, label } = item;
      const was = decide(inForce, subject, facts, lists);
      const would = decide(other, subject, facts, lists);
      const isHit = ruleId === undefined ? was.decision !== would.decision : would.rules.includes(ruleId);
      items++;
      before[was.decision]++;
      after[would.decision]++;
      if (was.decision !== would.decision) changed++;
      if (label !== null) labelled[label].items++;
      for (const rule of was.rules) {
        const own = overlap.get(rule);
        if (own !== undefined) own.hits++;
      }
      const day = writeTimestamp(subject.at).slice(0, DAY);
      const counts = days.get(day) ?? { items: 0, hits: 0 };
      days.set(day, counts);
      counts.items++;
      if (!isHit) return;
      counts.hits++;
      countHit(item, was, would);
    },
    outcome: (): BacktestOutcome => ({
      items,
      hits,
      changed,
      before,
      after,
      ...labelled,
      dollars: {
        hits: inCents(dollars.hits),
        fraud_hits: inCents(dollars.fraud_hits),
        legitimate_hits: inCents(dollars.legitimate_hits),
      },
      overlap: [...overlap].map(([id, { name, hits: own, both }]) => ({
        rule_id: withPrefix('rule', id),
        name,
        hits: own,
        both,
      })),
      days: [...days].map(([day, counts]) => ({ day, ...counts })),
      examples: examples.toReversed(),
    }),
  };
};
