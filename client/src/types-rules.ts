// Made from the contract by `npm run client`; not to be edited.

/** A condition of your own, and what follows from it. */
export interface Rule {
  /** The rule. */
  rule_id: string;
  name: string;
  description: string;
  expression: string;
  /** Either `points` or `decision`. */
  action: {
    /** Hundredths of what is left of the score up to 100. */
    points?: number | undefined;
    /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
    decision?: 'allow' | 'review' | 'block' | undefined;
  };
  /** What it is asked of. */
  subject_types: ('transaction' | 'event')[];
  /** `draft`: not asked. `shadow`: asked, and what it would have done is noted. `live`: decides. `retired`: ended for good. */
  state: 'draft' | 'shadow' | 'live' | 'retired';
  expires_at: string | null;
  /** Grows with every change. */
  version: number;
  /** When it was made. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** How often it matched, in shadow or live, as it is now. */
  hits: {
    matched: number;
    /** When it was last changed. */
    since: string;
  };
  /** How often asking it failed since the service started, which counts as no match. */
  errors: number;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** What is left out stays as it is. */
export interface RuleChange {
  /** Small letters, digits and `_`, a letter first. Decisions name the rule by it: the signal is `rule.<name>`. No two rules that are not retired have the same. */
  name?: string | undefined;
  /** For people. */
  description?: string | undefined;
  /** When the rule matches, in CEL: up to 4,000 characters that come to `true` or `false`. `GET /v1/rules/variables` lists what it may name. */
  expression?: string | undefined;
  /** Either `points` or `decision`. */
  action?:
    | {
        /** Hundredths of what is left of the score up to 100. */
        points?: number | undefined;
        /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
        decision?: 'allow' | 'review' | 'block' | undefined;
      }
    | undefined;
  /** What it is asked of. */
  subject_types?: ('transaction' | 'event')[] | undefined;
  /** From this moment on it matches nothing. A rule that allows must have one, at most 90 days ahead. */
  expires_at?: string | undefined;
  /** `draft`: not asked. `shadow`: asked, and what it would have done is noted. `live`: decides. `retired`: ended for good. */
  state?: 'draft' | 'shadow' | 'live' | 'retired' | undefined;
}

export interface RuleCheck {
  valid: boolean;
  /** The first thing that is wrong; none when it is valid. */
  errors: {
    line: number;
    /** In characters, from 1. */
    column: number;
    message: string;
    /** The line, and below it a caret under the place. */
    excerpt: string;
  }[];
  /** The variables it names. */
  variables: string[];
  /** The features it names. */
  features: string[];
  /** The lists it names. */
  lists: string[];
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

export interface RuleCheckRequest {
  /** When the rule matches, in CEL: up to 4,000 characters that come to `true` or `false`. `GET /v1/rules/variables` lists what it may name. */
  expression: string;
}

export interface RuleHitQuery {
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only older ones: the last `decision_id` of the page before. */
  before?: string | undefined;
}

/** Newest first. Kept for 90 days. */
export interface RuleHits {
  hits: {
    /** The decision it had a say in, or would have had. */
    decision_id: string;
    /** When it was screened. */
    matched_at: string;
    /** Of the rule, then. */
    state: 'shadow' | 'live';
    /** Of the rule, then. */
    version: number;
    /** What was decided; of a rule in shadow, what would have been with it live. */
    decision: 'allow' | 'review' | 'block';
  }[];
  has_more: boolean;
}

/** In the order they were made, which is the order they are asked in. */
export interface RuleList {
  rules: Rule[];
}

export interface RuleQuery {
  /** Only those in this state. Absent: all but `retired`. */
  state?: 'draft' | 'shadow' | 'live' | 'retired' | undefined;
}

/** A rule begins as a draft. */
export interface RuleRequest {
  /** Small letters, digits and `_`, a letter first. Decisions name the rule by it: the signal is `rule.<name>`. No two rules that are not retired have the same. */
  name: string;
  /** For people. */
  description?: string | undefined;
  /** When the rule matches, in CEL: up to 4,000 characters that come to `true` or `false`. `GET /v1/rules/variables` lists what it may name. */
  expression: string;
  /** Either `points` or `decision`. */
  action: {
    /** Hundredths of what is left of the score up to 100. */
    points?: number | undefined;
    /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
    decision?: 'allow' | 'review' | 'block' | undefined;
  };
  /** What it is asked of. */
  subject_types?: ('transaction' | 'event')[] | undefined;
  /** From this moment on it matches nothing. A rule that allows must have one, at most 90 days ahead. */
  expires_at?: string | undefined;
}

/** What an expression may name. */
export interface RuleVariables {
  variables: {
    name: string;
    type: string;
    /** What has it; on the others it is absent. */
    on: 'transaction' | 'event' | 'both';
    meaning: string;
  }[];
  functions: {
    form: string;
    meaning: string;
  }[];
  /** Named as `features["user.transactions.1h"]`; all are numbers. */
  features: {
    name: string;
    meaning: string;
  }[];
}
