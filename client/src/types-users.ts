// Generated from the contract by `npm run client`. Do not edit.

import type { Screening } from './types-screenings.ts';

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
    /** `hidden` without the permission `read_personal`. */
    device_token: string;
    /** First use. */
    first_seen_at: string;
    /** Last use. */
    last_seen_at: string;
    count: number;
  }[];
  /** The 20 most recent. */
  ip_addresses: {
    /** `hidden` without the permission `read_personal`. */
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

/** The activity of a user over time. */
export interface Series {
  user_id: string;
  /** Begin of the range that was counted. */
  from: string;
  /** End of the range that was counted. */
  until: string;
  step: '1h' | '1d';
  /** One for each hour or day, oldest first. */
  points: SeriesPoint[];
  /** Whether older items were left out: the newest 20,000 items of the user are counted. */
  cut: boolean;
  /** Everything that was stored before this time is included. */
  as_of: string;
}

export interface SeriesPoint {
  /** Begin of the hour or day. */
  at: string;
  /** Transactions and events. */
  items: number;
  /** Sum of their amounts in US dollars. */
  amount_usd: number;
  /** The highest risk score; `null` without items. */
  max_score: number | null;
  /** Items in review now. */
  review: number;
  /** Items blocked now. */
  block: number;
  /** Items with the label `fraud` now. */
  fraud: number;
}

/** Newest first. Of the labels and reviews of an item, those that apply now are shown. Labels, reviews and, with `kind`, items are looked for in the newest 5,000 items of the user. */
export interface Timeline {
  entries: TimelineEntry[];
  /** Whether there are more: continue with `next_before`. */
  has_more: boolean;
  /** The `before` of the next page. `null` at the end. */
  next_before: string | null;
  /** Everything that was stored before this time is included. */
  as_of: string;
}

export interface TimelineEntry {
  kind: 'transaction' | 'event' | 'label' | 'review';
  /** When it happened. */
  at: string;
  subject_id: string;
  /** The item of a `transaction` or `event`; `null` for others. */
  screening: Screening | null;
  /** The label of a `label`; `null` for others. */
  label: 'fraud' | 'legitimate' | null;
  /** The decision of a `review`, which also resolves a case; `null` for others. */
  decision: 'allow' | 'block' | null;
}

/** The user with the newest matching item first, or with `q`, in the order of ids. Each user appears once. */
export interface UserList {
  users: UserSummary[];
  /** Whether there may be more: continue with `next_before`. */
  has_more: boolean;
  /** The `before` of the next page. `null` at the end. */
  next_before: string | null;
  /** Set if the search stopped at its time limit: the page may have fewer users than `limit`, or none, and others may follow. */
  looked_back_to: string | null;
  /** Every item and label that was stored before this time is included. */
  as_of: string;
}

/** A user. `risk_score` and `decision` are those of the newest screening. */
export interface UserSummary {
  user_id: string;
  /** The oldest of the counted screenings. */
  first_seen_at: string;
  /** The newest screening. */
  last_seen_at: string;
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
  decision: 'allow' | 'review' | 'block';
  /** Screenings of the last 90 days: the newest ones, up to 1,000. The other figures are about these. */
  items: number;
  /** Sum of their amounts in US dollars. */
  amount_usd: number;
  /** Items whose decision is `review`. */
  review: number;
  /** Items whose decision is `block`. */
  block: number;
  /** Items with the label `fraud`. */
  fraud: number;
}

/** What a user usually does. */
export interface Usual {
  user_id: string;
  /** The newest items before `until`, up to 500. Everything else is about these. */
  items: number;
  /** The oldest of them. */
  first_seen_at: string;
  /** The newest of them. */
  last_seen_at: string;
  /** Days, in UTC, with at least one of them. */
  days: number;
  /** Amounts of payments in US dollars; `null` without any. */
  amount_usd: {
    /** One payment in ten is not larger. */
    p10: number;
    /** The median. */
    p50: number;
    /** Nine payments in ten are not larger. */
    p90: number;
    /** The largest. */
    max: number;
  } | null;
  /** Number of items by hour of the day, in UTC: 24 numbers. */
  hours: number[];
  /** Countries of the IP address. The ten most frequent. */
  countries: {
    value: string;
    items: number;
    /** The newest of them. */
    last_seen_at: string;
  }[];
  /** Currencies of payments. The ten most frequent. */
  currencies: {
    value: string;
    items: number;
    /** The newest of them. */
    last_seen_at: string;
  }[];
  /** Devices, by their ids or your identifiers. The ten most frequent. */
  devices: {
    value: string;
    items: number;
    /** The newest of them. */
    last_seen_at: string;
  }[];
  /** Networks of the IP address. The ten most frequent. */
  networks: {
    value: string;
    items: number;
    /** The newest of them. */
    last_seen_at: string;
  }[];
  /** Payment instruments. The ten most frequent. */
  payment_fingerprints: {
    value: string;
    items: number;
    /** The newest of them. */
    last_seen_at: string;
  }[];
  /** Payees. The ten most frequent. */
  counterparties: {
    value: string;
    items: number;
    /** The newest of them. */
    last_seen_at: string;
  }[];
  /** Everything that was stored before this time is included. */
  as_of: string;
}
