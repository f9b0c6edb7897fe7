// Generated from the contract by `npm run client`. Do not edit.

export interface PromotionRequest {
  /**
   * Promote a rejected model as well.
   * @default false
   */
  force?: boolean | undefined;
}

export interface TrainingQuery {
  /**
   * Page size.
   * @default 20
   */
  limit?: number | undefined;
  /** Cursor: the last `training_id` of the previous page. */
  before?: string | undefined;
}

export interface TrainingRequest {
  /**
   * An allowed item without a label counts as legitimate once it is this many days old.
   * @default 30
   */
  maturity_days?: number | undefined;
}
