import type { ScoreQuality } from '@portcullis/contract';
import type { Budget, Money, Thresholds } from '@portcullis/engine';

/** An item of the tested period with its decision. Items come in the order of time. */
export interface TestedItem {
  readonly row: number;
  readonly at: number;
  /** NaN for an item without an amount. */
  readonly dollars: number;
  /** Undefined for an item without an amount. */
  readonly money: Money | undefined;
  readonly label: 0 | 1 | undefined;
  readonly attack: string | undefined;
  readonly probability: number;
  /** A whole number from 0 to 100. */
  readonly score: number;
  readonly decision: 'allow' | 'review' | 'block';
  readonly signals: readonly string[];
}

export interface ByDecision {
  allow: number;
  review: number;
  block: number;
}

export interface ByLabel<T> {
  fraud: T;
  legitimate: T;
  unlabelled: T;
}

/** Counts if every item with at least this score were held. */
export interface ThresholdRow {
  readonly score: number;
  readonly items_flagged: number;
  readonly frauds_caught: number;
  /** Recall. */
  readonly fraud_share_caught: number | null;
  readonly legitimates_flagged: number;
  /** False positive rate. */
  readonly legitimate_share_flagged: number | null;
  readonly precision: number | null;
  readonly fraud_dollars_caught: number | null;
  readonly fraud_dollars_missed: number | null;
  readonly legitimate_dollars_held: number | null;
}

/** A week from Monday (UTC). Weeks without items are left out. */
export interface WeekRow {
  readonly week_start: string;
  readonly items: number;
  readonly frauds: number;
  readonly average_score: number;
  readonly flagged_share: number;
  readonly auc_roc: number | null;
  readonly average_precision: number | null;
  /** Drift of the scores since the first week; 0 means none. */
  readonly population_stability_index: number;
}

/**
 * The result of a backtest as plain JSON. A metric that cannot be computed is null: most need both labels, dollars
 * need amounts.
 */
export interface BacktestResult {
  readonly rows: number;
  readonly frauds: number;
  readonly legitimates: number;
  readonly unlabelled: number;
  /** The served score and its decisions, of labelled items. */
  readonly served: ScoreQuality;
  /** The model alone: ranked by its probability, decided by its own score. */
  readonly model_alone: ScoreQuality;
  readonly auc_roc: number | null;
  readonly average_precision: number | null;
  readonly recall_at_0_1_percent_fp: number | null;
  readonly recall_at_1_percent_fp: number | null;
  readonly decisions_by_label: ByLabel<ByDecision>;
  readonly dollars_by_label: ByLabel<ByDecision> | null;
  readonly thresholds_in_force: { readonly review: number; readonly block: number };
  readonly budget: Budget;
  /** The lowest thresholds within the budget. Items without a label count as legitimate. Null for too few items. */
  readonly thresholds_by_budget: Thresholds | null;
  readonly thresholds: readonly ThresholdRow[];
  readonly top_signals: readonly {
    readonly name: string;
    readonly items: number;
    readonly labelled: number;
    readonly frauds: number;
    readonly precision: number | null;
    /** The 95 % interval of the precision. */
    readonly precision_low: number | null;
    readonly precision_high: number | null;
    readonly fraud_share: number | null;
  }[];
  readonly attacks: readonly {
    readonly name: string;
    readonly items: number;
    readonly flagged: number;
    readonly blocked: number;
  }[];
  readonly weeks: readonly WeekRow[];
  readonly score_distribution: readonly ({ readonly from: number; readonly to: number } & Readonly<ByLabel<number>>)[];
  readonly calibration: readonly {
    readonly from: number;
    readonly to: number;
    readonly items: number;
    readonly mean_probability: number | null;
    readonly fraud_share: number | null;
  }[];
  readonly roc_curve: readonly { readonly false_positive_share: number; readonly recall: number }[];
  readonly precision_recall_curve: readonly { readonly recall: number; readonly precision: number }[];
}
