// Made from the contract by `npm run client`; not to be edited.

/** What is known of one of your users. */
export interface RiskProfile {
  user_id: string;
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  risk_level: 'low' | 'medium' | 'high';
  /** First screening. */
  first_seen_at: string;
  /** Last screening. */
  last_seen_at: string;
  transactions: {
    count: number;
    /** Total amount per currency. */
    total_by_currency: Record<string, number>;
    /** How many got each decision. */
    by_decision: Record<string, number>;
  };
  events: {
    count: number;
    /** How many of each type. */
    by_type: Record<string, number>;
  };
  cases: {
    count: number;
    /** How many are in each status. */
    by_status: Record<string, number>;
  };
  /** Payments and events of theirs whose label in force is `fraud`. */
  confirmed_fraud: number;
  /** Transactions in the time before now. */
  velocity: {
    '1h': {
      count: number;
      /** In US dollars. */
      amount: number;
    };
    '24h': {
      count: number;
      /** In US dollars. */
      amount: number;
    };
    '7d': {
      count: number;
      /** In US dollars. */
      amount: number;
    };
    '30d': {
      count: number;
      /** In US dollars. */
      amount: number;
    };
  };
  /** The newest 20. */
  devices: {
    device_token: string;
    /** First time. */
    first_seen_at: string;
    /** Last time. */
    last_seen_at: string;
    count: number;
  }[];
  /** The newest 20. */
  ip_addresses: {
    ip_address: string;
    /** First time. */
    first_seen_at: string;
    /** Last time. */
    last_seen_at: string;
    count: number;
  }[];
  /** The newest 20. */
  countries: {
    country: string;
    /** First time. */
    first_seen_at: string;
    /** Last time. */
    last_seen_at: string;
    count: number;
  }[];
  /** The most recent 20. */
  signals: {
    signal: string;
    count: number;
    /** Last time. */
    last_seen_at: string;
  }[];
}
