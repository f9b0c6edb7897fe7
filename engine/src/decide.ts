import type { DecisionValue, Factor } from '@portcullis/contract';
import type { Facts } from './facts.ts';
import type { Policy } from './policy.ts';
import { SIGNALS, TEST_ADDRESS_SIGNAL } from './signals.ts';
import type { Subject } from './subject.ts';

export interface Verdict {
  readonly score: number;
  readonly decision: DecisionValue;
  readonly signals: readonly string[];
  /** Largest first. With `baseScore` the contributions add up to `score`. */
  readonly factors: readonly Factor[];
  readonly baseScore: number;
}

const HIGHEST = 100;

interface Mutable {
  signal: string;
  description: string;
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
  for (const signal of SIGNALS) {
    if (signal.on !== 'both' && signal.on !== subject.type) continue;
    const contribution = policy.points[signal.name];
    if (contribution === undefined || !signal.active(facts, subject)) continue;
    factors.push({ signal: signal.name, description: signal.describe(facts, subject), contribution });
    score += contribution;
  }
  factors.sort((a, b) => b.contribution - a.contribution);
  const { ip_address: ip } = subject.request;
  const forced = ip === undefined ? undefined : policy.testAddresses[ip];
  score = Math.min(score, HIGHEST);
  if (forced !== undefined) {
    const target = forcedScore(policy, forced, score);
    const description = `An address for trying the service out: it always gets ${forced}`;
    fitInto(factors, target - policy.baseScore);
    const rest = factors.reduce((sum, factor) => sum + factor.contribution, policy.baseScore);
    factors.unshift({ signal: TEST_ADDRESS_SIGNAL, description, contribution: target - rest });
    factors.sort((a, b) => b.contribution - a.contribution);
    score = target;
  } else {
    fitInto(factors, score - policy.baseScore);
  }
  const decision = score >= policy.thresholds.block ? 'block' : score >= policy.thresholds.review ? 'review' : 'allow';
  return { score, decision, signals: factors.map((factor) => factor.signal), factors, baseScore: policy.baseScore };
};
