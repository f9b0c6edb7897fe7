// Generated from the contract by `npm run client`. Do not edit.

import type { PolicyChange } from './types-policy.ts';

/** Effect of a rule or a policy on past screenings. */
export interface Backtest {
  /** The backtest. */
  backtest_id: string;
  status: 'running' | 'done' | 'failed';
  /** From 0 to 1. */
  progress: number;
  /** Exactly one of `rule_id`, `rule` and `policy`. */
  request: BacktestRequest;
  /** Start of the period. */
  from: string;
  /** End of the period. */
  until: string;
  /** When the backtest was requested. */
  created_at: string;
  ended_at: string | null;
  message: string | null;
  outcome: BacktestOutcome | null;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** Newest first. */
export interface BacktestList {
  backtests: Backtest[];
  has_more: boolean;
}

export interface BacktestOutcome {
  /** Number of screenings in the period. */
  items: number;
  /** Number of screenings that the rule matches. For a policy: number of changed decisions. */
  hits: number;
  /** Number of decisions that would have been different. */
  changed: number;
  /** Decisions by the current policy. */
  before: {
    /** Number of `allow`. */
    allow: number;
    /** Number of `review`. */
    review: number;
    /** Number of `block`. */
    block: number;
  };
  /** Decisions with the rule live, or by the changed policy. */
  after: {
    /** Number of `allow`. */
    allow: number;
    /** Number of `review`. */
    review: number;
    /** Number of `block`. */
    block: number;
  };
  /** Confirmed fraud. */
  fraud: {
    /** Items with this label. */
    items: number;
    /** Matched items among them. */
    hits: number;
  };
  /** Confirmed legitimate. */
  legitimate: {
    /** Items with this label. */
    items: number;
    /** Matched items among them. */
    hits: number;
  };
  /** Amounts in US dollars, converted at reference rates. */
  dollars: {
    /** Amount of matched payments. */
    hits: number;
    /** Amount of matched payments that are confirmed fraud. */
    fraud_hits: number;
    /** Amount of matched payments that are confirmed legitimate. */
    legitimate_hits: number;
  };
  /** Overlap with each live rule. */
  overlap: {
    rule_id: string;
    name: string;
    /** Hits of the live rule. */
    hits: number;
    /** Hits of both. */
    both: number;
  }[];
  /** One entry per day, oldest first. */
  days: {
    day: string;
    /** Number of screenings. */
    items: number;
    /** Number of hits. */
    hits: number;
  }[];
  /** The newest hits, up to 20. */
  examples: {
    subject_type: 'transaction' | 'event';
    subject_id: string;
    /** When it was screened. */
    screened_at: string;
    score_before: number;
    score_after: number;
    /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
    decision_before: 'allow' | 'review' | 'block';
    /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
    decision_after: 'allow' | 'review' | 'block';
    label: 'fraud' | 'legitimate' | null;
    /** The main reasons of `decision_after` in one line. */
    summary: string | null;
  }[];
}

export interface BacktestQuery {
  /**
   * Page size.
   * @default 20
   */
  limit?: number | undefined;
  /** Cursor: the last `backtest_id` of the previous page. */
  before?: string | undefined;
}

/** Exactly one of `rule_id`, `rule` and `policy`. */
export interface BacktestRequest {
  /** A stored rule, in any state. */
  rule_id?: string | undefined;
  rule?:
    | {
        /** A rule expression. */
        expression: string;
        /** Either `points` or `decision`. */
        action: {
          /** Percentage of the gap between the score and 100 that the rule closes. */
          points?: number | undefined;
          /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
          decision?: 'allow' | 'review' | 'block' | undefined;
        };
      }
    | undefined;
  /** Omitted fields keep their value; `points` and `budget` are replaced as a whole. */
  policy?: PolicyChange | undefined;
  /** Start of the period. Default: 30 days before `until`. */
  from?: string | undefined;
  /** End of the period, exclusive. Default: now. */
  until?: string | undefined;
}
