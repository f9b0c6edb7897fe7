import type { BacktestOutcome, DecisionValue } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import {
  type Budget,
  decide,
  type Facts,
  type Policy,
  type Subject,
  summarize,
  type Verdict,
} from '@portcullis/engine';
import type { ByType } from '../policies/proposal.ts';
import { withPrefix } from '../runtime/ids.ts';
import { makeQuality, type Quality } from './compare-quality.ts';

/** A stored screening, as it was decided. */
export interface PastScreening {
  readonly id: string;
  readonly subject: Subject;
  readonly facts: Facts;
  /** Names of the lists it matched. */
  readonly lists: readonly string[];
  readonly label: 'fraud' | 'legitimate' | null;
}

type Example = BacktestOutcome['examples'][number];

const MAX_EXAMPLES = 20;
const DAY = 'YYYY-MM-DD'.length;

/** Removes the rounding errors of floating-point sums. */
const inCents = (dollars: number): number => Math.round(dollars * 100) / 100;

interface Comparison {
  readonly inForce: Policy;
  readonly candidate: Policy;
  /** The rule under test; undefined for a policy. */
  readonly ruleId: string | undefined;
  readonly before: Record<DecisionValue, number>;
  readonly after: Record<DecisionValue, number>;
  readonly labelled: Record<'fraud' | 'legitimate', { items: number; hits: number }>;
  readonly dollars: { hits: number; fraud_hits: number; legitimate_hits: number };
  /** The other live rules, by id. */
  readonly overlap: ReadonlyMap<string, { readonly name: string; hits: number; both: number }>;
  readonly quality: Quality;
  readonly days: Map<string, { items: number; hits: number }>;
  /** The newest hits. Only those that remain in the end get a summary. */
  readonly examples: (() => Example)[];
  items: number;
  hits: number;
  changed: number;
}

const countHit = (
  comparison: Comparison,
  { id, subject, facts, label }: PastScreening,
  current: Verdict,
  proposed: Verdict,
): void => {
  const { labelled, dollars, overlap, examples } = comparison;
  comparison.hits++;
  if (label !== null) labelled[label].hits++;
  if (!Number.isNaN(subject.dollars)) {
    dollars.hits += subject.dollars;
    if (label !== null) dollars[`${label}_hits`] += subject.dollars;
  }
  for (const rule of current.rules) {
    const counts = overlap.get(rule);
    if (counts !== undefined) counts.both++;
  }
  examples.push(() => ({
    subject_type: subject.type,
    subject_id: withPrefix(subject.type, id),
    screened_at: writeTimestamp(subject.at),
    score_before: current.score,
    score_after: proposed.score,
    decision_before: current.decision,
    decision_after: proposed.decision,
    label,
    summary: summarize(proposed, subject, facts),
  }));
  if (examples.length > MAX_EXAMPLES) examples.shift();
};

const add = (comparison: Comparison, item: PastScreening): void => {
  const { inForce, candidate, ruleId, before, after, labelled, quality, overlap, days } = comparison;
  const { subject, facts, lists, label } = item;
  const current = decide(inForce, subject, facts, lists);
  const proposed = decide(candidate, subject, facts, lists);
  const isHit = ruleId === undefined ? current.decision !== proposed.decision : proposed.rules.includes(ruleId);
  comparison.items++;
  before[current.decision]++;
  after[proposed.decision]++;
  if (current.decision !== proposed.decision) comparison.changed++;
  if (label !== null) labelled[label].items++;
  quality.add(subject, label === 'fraud', current, proposed);
  for (const rule of current.rules) {
    const counts = overlap.get(rule);
    if (counts !== undefined) counts.hits++;
  }
  const day = writeTimestamp(subject.at).slice(0, DAY);
  const counts = days.get(day) ?? { items: 0, hits: 0 };
  days.set(day, counts);
  counts.items++;
  if (!isHit) return;
  counts.hits++;
  countHit(comparison, item, current, proposed);
};

const outcomeOf = (comparison: Comparison): BacktestOutcome => {
  const { items, hits, changed, before, after, labelled, dollars, quality, overlap, days, examples } = comparison;
  return {
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
    quality: quality.result(),
    overlap: [...overlap].map(([id, counts]) => ({
      rule_id: withPrefix('rule', id),
      name: counts.name,
      hits: counts.hits,
      both: counts.both,
    })),
    days: [...days].map(([day, counts]) => ({ day, ...counts })),
    examples: examples.toReversed().map((example) => example()),
  };
};

/**
 * Decides each item with the policy in force and with the candidate, from its stored facts, and counts the differences.
 * A hit is a match of the rule under test, or, for a policy, another decision.
 */
export const makeComparison = (
  inForce: Policy,
  candidate: Policy,
  ruleId: string | undefined,
  budget: ByType<Budget | null>,
) => {
  const others = (inForce.rules ?? []).filter(({ id, state }) => state === 'live' && id !== ruleId);
  const comparison: Comparison = {
    inForce,
    candidate,
    ruleId,
    before: { allow: 0, review: 0, block: 0 },
    after: { allow: 0, review: 0, block: 0 },
    labelled: { fraud: { items: 0, hits: 0 }, legitimate: { items: 0, hits: 0 } },
    dollars: { hits: 0, fraud_hits: 0, legitimate_hits: 0 },
    quality: makeQuality(inForce, budget),
    overlap: new Map(others.map(({ id, name }) => [id, { name, hits: 0, both: 0 }])),
    days: new Map(),
    examples: [],
    items: 0,
    hits: 0,
    changed: 0,
  };
  return {
    /** Items must be added in the order of time. */
    add: (item: PastScreening): void => add(comparison, item),
    outcome: (): BacktestOutcome => outcomeOf(comparison),
  };
};
