// Generated from the contract by `npm run client`. Do not edit.

/** A condition of the account, with the action to take if it matches. */
export interface Rule {
  /** The rule. */
  rule_id: string;
  name: string;
  description: string;
  expression: string;
  /** Either `points` or `decision`. */
  action: {
    /** Percentage of the gap between the score and 100 that the rule closes. */
    points?: number | undefined;
    /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
    decision?: 'allow' | 'review' | 'block' | undefined;
  };
  /** The subjects that the rule is evaluated for. */
  subject_types: ('transaction' | 'event')[];
  /** `draft`: not evaluated. `shadow`: evaluated and recorded, without effect on decisions. `live`: affects decisions. `retired`: ended permanently. */
  state: 'draft' | 'shadow' | 'live' | 'retired';
  expires_at: string | null;
  /** Increases with every change. */
  version: number;
  /** When the rule was created. */
  created_at: string;
  /** When the rule was last changed. */
  updated_at: string;
  /** Number of matches of the current version, in shadow or live. */
  hits: {
    matched: number;
    /** When the rule was last changed. */
    since: string;
  };
  /** Number of failed evaluations since the service started. A failure counts as no match. */
  errors: number;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

export interface RuleCheck {
  valid: boolean;
  /** The first error; empty if the expression is valid. */
  errors: {
    line: number;
    /** Column in characters, from 1. */
    column: number;
    message: string;
    /** The line, with a caret below the error. */
    excerpt: string;
  }[];
  /** Variables of the expression. */
  variables: string[];
  /** Features of the expression. */
  features: string[];
  /** Lists of the expression. */
  lists: string[];
  /** Only with `on`: whether the expression holds. `null` if it fails, which counts as no match. */
  value?: boolean | null | undefined;
  /** Only with `on`: the operands of `&&` and `||`, up to 100, with the value of each. */
  parts?:
    | {
        /** First character, from 0. */
        from: number;
        /** The character after the last. */
        to: number;
        value: boolean | null;
      }[]
    | undefined;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

export interface RuleHitItem {
  user_id: string;
  /** `null` for an event. */
  amount: number | null;
  /** `null` for an event. */
  currency: string | null;
  risk_score: number;
  /** The label that applies now. */
  label: 'fraud' | 'legitimate' | null;
}

/** Newest first. Kept for 90 days. */
export interface RuleHits {
  hits: {
    /** The decision that the rule matched. */
    decision_id: string;
    /** When the item was screened. */
    matched_at: string;
    /** State of the rule at that time. */
    state: 'shadow' | 'live';
    /** Version of the rule at that time. */
    version: number;
    /** The decision. For a shadow rule: the decision if the rule had been live. */
    decision: 'allow' | 'review' | 'block';
    /** Only with `include=item`. */
    item?: RuleHitItem | null | undefined;
  }[];
  has_more: boolean;
}

/** In order of creation, which is the order of evaluation. */
export interface RuleList {
  rules: Rule[];
}

/** Matches of all versions of a rule by day. */
export interface RuleSeries {
  /** One entry per day, oldest first. */
  days: {
    /** The start of the day, in UTC. */
    at: string;
    /** Matches, in shadow or live. */
    hits: number;
    /** Of them in shadow. */
    shadow: number;
    /** Matches of items whose label is now `fraud`. */
    fraud: number;
    /** Matches of items whose label is now `legitimate`. */
    legitimate: number;
  }[];
}

/** Variables, functions and features of expressions. */
export interface RuleVariables {
  variables: {
    name: string;
    type: string;
    /** The subjects that have the variable. */
    on: 'transaction' | 'event' | 'both';
    meaning: string;
  }[];
  functions: {
    form: string;
    meaning: string;
  }[];
  /** Used as `features["user.transactions.1h"]`; all are numbers. */
  features: {
    name: string;
    meaning: string;
  }[];
}

/** Newest first, up to 100. A change of the state is a version, too. */
export interface RuleVersions {
  versions: {
    /** Increases with every change. */
    version: number;
    name: string;
    description: string;
    expression: string;
    /** Either `points` or `decision`. */
    action: {
      /** Percentage of the gap between the score and 100 that the rule closes. */
      points?: number | undefined;
      /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
      decision?: 'allow' | 'review' | 'block' | undefined;
    };
    /** The subjects that the rule is evaluated for. */
    subject_types: ('transaction' | 'event')[];
    /** `draft`: not evaluated. `shadow`: evaluated and recorded, without effect on decisions. `live`: affects decisions. `retired`: ended permanently. */
    state: 'draft' | 'shadow' | 'live' | 'retired';
    expires_at: string | null;
    /** When this version was stored. */
    at: string;
    /** Who stored it: the e-mail address of a person, or an API key. */
    by: string;
  }[];
  /** Whether older versions were left out. */
  cut: boolean;
}
