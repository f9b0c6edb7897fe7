// Made from the contract by `npm run client`; not to be edited.

/** What turns a score into a decision for this account and environment. */
export interface Policy {
  /** Grows with every change. */
  version: number;
  /** As decisions name it: the default policy, then the version. */
  ruleset_version: string;
  thresholds: {
    transaction: {
      /** Scores from here on are a `review`. */
      review: number;
      /** Scores from here on are a `block`. */
      block: number;
    };
    event: {
      /** Scores from here on are a `review`. */
      review: number;
      /** Scores from here on are a `block`. */
      block: number;
    };
  };
  /** Points of signals that differ from the default policy; 0 takes a signal its say. */
  points: Record<string, number>;
  /** Rules of the account that are asked, in their order. */
  rules: {
    rule_id: string;
    name: string;
    state: 'live' | 'shadow';
  }[];
  author: string | null;
  updated_at: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** What is left out stays as it is; `points` is replaced as a whole. */
export interface PolicyChange {
  thresholds?:
    | {
        transaction?:
          | {
              /** Scores from here on are a `review`. */
              review: number;
              /** Scores from here on are a `block`. */
              block: number;
            }
          | undefined;
        event?:
          | {
              /** Scores from here on are a `review`. */
              review: number;
              /** Scores from here on are a `block`. */
              block: number;
            }
          | undefined;
      }
    | undefined;
  /** Points of signals that differ from the default policy; 0 takes a signal its say. */
  points?: Record<string, number> | undefined;
}

export interface PolicyQuery {
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only versions below this one. */
  before?: number | undefined;
}

/** Newest first. */
export interface PolicyVersions {
  versions: Policy[];
  has_more: boolean;
}
