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

export interface DecisionQuery {
  /**
   * `stored`: the factors saved with the decision. `exact`: splits the contribution of the model by exact Shapley values, computed for this request.
   * @default "stored"
   */
  factors?: 'stored' | 'exact' | undefined;
  /** `subject`: adds `subject`, the stored request, and `knowledge`, the result of looking it up. Requires the permission `read_personal`. */
  include?: 'subject' | undefined;
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

/** Omitted fields keep their value; `points` and `budget` are replaced as a whole. */
export interface PolicyChange {
  thresholds?:
    | {
        transaction?:
          | {
              /** Lowest score that gets `review`. */
              review: number;
              /** Lowest score that gets `block`. */
              block: number;
            }
          | undefined;
        event?:
          | {
              /** Lowest score that gets `review`. */
              review: number;
              /** Lowest score that gets `block`. */
              block: number;
            }
          | undefined;
      }
    | undefined;
  /** Points of signals, on top of what the model has learned about them. By default no signal has any, and signals of known fraud lead to a review at least; points for one of these, also 0, replace that. */
  points?: Record<string, number> | undefined;
  /** What the account accepts. It changes no decision: `GET /v1/policy/proposal` reads it. */
  budget?:
    | {
        transaction?:
          | {
              /** Legitimate items per 10,000 that may be reviewed, including those that are blocked. */
              reviewed_per_10k: number;
              /** Legitimate items per 10,000 that may be blocked. */
              blocked_per_10k: number;
            }
          | undefined;
        event?:
          | {
              /** Legitimate items per 10,000 that may be reviewed, including those that are blocked. */
              reviewed_per_10k: number;
              /** Legitimate items per 10,000 that may be blocked. */
              blocked_per_10k: number;
            }
          | undefined;
      }
    | undefined;
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

/** Without fields: what the service would decide now. `change` is applied to the policy. */
export interface ReplayRequest {
  /**
   * The policy of the decision, with the rules of that time, or the one in force now.
   * @default "now"
   */
  policy?: 'then' | 'now' | undefined;
  /** Omitted fields keep their value; `points` and `budget` are replaced as a whole. */
  change?: PolicyChange | undefined;
  /**
   * The model of the decision, or the one that scores now.
   * @default "now"
   */
  model?: 'then' | 'now' | undefined;
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

/** A manual override. The latest one applies. */
export interface ReviewRequest {
  decision: 'allow' | 'block';
  /** How the fraud was done; only with `block`. `takeover`: another person used the customer's account. `stolen_card`: the payment instrument was used without its owner. `first_party`: the customer committed or wrongly disputes it. `mule`: the account or counterparty passes stolen money on. `card_testing`: it tested whether a card works. `other`: none of these. */
  reason?: 'takeover' | 'stolen_card' | 'first_party' | 'mule' | 'card_testing' | 'other' | undefined;
  /** Your identifier of the reviewer. In a session it is the e-mail address of the person, and can be left out. */
  analyst_id?: string | undefined;
  /** Explanation of the decision, for audits. */
  notes?: string | undefined;
}
