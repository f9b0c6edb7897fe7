// Generated from the contract by `npm run client`. Do not edit.

/** Thresholds and points of this account and environment. */
export interface Policy {
  /** Increases with every change. */
  version: number;
  /** The version as named in decisions: the default policy, then this version. */
  ruleset_version: string;
  thresholds: {
    transaction: {
      /** Lowest score that gets `review`. */
      review: number;
      /** Lowest score that gets `block`. */
      block: number;
    };
    event: {
      /** Lowest score that gets `review`. */
      review: number;
      /** Lowest score that gets `block`. */
      block: number;
    };
  };
  /** Points of signals that differ from the default policy. 0 disables the signal. */
  points: Record<string, number>;
  /** Live and shadow rules of the account, in order of evaluation. */
  rules: {
    rule_id: string;
    name: string;
    state: 'live' | 'shadow';
  }[];
  author: string | null;
  updated_at: string | null;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** Omitted fields keep their value; `points` is replaced as a whole. */
export interface PolicyChange {
  thresholds?:
    | {
        transaction?:
          | {
              /** Lowest score that gets `review`. */
              review: number;
              /** Lowest score that gets `block`. */
              block: number;
            }
          | undefined;
        event?:
          | {
              /** Lowest score that gets `review`. */
              review: number;
              /** Lowest score that gets `block`. */
              block: number;
            }
          | undefined;
      }
    | undefined;
  /** Points of signals that differ from the default policy. 0 disables the signal. */
  points?: Record<string, number> | undefined;
}

export interface PolicyQuery {
  /**
   * Page size.
   * @default 20
   */
  limit?: number | undefined;
  /** Cursor: only versions below this one. */
  before?: number | undefined;
}

/** Newest first. */
export interface PolicyVersions {
  versions: Policy[];
  has_more: boolean;
}
