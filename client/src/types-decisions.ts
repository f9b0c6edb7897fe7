// Made from the contract by `npm run client`; not to be edited.

/** `decision` is what is in force now, `automated_decision` what screening said. */
export interface Decision {
  /** Retrieves this decision for 90 days. */
  decision_id: string;
  subject_type: 'transaction' | 'event';
  subject_id: string;
  user_id: string;
  /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
  decision: 'allow' | 'review' | 'block';
  /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
  automated_decision: 'allow' | 'review' | 'block';
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  /** Names of the risk signals that were active. */
  signals: string[];
  /** Why, largest first. With `base_score` the contributions add up to `risk_score`. */
  factors: Factor[];
  /** The score before any factor. */
  base_score: number;
  /** Null when no model took part. */
  model_version: string | null;
  ruleset_version: string;
  /** Names of facts that could not be had; a kind of entity, such as `user`, where that was all of its history. */
  unavailable: string[];
  case_id: string | null;
  /** Oldest first. */
  reviews: Review[];
  /** When screening decided. */
  decided_at: string;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

export interface DecisionQuery {
  /**
   * `exact` parts the share of the model by exact Shapley values, computed now; `stored` are those kept with the decision.
   * @default "stored"
   */
  factors?: 'stored' | 'exact' | undefined;
}

/** One reason for the score: a signal or a feature. */
export interface Factor {
  signal?: string | undefined;
  feature?: string | undefined;
  description: string;
  /** In score points. */
  contribution: number;
}

export interface Review {
  decision: 'allow' | 'block';
  analyst_id: string | null;
  notes: string | null;
  /** When the person decided. */
  reviewed_at: string;
}

/** A manual override. The last one is in force. */
export interface ReviewRequest {
  decision: 'allow' | 'block';
  /** Your identifier of the person who decided. */
  analyst_id?: string | undefined;
  /** Why, for audits. */
  notes?: string | undefined;
}
