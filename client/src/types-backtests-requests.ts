// Generated from the contract by `npm run client`. Do not edit.

import type { PolicyChange } from './types-decisions-requests.ts';

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
