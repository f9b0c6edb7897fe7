// Generated from the contract by `npm run client`. Do not edit.

import type { BacktestRequest } from './types-backtests-requests.ts';

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
  /** `null` in backtests of an earlier version. */
  quality: BacktestQuality | null;
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

/** How good the served score is, before and after. Items without a label count as legitimate. */
export interface BacktestQuality {
  /** A figure without items to compute it from is `null`. */
  before: ScoreQuality;
  /** A figure without items to compute it from is `null`. */
  after: ScoreQuality;
  /** The model alone: ranked by its probability, decided by its own score and the current thresholds. */
  model: ScoreQuality | null;
  /** Active signals and rules, most precise first. */
  signals: {
    signal: string;
    /** Items on which it is active. */
    items: number;
    /** Known fraud among them. */
    frauds: number;
    /** Their share. */
    precision: number;
    /** Start of its 95 % interval. */
    precision_low: number;
    /** End of its 95 % interval. */
    precision_high: number;
  }[];
  /** The lowest thresholds within the budget, for the scores of `after`. `null` for fewer than 1,000 items, or where no thresholds stay within it. */
  thresholds_by_budget: {
    transaction: {
      /** Lowest score that gets `review`. */
      review: number;
      /** Lowest score that gets `block`. */
      block: number;
    } | null;
    event: {
      /** Lowest score that gets `review`. */
      review: number;
      /** Lowest score that gets `block`. */
      block: number;
    } | null;
  };
}

/** A figure without items to compute it from is `null`. */
export interface ScoreQuality {
  /** Probability that a fraud scores above another item. */
  auc_roc: number | null;
  /** Mean precision over all thresholds. */
  average_precision: number | null;
  /** Share of the fraud above 0.1 % of other items. */
  recall_at_0_1_percent_fp: number | null;
  /** Share of the fraud above 1 % of other items. */
  recall_at_1_percent_fp: number | null;
  /** Items that are not known fraud, reviewed or blocked, per 10,000. */
  reviewed_per_10k: number | null;
  /** Items that are not known fraud, blocked, per 10,000. */
  blocked_per_10k: number | null;
  /** Share of the fraud that is reviewed or blocked. */
  fraud_held: number | null;
  /** Amounts of payments, by currency. */
  money: {
    currency: string;
    /** Amount of fraud that is reviewed or blocked. */
    fraud_held: number;
    /** Amount of fraud that is allowed. */
    fraud_missed: number;
    /** Other amount that is reviewed or blocked. */
    legitimate_held: number;
  }[];
}
