// Generated from the contract by `npm run client`. Do not edit.

export interface PolicyQuery {
  /**
   * Page size.
   * @default 20
   */
  limit?: number | undefined;
  /** Cursor: only versions below this one. */
  before?: number | undefined;
}

export interface ProposalQuery {
  /**
   * Decisions of this many days are counted.
   * @default 30
   */
  days?: number | undefined;
}
