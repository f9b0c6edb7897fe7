// Generated from the contract by `npm run client`. Do not edit.

/** A screened transaction or event. `decision` applies now, after any reviews; `automated_decision` is the result of the screening. */
export interface Screening {
  subject_type: 'transaction' | 'event';
  /** The `transaction_id` or `event_id`. */
  subject_id: string;
  /** When the item was screened. */
  screened_at: string;
  user_id: string;
  /** `null` for an event. */
  amount: number | null;
  /** `null` for an event. */
  currency: string | null;
  /** The amount in US dollars at a reference rate. `null` for an event and for a currency without a rate. */
  amount_usd: number | null;
  /** `null` for a transaction. */
  event_type:
    | 'login'
    | 'signup'
    | 'password_reset'
    | 'password_change'
    | 'email_change'
    | 'phone_change'
    | 'address_change'
    | 'mfa_change'
    | 'payment_method_added'
    | 'payout_request'
    | 'logout'
    | 'other'
    | null;
  /** `null` for a transaction. */
  outcome: 'succeeded' | 'failed' | null;
  /** Country of the IP address; `null` if it is unknown. */
  country: string | null;
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
  decision: 'allow' | 'review' | 'block';
  /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
  automated_decision: 'allow' | 'review' | 'block';
  /** Names of the active risk signals. */
  signals: string[];
  /** The label that applies now. */
  label: 'fraud' | 'legitimate' | null;
  /** The decision, with its factors and reviews. */
  decision_id: string;
  /** `null` unless the item was held for review. */
  case_id: string | null;
}

/** Newest first. */
export interface ScreeningList {
  screenings: Screening[];
  /** Whether there may be more: continue with `next_before`. */
  has_more: boolean;
  /** The `before` of the next page. `null` at the end. */
  next_before: string | null;
  /** Set if the search stopped at its time limit: the page may have fewer items than `limit`, or none, and older ones may follow. */
  looked_back_to: string | null;
  /** Every item and label that was stored before this time is included. */
  as_of: string;
}

export interface ScreeningQuery {
  /** Only items screened at this time or later. */
  from?: string | undefined;
  /** Only items screened before this time. */
  until?: string | undefined;
  /** Only transactions, or only events. */
  type?: 'transaction' | 'event' | undefined;
  /** Only events of this type. */
  event_type?:
    | 'login'
    | 'signup'
    | 'password_reset'
    | 'password_change'
    | 'email_change'
    | 'phone_change'
    | 'address_change'
    | 'mfa_change'
    | 'payment_method_added'
    | 'payout_request'
    | 'logout'
    | 'other'
    | undefined;
  /** Only events with this outcome. */
  outcome?: 'succeeded' | 'failed' | undefined;
  /** The decision that applies now, after any reviews. */
  decision?: 'allow' | 'review' | 'block' | undefined;
  /** The label that applies now; `none`: without a label. */
  label?: 'fraud' | 'legitimate' | 'none' | undefined;
  /** Only items with this risk score or a higher one. */
  score_min?: number | undefined;
  /** Only items with this risk score or a lower one. */
  score_max?: number | undefined;
  /** Only transactions of this amount or more, in US dollars. */
  usd_min?: number | undefined;
  /** Only transactions of this amount or less, in US dollars. */
  usd_max?: number | undefined;
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id?: string | undefined;
  /** The device SDK's token, or your own identifier of the device. The service verifies a token and stores only the id of the device, such as `dvk_…`. */
  device_token?: string | undefined;
  /** The user's IPv4 or IPv6 address. */
  ip_address?: string | undefined;
  /** The network of the IP address: an IPv4 network with 24 bits, an IPv6 network with 48, or any address in it. */
  network?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
  /** Your token of the card, account or wallet. */
  payment_fingerprint?: string | undefined;
  /** The payee: merchant, terminal or account. */
  counterparty_id?: string | undefined;
  /** Country of the IP address, ISO 3166-1 alpha-2, in either case. */
  country?: string | undefined;
  /** Only items with this active signal. */
  signal?: string | undefined;
  /** Only items that this live rule matched. */
  rule?: string | undefined;
  /**
   * Page size.
   * @default 50
   */
  limit?: number | undefined;
  /** Cursor: `next_before` of the previous page. */
  before?: string | undefined;
}
