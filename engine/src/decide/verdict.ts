import type { DecisionValue } from '@portcullis/contract';

/** Points that one signal, or one feature of the model, adds to the score. */
export interface Contribution {
  readonly of: 'signal' | 'feature';
  readonly name: string;
  readonly contribution: number;
}

export interface Verdict {
  readonly score: number;
  readonly decision: DecisionValue;
  /** Whether a list, a rule or a test address made the decision. It then moved the score to the thresholds. */
  readonly isForced: boolean;
  readonly signals: readonly string[];
  /** Largest first. `baseScore` and all contributions add up to `score`. */
  readonly factors: readonly Contribution[];
  readonly baseScore: number;
  /** Null without a model. */
  readonly modelVersion: string | null;
  readonly probability: number | null;
  /** Names of the account's lists that the subject matches. */
  readonly lists: readonly string[];
  /** Ids of live rules that matched. */
  readonly rules: readonly string[];
  /** Ids of rules in shadow that matched. */
  readonly shadow: readonly string[];
}

/** Name of the factor that sums up the small contributions of the model's features. */
export const OTHER_FEATURES = 'other_features';

/**
 * Sorts largest first. The sort is stable, so that a stored verdict comes back in the same order: signals, then
 * features.
 */
export const byContribution = (a: Contribution, b: Contribution): number => b.contribution - a.contribution;
