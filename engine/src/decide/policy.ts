import type { DecisionValue } from '@portcullis/contract';
import type { Facts } from '../history/facts.ts';
import type { Model } from '../model/model.ts';
import { SIGNALS } from '../signals/signals.ts';
import type { Subject } from '../subject/subject.ts';
import type { Thresholds } from './thresholds.ts';

/** The effect of an account's list on subjects that match it; `none` for lists that only rules read. */
export type Treatment = 'block' | 'review' | 'trusted' | 'none';

/** The input of an account rule: everything known before any account rule is applied. */
export interface RuleInput {
  readonly subject: Subject;
  readonly facts: Facts;
  /** Score of the model and the signals together. */
  readonly score: number;
  /** Score of the model alone. */
  readonly modelScore: number;
  readonly signals: readonly string[];
  /** Names of the account's lists that the subject matches. */
  readonly lists: readonly string[];
}

/** A rule that an account defined. */
export interface AccountRule {
  readonly id: string;
  /** Rises with each change of the rule. Each stored match names the version that was evaluated. */
  readonly version: number;
  readonly name: string;
  /** A rule in shadow does not change the decision. Its matches are only recorded. */
  readonly state: 'live' | 'shadow';
  /** Points close that percentage of the gap to 100, like the points of signals. */
  readonly action: { readonly points: number } | { readonly decision: DecisionValue };
  /** The rule matches nothing from this time on. */
  readonly expiresAt?: number;
  /** Never throws. An implementation reports its own errors and returns false. */
  readonly matches: (input: RuleInput) => boolean;
}

/** Everything besides the facts that determines a decision. It can change without a change of code. */
export interface Policy {
  readonly version: string;
  /** Sets the score before signals. Without a model, `baseScore` is used. */
  readonly model?: Model;
  readonly baseScore: number;
  readonly thresholds: Thresholds;
  /** Thresholds for events; `thresholds` if absent. */
  readonly eventThresholds?: Thresholds;
  /** By signal name, the percentage of the gap to 100 that the signal closes. A signal not listed is disabled. */
  readonly points: Readonly<Record<string, number>>;
  /** Names of signals that raise a lower score to the threshold of a review. */
  readonly alwaysReviewed: readonly string[];
  /** IP addresses with a fixed decision. None can be `allow`: a client must not be able to force that. */
  readonly testAddresses: Readonly<Record<string, 'review' | 'block'>>;
  /** The account's rules, live and in shadow. */
  readonly rules?: readonly AccountRule[];
  /** By the name of each of the account's lists. */
  readonly treatments?: ReadonlyMap<string, Treatment>;
}

export const thresholdsFor = ({ thresholds, eventThresholds }: Policy, type: 'transaction' | 'event'): Thresholds =>
  (type === 'event' ? eventThresholds : undefined) ?? thresholds;

/**
 * Fraud that the account itself confirmed weighs more than anything learned from simulated histories: an item with one of
 * these signals is reviewed, however low its score. It is never blocked only for that.
 */
export const ALWAYS_REVIEWED: readonly string[] = ['fraud_on_device', 'repeated_disputes'];

export const DEFAULT_POLICY: Policy = {
  version: 'rules-6',
  baseScore: 2,
  thresholds: { review: 50, block: 80 },
  points: Object.fromEntries(SIGNALS.map(({ name }) => [name, 0])),
  alwaysReviewed: ALWAYS_REVIEWED,
  testAddresses: { '203.0.113.2': 'review', '203.0.113.3': 'block' },
};
