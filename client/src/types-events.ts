// Made from the contract by `npm run client`; not to be edited.

/** What screening said of an event. It never changes. */
export interface Event {
  /** Retrieves this result for 90 days. */
  event_id: string;
  user_id: string;
  type:
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
    | 'other';
  outcome: 'succeeded' | 'failed';
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
  decision: 'allow' | 'review' | 'block';
  /** Names of the risk signals that were active. */
  signals: string[];
  /** When it was screened. */
  screened_at: string;
  /** The decision, with its factors and reviews. */
  decision_id: string;
  /** Null unless the decision is `review`. */
  case_id: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** A user action other than a payment, to screen. */
export interface EventRequest {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id: string;
  /** What the user did. */
  type:
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
    | 'other';
  /** @default "succeeded" */
  outcome?: 'succeeded' | 'failed' | undefined;
  /** The user's IPv4 or IPv6 address. */
  ip_address?: string | undefined;
  /** The device SDK's token, or an identifier of the device of your own. A token is verified, and not kept: the device is known by its id, such as `dvk_…`, from then on. One that cannot be read, is longer than 4,096 characters or has a NUL is the signal `tampered_token`; an empty one is none. */
  device_token?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
  /** Flat map of strings: up to 50 keys of up to 64 characters, values of up to 500. */
  metadata?: Record<string, string> | undefined;
}
