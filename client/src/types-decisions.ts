// Generated from the contract by `npm run client`. Do not edit.

import type { EventSubject } from './types-events.ts';
import type { Screening } from './types-screenings.ts';
import type { Knowledge, TransactionSubject } from './types-transactions.ts';

/** `decision` applies now, after any reviews. `automated_decision` is the result of the screening. */
export interface Decision
  extends Pick<Screening, 'risk_score' | 'decision' | 'automated_decision' | 'signals' | 'imported'> {
  /** Identifies this decision, for 90 days. */
  decision_id: string;
  subject_type: 'transaction' | 'event';
  subject_id: string;
  user_id: string;
  /** The main reasons in one line, in English. `null` if the facts of the decision have an unreadable version. */
  summary: string | null;
  /** Reasons of the score, largest first. `base_score` plus all contributions equals `risk_score`. */
  factors: Factor[];
  /** Score before any factor. */
  base_score: number;
  /** `null` if no model contributed. */
  model_version: string | null;
  ruleset_version: string;
  /** Names of facts that were unavailable. The name of an entity kind, such as `user`, means that its whole history was unavailable. */
  unavailable: string[];
  case_id: string | null;
  /** Oldest first. */
  reviews: Review[];
  /** When the decision was made; of an imported item, when it happened. */
  decided_at: string;
  /** Only with `include=subject`, by `subject_type`. The request as it is stored: normalised, with card numbers masked. Fields that were not sent are absent. */
  subject?: TransactionSubject | EventSubject | undefined;
  /** Only with `include=subject`. `null` if the facts of the screening have an unreadable version, or are no longer stored. */
  knowledge?: Knowledge | null | undefined;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** One reason of the score: a signal or a model feature. */
export interface Factor {
  signal?: string | undefined;
  feature?: string | undefined;
  /** `null` for the sum of all other reasons, `other_features`. */
  theme: 'your_rules' | 'known_fraud' | 'device' | 'place' | 'account' | 'money' | 'pace' | 'links' | null;
  description: string;
  /** Contribution to the score, in points. */
  contribution: number;
}

/** The decision that a policy and a model make of a stored screening. Nothing is stored. */
export interface Replay {
  /** The decision that was replayed. */
  decision_id: string;
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
  decision: 'allow' | 'review' | 'block';
  /** Names of the active risk signals. */
  signals: string[];
  /** Reasons of the score, largest first. `base_score` plus all contributions equals `risk_score`. */
  factors: Factor[];
  /** Score before any factor. */
  base_score: number;
  /** `null` if no model contributed. */
  model_version: string | null;
  /** The version of the policy, before any `change`. */
  ruleset_version: string;
  /** Whether score, decision and signals equal those of the screening. Reviews do not matter. */
  same: boolean;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

export interface Review {
  decision: 'allow' | 'block';
  /** How the fraud was done, from the request. */
  reason: 'takeover' | 'stolen_card' | 'first_party' | 'mule' | 'card_testing' | 'other' | null;
  analyst_id: string | null;
  notes: string | null;
  /** When the reviewer decided. */
  reviewed_at: string;
}
