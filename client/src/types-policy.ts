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
  /** Points of signals, on top of what the model has learned about them. By default no signal has any, and signals of known fraud lead to a review at least; points for one of these, even 0, replace that. */
  points: Record<string, number>;
  /** Legitimate items that the account accepts to hold; `null` where none is set. */
  budget: {
    transaction: {
      /** Legitimate items per 10,000 that may be reviewed, including those that are blocked. */
      reviewed_per_10k: number;
      /** Legitimate items per 10,000 that may be blocked. */
      blocked_per_10k: number;
    } | null;
    event: {
      /** Legitimate items per 10,000 that may be reviewed, including those that are blocked. */
      reviewed_per_10k: number;
      /** Legitimate items per 10,000 that may be blocked. */
      blocked_per_10k: number;
    } | null;
  };
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

/** Thresholds within the budget, from the stored decisions of this account. */
export interface PolicyProposal {
  /** Time of the first counted decision, or the start of the period where all of it was counted. */
  from: string;
  /** When the decisions were counted. */
  until: string;
  /** Thresholds for items of one type. */
  transaction: ThresholdProposal;
  /** Thresholds for items of one type. */
  event: ThresholdProposal;
}

/** Newest first. */
export interface PolicyVersions {
  versions: Policy[];
  has_more: boolean;
}

/** Thresholds for items of one type. */
export interface ThresholdProposal {
  /** Decisions of the period: by label, and those that no threshold changes. */
  items: {
    /** Labelled as legitimate. */
    legitimate: number;
    /** Labelled as fraud. */
    fraud: number;
    /** Without a label. They count as legitimate. */
    unlabelled: number;
    /** Decided by a list, a rule or a test address, with any label. They are left out of all rates. */
    forced: number;
  };
  budget: {
    /** Legitimate items per 10,000 that may be reviewed, including those that are blocked. */
    reviewed_per_10k: number;
    /** Legitimate items per 10,000 that may be blocked. */
    blocked_per_10k: number;
  };
  /** True where the policy has no budget: 100 reviewed and 5 blocked per 10,000. */
  is_default_budget: boolean;
  current: {
    thresholds: {
      /** Lowest score that gets `review`. */
      review: number;
      /** Lowest score that gets `block`. */
      block: number;
    };
    /** Legitimate items per 10,000 from `review` on, including those from `block` on. */
    reviewed_per_10k: number | null;
    /** Legitimate items per 10,000 from `block` on. */
    blocked_per_10k: number | null;
    /** Known fraud from `review` on, including that from `block` on. */
    fraud_reviewed: number;
    /** Known fraud from `block` on. */
    fraud_blocked: number;
  };
  /** The lowest thresholds within the budget. `null`: see `message`. */
  proposed: {
    thresholds: {
      /** Lowest score that gets `review`. */
      review: number;
      /** Lowest score that gets `block`. */
      block: number;
    };
    /** Legitimate items per 10,000 from `review` on, including those from `block` on. */
    reviewed_per_10k: number | null;
    /** Legitimate items per 10,000 from `block` on. */
    blocked_per_10k: number | null;
    /** Known fraud from `review` on, including that from `block` on. */
    fraud_reviewed: number;
    /** Known fraud from `block` on. */
    fraud_blocked: number;
  } | null;
  message: string | null;
  /** For each threshold from 1 to 100: what it holds. */
  trade_off: {
    /** Items with at least this score. */
    threshold: number;
    /** Legitimate and unlabelled items. */
    legitimate: number;
    /** The same per 10,000 of all such items. */
    legitimate_per_10k: number | null;
    /** Known fraud. */
    fraud: number;
    /** Amount of that fraud in US dollars, as far as its currencies have a reference rate. */
    fraud_dollars: number;
  }[];
}
