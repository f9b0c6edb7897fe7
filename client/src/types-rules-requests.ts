// Generated from the contract by `npm run client`. Do not edit.

/** Omitted fields keep their value. */
export interface RuleChange {
  /** Lower-case letters, digits and `_`, starting with a letter. Appears in decisions as the signal `rule.<name>`. Unique among rules that are not retired. */
  name?: string | undefined;
  /** A description for people. */
  description?: string | undefined;
  /** The condition, in CEL: up to 4,000 characters that evaluate to `true` or `false`. `GET /v1/rules/variables` lists the variables. */
  expression?: string | undefined;
  /** Either `points` or `decision`. */
  action?:
    | {
        /** Percentage of the gap between the score and 100 that the rule closes. */
        points?: number | undefined;
        /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
        decision?: 'allow' | 'review' | 'block' | undefined;
      }
    | undefined;
  /** The subjects that the rule is evaluated for. */
  subject_types?: ('transaction' | 'event')[] | undefined;
  /** When the rule expires. Required for a rule that allows, at most 90 days ahead. */
  expires_at?: string | undefined;
  /** `draft`: not evaluated. `shadow`: evaluated and recorded, without effect on decisions. `live`: affects decisions. `retired`: ended permanently. */
  state?: 'draft' | 'shadow' | 'live' | 'retired' | undefined;
}

export interface RuleCheckRequest {
  /** The condition, in CEL: up to 4,000 characters that evaluate to `true` or `false`. `GET /v1/rules/variables` lists the variables. */
  expression: string;
  /** A stored transaction or event to try the expression on, by the present policy, lists and model. Requires the permission `read_personal`. */
  on?: string | undefined;
}

export interface RuleHitQuery {
  /**
   * Page size.
   * @default 20
   */
  limit?: number | undefined;
  /** Cursor: the last `decision_id` of the previous page. */
  before?: string | undefined;
  /** `item`: adds user, amount, score and label of each item. */
  include?: 'item' | undefined;
}

export interface RuleQuery {
  /** Only rules in this state. Default: all but `retired`. Of the retired rules, the newest 500 are listed. */
  state?: 'draft' | 'shadow' | 'live' | 'retired' | undefined;
}

/** A new rule is a draft. */
export interface RuleRequest {
  /** Lower-case letters, digits and `_`, starting with a letter. Appears in decisions as the signal `rule.<name>`. Unique among rules that are not retired. */
  name: string;
  /** A description for people. */
  description?: string | undefined;
  /** The condition, in CEL: up to 4,000 characters that evaluate to `true` or `false`. `GET /v1/rules/variables` lists the variables. */
  expression: string;
  /** Either `points` or `decision`. */
  action: {
    /** Percentage of the gap between the score and 100 that the rule closes. */
    points?: number | undefined;
    /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
    decision?: 'allow' | 'review' | 'block' | undefined;
  };
  /** The subjects that the rule is evaluated for. */
  subject_types?: ('transaction' | 'event')[] | undefined;
  /** When the rule expires. Required for a rule that allows, at most 90 days ahead. */
  expires_at?: string | undefined;
}

export interface RuleSeriesQuery {
  /** The first day, in UTC. Default: 30 days before `until`, at most 90. */
  from?: string | undefined;
  /** Only hits before this time. Default: now. */
  until?: string | undefined;
}
