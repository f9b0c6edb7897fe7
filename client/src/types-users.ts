// Generated from the contract by `npm run client`. Do not edit.

/** Risk profile of one of your users. */
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
    /** Number of transactions by decision. */
    by_decision: Record<string, number>;
  };
  events: {
    count: number;
    /** Number of events by type. */
    by_type: Record<string, number>;
  };
  cases: {
    count: number;
    /** Number of cases by status. */
    by_status: Record<string, number>;
  };
  /** Number of transactions and events of the user with the label `fraud`. */
  confirmed_fraud: number;
  /** Transactions in the last hour, day, week and month. */
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
  /** The 20 most recent. */
  devices: {
    device_token: string;
    /** First use. */
    first_seen_at: string;
    /** Last use. */
    last_seen_at: string;
    count: number;
  }[];
  /** The 20 most recent. */
  ip_addresses: {
    ip_address: string;
    /** First use. */
    first_seen_at: string;
    /** Last use. */
    last_seen_at: string;
    count: number;
  }[];
  /** The 20 most recent. */
  countries: {
    country: string;
    /** First use. */
    first_seen_at: string;
    /** Last use. */
    last_seen_at: string;
    count: number;
  }[];
  /** The 20 most recent. */
  signals: {
    signal: string;
    count: number;
    /** Last occurrence. */
    last_seen_at: string;
  }[];
}
