// Generated from the contract by `npm run client`. Do not edit.

export interface DecisionQuery {
  /**
   * `stored`: the factors saved with the decision. `exact`: splits the contribution of the model by exact Shapley values, computed for this request.
   * @default "stored"
   */
  factors?: 'stored' | 'exact' | undefined;
  /** `subject`: adds `subject`, the stored request, and `knowledge`, the result of looking it up. Requires the permission `read_personal`. */
  include?: 'subject' | undefined;
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
  /** Points of signals, on top of what the model has learned about them. By default no signal has any, and signals of known fraud lead to a review at least; points for one of these, even 0, replace that. */
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
