// Made from the contract by `npm run client`; not to be edited.

import type { PolicyChange } from './types.ts';

/** What a rule or a policy would have done. */
export interface Backtest {
  /** The backtest. */
  backtest_id: string;
  status: 'running' | 'done' | 'failed';
  /** From 0 to 1. */
  progress: number;
  /** Exactly one of `rule_id`, `rule` and `policy`. */
  request: BacktestRequest;
  /** Where it begins. */
  from: string;
  /** Where it ends. */
  until: string;
  /** When it was asked for. */
  created_at: string;
  ended_at: string | null;
  message: string | null;
  outcome: BacktestOutcome | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** Newest first. */
export interface BacktestList {
  backtests: Backtest[];
  has_more: boolean;
}

export interface BacktestOutcome {
  /** How many were screened in the time. */
  items: number;
  /** How many the rule matches; of a policy, how many it decides otherwise. */
  hits: number;
  /** How many would have been decided otherwise. */
  changed: number;
  /** By the policy in force. */
  before: {
    /** Allowed. */
    allow: number;
    /** Held. */
    review: number;
    /** Blocked. */
    block: number;
  };
  /** With the rule live, or by the changed policy. */
  after: {
    /** Allowed. */
    allow: number;
    /** Held. */
    review: number;
    /** Blocked. */
    block: number;
  };
  /** Confirmed fraud. */
  fraud: {
    /** With this label. */
    items: number;
    /** Of these, matched. */
    hits: number;
  };
  /** Confirmed to be legitimate. */
  legitimate: {
    /** With this label. */
    items: number;
    /** Of these, matched. */
    hits: number;
  };
  /** Amounts, converted at reference rates. */
  dollars: {
    /** Payments that are matched. */
    hits: number;
    /** Of these, confirmed fraud. */
    fraud_hits: number;
    /** Of these, confirmed to be legitimate. */
    legitimate_hits: number;
  };
  /** Rules that are live. */
  overlap: {
    rule_id: string;
    name: string;
    /** Matched by the live rule. */
    hits: number;
    /** Matched by both. */
    both: number;
  }[];
  /** Day by day, oldest first. */
  days: {
    day: string;
    /** Screened. */
    items: number;
    /** Matched. */
    hits: number;
  }[];
  /** The newest hits, at most 20. */
  examples: {
    subject_type: 'transaction' | 'event';
    subject_id: string;
    /** When it was screened. */
    screened_at: string;
    score_before: number;
    score_after: number;
    /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
    decision_before: 'allow' | 'review' | 'block';
    /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
    decision_after: 'allow' | 'review' | 'block';
    label: 'fraud' | 'legitimate' | null;
  }[];
}

export interface BacktestQuery {
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only older ones: the last `backtest_id` of the page before. */
  before?: string | undefined;
}

/** Exactly one of `rule_id`, `rule` and `policy`. */
export interface BacktestRequest {
  /** A rule that is stored, in whatever state. */
  rule_id?: string | undefined;
  rule?:
    | {
        /** As in a rule. */
        expression: string;
        /** Either `points` or `decision`. */
        action: {
          /** Hundredths of what is left of the score up to 100. */
          points?: number | undefined;
          /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
          decision?: 'allow' | 'review' | 'block' | undefined;
        };
      }
    | undefined;
  /** What is left out stays as it is; `points` is replaced as a whole. */
  policy?: PolicyChange | undefined;
  /** What was screened from here on; 30 days before `until` where it is left out. */
  from?: string | undefined;
  /** And before this; now where it is left out. */
  until?: string | undefined;
}
