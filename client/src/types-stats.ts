// Generated from the contract by `npm run client`. Do not edit.

export interface AnalystFigures {
  /** As sent with the resolution. `null`: none was sent. */
  analyst_id: string | null;
  /** Cases resolved as `approved`. */
  approved: number;
  /** Cases resolved as `rejected`. */
  rejected: number;
  /** Seconds from opening to resolution, of the cases resolved in this time. `null` without one. */
  seconds_to_resolve: ResolveTime | null;
  /** Cases resolved within the present `review_target_minutes` of the account. `null` without a target. */
  within_target: number | null;
}

export interface CaseDay {
  /** Start of the day, in UTC. */
  at: string;
  /** Cases opened. */
  opened: number;
  /** Cases resolved as `approved`. */
  approved: number;
  /** Cases resolved as `rejected`. */
  rejected: number;
  /** Seconds from opening to resolution, of the cases resolved in this time. `null` without one. */
  seconds_to_resolve: ResolveTime | null;
  /** Cases resolved within the present `review_target_minutes` of the account. `null` without a target. */
  within_target: number | null;
  /** Cases that expired without a resolution. */
  expired: number;
}

export interface CaseFigures {
  /** Cases opened. */
  opened: number;
  /** Cases resolved as `approved`. */
  approved: number;
  /** Cases resolved as `rejected`. */
  rejected: number;
  /** Seconds from opening to resolution, of the cases resolved in this time. `null` without one. */
  seconds_to_resolve: ResolveTime | null;
  /** Cases resolved within the present `review_target_minutes` of the account. `null` without a target. */
  within_target: number | null;
  /** Cases that expired without a resolution. */
  expired: number;
}

/** How cases were handled. */
export interface CaseStats {
  /** The start of the first day that was counted. Later than asked for if there are more than 100,000 cases of a kind. */
  from: string;
  /** The end of the last hour or day that was counted. */
  until: string;
  /** Everything that was stored before this time is included. */
  as_of: string;
  totals: CaseFigures;
  /** Every day of the range, the oldest first. A case counts as opened, resolved or expired on the day when that happened. */
  days: CaseDay[];
  /** The 100 analysts with the most resolutions, the most first. */
  analysts: AnalystFigures[];
}

export interface CountryFigures {
  /** Country of the IP address, ISO 3166-1 alpha-2. `null`: unknown. */
  country: string | null;
  /** Number of items. */
  items: number;
  /** Sum of their amounts in US dollars. */
  amount_usd: number;
  /** Items with the label `fraud` now. */
  fraud: number;
  /** Items with the label `legitimate` now. */
  legitimate: number;
  /** Sum of the amounts with the label `fraud` now. */
  fraud_usd: number;
}

/** Items by country of the IP address, the most frequent first. */
export interface CountryStats {
  /** The start of the first hour or day that was counted. */
  from: string;
  /** The end of the last hour or day that was counted. */
  until: string;
  /** Every item and label that was stored before this time is included. */
  as_of: string;
  countries: CountryFigures[];
  /** Whether there are more than 500. The entries with the fewest items are left out. */
  cut: boolean;
}

export interface DecisionFigures {
  /** Items that the screening allowed. */
  allow: number;
  /** Items that the screening held for review. */
  review: number;
  /** Items that the screening blocked. */
  block: number;
  /** Sum of all amounts in US dollars. */
  amount_usd: number;
  /** Sum of the amounts that the screening held or blocked. */
  held_usd: number;
  /** Sum of the amounts held or blocked that have the label `fraud` now. */
  saved_usd: number;
  /** Items with the label `fraud` now. */
  fraud: number;
  /** Items with the label `legitimate` now. */
  legitimate: number;
  /** Sum of all amounts with the label `fraud` now. Without `saved_usd`, it is the loss. */
  fraud_usd: number;
}

export interface DecisionPoint {
  /** Start of the hour or day. */
  at: string;
  /** Items that the screening allowed. */
  allow: number;
  /** Items that the screening held for review. */
  review: number;
  /** Items that the screening blocked. */
  block: number;
  /** Sum of all amounts in US dollars. */
  amount_usd: number;
  /** Sum of the amounts that the screening held or blocked. */
  held_usd: number;
  /** Sum of the amounts held or blocked that have the label `fraud` now. */
  saved_usd: number;
  /** Items with the label `fraud` now. */
  fraud: number;
  /** Items with the label `legitimate` now. */
  legitimate: number;
  /** Sum of all amounts with the label `fraud` now. Without `saved_usd`, it is the loss. */
  fraud_usd: number;
}

