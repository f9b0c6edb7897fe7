import type { DecisionValue, Factor } from '@portcullis/contract';
import type { Facts } from './facts.ts';
import type { Policy } from './policy.ts';
import { SIGNALS, type Signal, TEST_ADDRESS_SIGNAL } from './signals.ts';
import type { Subject } from './subject.ts';

/** What one signal added to the score, in points. */
export interface Contribution {
  readonly signal: string;
  readonly contribution: number;
}

export interface Verdict {
  readonly score: number;
  readonly decision: DecisionValue;
  readonly signals: readonly string[];
  /** Largest first. With `baseScore` the contributions add up to `score`. */
  readonly factors: readonly Contribution[];
  readonly baseScore: number;
}

const HIGHEST = 100;

interface Mutable {
  signal: string;
  contribution: number;
}

/** Shrinks whole contributions in proportion until they sum to `room`, giving what rounding lost to the largest. */
const fitInto = (factors: Mutable[], room: number): void => {
  const total = factors.reduce((sum, factor) => sum + factor.contribution, 0);
  if (total <= room) return;
  let left = room;
  for (const factor of factors) {
    factor.contribution = Math.floor((factor.contribution * room) / total);
    left -= factor.contribution;
  }
  for (let i = 0; left > 0; i++, left--) (factors[i % factors.length] as Mutable).contribution++;
};

interface Rule {
  readonly signal: Signal;
  readonly points: number;
}
const rulesOf = (policy: Policy, type: Subject['type']): Rule[] =>
  SIGNALS.flatMap((signal) => {
    const points = policy.points[signal.name];
    return points === undefined || (signal.on !== 'both' && signal.on !== type) ? [] : [{ signal, points }];
  });

/** Which signals a policy gives a say is looked up once per policy, not once per screening. */
const compiled = new WeakMap<Policy, Record<Subject['type'], Rule[]>>();
const rulesFor = (policy: Policy, type: Subject['type']): readonly Rule[] => {
  let rules = compiled.get(policy);
  if (rules === undefined) {
    rules = { transaction: rulesOf(policy, 'transaction'), event: rulesOf(policy, 'event') };
    compiled.set(policy, rules);
  }
  return rules[type];
};

const forcedScore = (policy: Policy, forced: 'review' | 'block', score: number): number =>
  forced === 'block'
    ? Math.max(score, policy.thresholds.block)
    : Math.min(Math.max(score, policy.thresholds.review), policy.thresholds.block - 1);

/**
 * The whole of a decision: no clock, no randomness, no I/O, and it never throws on data. The same three arguments give the
 * same verdict for ever, which is what makes a stored decision replayable.
 */
export const decide = (policy: Policy, subject: Subject, facts: Facts): Verdict => {
  const factors: Mutable[] = [];
  let score = policy.baseScore;
  const rules = rulesFor(policy, subject.type);
  for (let i = 0; i < rules.length; i++) {
    const { signal, points } = rules[i] as Rule;
    if (!signal.active(facts, subject)) continue;
    factors.push({ signal: signal.name, contribution: points });
    score += points;
  }
  if (factors.length > 1) factors.sort((a, b) => b.contribution - a.contribution);
  const { ip_address: ip } = subject.request;
  const forced = ip === undefined ? undefined : policy.testAddresses[ip];
  score = Math.min(score, HIGHEST);
  if (forced !== undefined) {
    const target = forcedScore(policy, forced, score);
    fitInto(factors, target - policy.baseScore);
    const rest = factors.reduce((sum, factor) => sum + factor.contribution, policy.baseScore);
    factors.unshift({ signal: TEST_ADDRESS_SIGNAL, contribution: target - rest });
    factors.sort((a, b) => b.contribution - a.contribution);
    score = target;
  } else {
    fitInto(factors, score - policy.baseScore);
  }
  const decision = score >= policy.thresholds.block ? 'block' : score >= policy.thresholds.review ? 'review' : 'allow';
  return { score, decision, signals: factors.map((factor) => factor.signal), factors, baseScore: policy.baseScore };
};

const signalsByName = new Map(SIGNALS.map((signal) => [signal.name, signal]));

/**
 * The factors in words, with the numbers behind them. Made when someone reads a decision, not when it is made: nearly all are never
 * read. Without facts, or with those of an older layout, each factor gets the meaning of its signal instead.
 */
export const explain = (verdict: Verdict, subject: Subject, facts: Facts | undefined): Factor[] =>
  verdict.factors.map(({ signal: name, contribution }) => {
    const signal = signalsByName.get(name);
    const description =
      name === TEST_ADDRESS_SIGNAL
        ? `An address for trying the service out: it always gets ${verdict.decision}`
        : signal === undefined
          ? 'A signal of an earlier version'
          : facts === undefined
            ? signal.meaning
            : signal.describe(facts, subject);
    return { signal: name, description, contribution };
  });
