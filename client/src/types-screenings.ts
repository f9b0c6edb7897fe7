// Generated from the contract by `npm run client`. Do not edit.

/** A row of an export. */
export interface ExportedScreening extends Screening {
  /** The IP address. `null` if none was sent. */
  ip_address: string | null;
  /** The id of the device, or your identifier of it. `null` if none was sent. */
  device: string | null;
  /** The e-mail address as sent. `null` if none was sent. */
  email: string | null;
  payment_method: 'card' | 'bank' | 'wallet' | 'crypto' | null;
  /** Your token of the card, account or wallet. `null` if none was sent. */
  payment_fingerprint: string | null;
  /** The payee. `null` if none was sent. */
  counterparty_id: string | null;
}

/** A screened transaction or event. `decision` applies now, after any reviews; `automated_decision` is the result of the screening. */
export interface Screening {
  subject_type: 'transaction' | 'event';
  /** The `transaction_id` or `event_id`. */
  subject_id: string;
  /** When the item was screened; of an imported one, when it happened. */
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
  /** Only on an imported item: its score is what it would have got when it was imported. It opened no case. */
  imported?: true | undefined;
}

export interface ScreeningGroup {
  /** The shared value, as screening counts it: an e-mail address as its mailbox, a device by its id, an hour or a day in UTC by its begin. `null`: the items have none. */
  value: string | null;
  /** Number of items. */
  items: number;
  /** Sum of their amounts in US dollars. */
  amount_usd: number;
  /** Items whose decision is `review`. */
  review: number;
  /** Items whose decision is `block`. */
  block: number;
  /** Items with the label `fraud`. */
  fraud: number;
  /** When the newest of them was screened. */
  last_seen_at: string;
}

/** The largest group first. */
export interface ScreeningGroupList {
  groups: ScreeningGroup[];
  /** Whether there are smaller groups that are not shown. */
  cut: boolean;
  /** Set if there were too many items: only the newest were counted, back to this time. */
  looked_back_to: string | null;
  /** Every item and label that was stored before this time is included. */
  as_of: string;
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

export interface SearchHit {
  kind:
    | 'transaction'
    | 'event'
    | 'decision'
    | 'case'
    | 'user'
    | 'device'
    | 'ip_address'
    | 'network'
    | 'email'
    | 'payment_fingerprint'
    | 'counterparty';
  /** The id, or the value as screening counts it: an e-mail address as its mailbox. */
  id: string;
  /** Number of screenings with it, counted up to 1,000. */
  items: number;
  /** When the newest of them was screened. */
  last_seen_at: string;
  /** The newest of them. `null` where only the case is still stored. */
  subject_id: string | null;
}

/** Everything that the text may mean. Empty if nothing is known by it. */
export interface SearchResult {
  hits: SearchHit[];
  /** Every item that was stored before this time is included. */
  as_of: string;
}