/** Decisions and amounts over time. */
export interface DecisionStats {
  /** The start of the first hour or day that was counted. */
  from: string;
  /** The end of the last hour or day that was counted. */
  until: string;
  /** Every item and label that was stored before this time is included. */
  as_of: string;
  step: '1h' | '1d';
  totals: DecisionFigures;
  /** Every hour or day of the range, the oldest first. */
  points: DecisionPoint[];
}

export interface MemberShare {
  type: 'transaction' | 'event';
  name: 'ip_address' | 'device_token' | 'email' | 'payment_fingerprint' | 'counterparty_id';
  /** Screenings of this type. */
  requests: number;
  /** The share of these whose request had the member. `null` without a screening. */
  share: number | null;
}

export interface ResolveTime {
  /** Median. */
  p50: number;
  /** 90 % took no longer. */
  p90: number;
}

export interface RuleFigures {
  /** A live rule that matched. */
  rule_id: string;
  /** Number of items. */
  items: number;
  /** Sum of their amounts in US dollars. */
  amount_usd: number;
  /** Items with the label `fraud` now. */
  fraud: number;
  /** Items with the label `legitimate` now. */
  legitimate: number;
  /** Sum of the amounts with the label `fraud` now. */
  fraud_usd: number;
}

/** Items by live rule that matched, the most frequent first. */
export interface RuleStats {
  /** The start of the first hour or day that was counted. */
  from: string;
  /** The end of the last hour or day that was counted. */
  until: string;
  /** Every item and label that was stored before this time is included. */
  as_of: string;
  rules: RuleFigures[];
  /** Whether there are more than 500. The entries with the fewest items are left out. */
  cut: boolean;
}

export interface ScoreFigures {
  score: number;
  /** Number of items. */
  items: number;
  /** Sum of their amounts in US dollars. */
  amount_usd: number;
  /** Items with the label `fraud` now. */
  fraud: number;
  /** Items with the label `legitimate` now. */
  legitimate: number;
  /** Sum of the amounts with the label `fraud` now. */
  fraud_usd: number;
}

/** Items by risk score. */
export interface ScoreStats {
  /** The start of the first hour or day that was counted. */
  from: string;
  /** The end of the last hour or day that was counted. */
  until: string;
  /** Every item and label that was stored before this time is included. */
  as_of: string;
  /** One entry for each score from 0 to 100. */
  scores: ScoreFigures[];
}

/** State of the service. */
export interface ServiceStats {
  /** Version of the service. */
  version: string;
  store: 'embedded' | 'postgresql';
  /** Screenings of this account and environment in the last minute. */
  screenings_per_minute: number;
  /** Response time of screenings in the last minute in the process that answers, of all accounts. Estimated from a histogram. `null` without one. */
  latency_ms: {
    p50: number;
    p99: number;
  } | null;
  /** How far search and statistics are behind the stored screenings and labels. */
  search_behind_seconds: number;
  /** Webhook messages of this account and environment that are not delivered yet, counted up to 100,000. */
  deliveries_pending: number;
  /** Optional members of the requests of this account and environment in the last 24 hours. A signal that needs a member is never active without it. */
  members: MemberShare[];
  /** When the figures were read. */
  as_of: string;
}

export interface SignalFigures {
  signal: string;
  /** Number of items. */
  items: number;
  /** Sum of their amounts in US dollars. */
  amount_usd: number;
  /** Items with the label `fraud` now. */
  fraud: number;
  /** Items with the label `legitimate` now. */
  legitimate: number;
  /** Sum of the amounts with the label `fraud` now. */
  fraud_usd: number;
}

/** Items by active signal, the most frequent first. */
export interface SignalStats {
  /** The start of the first hour or day that was counted. */
  from: string;
  /** The end of the last hour or day that was counted. */
  until: string;
  /** Every item and label that was stored before this time is included. */
  as_of: string;
  signals: SignalFigures[];
  /** Whether there are more than 500. The entries with the fewest items are left out. */
  cut: boolean;
}
