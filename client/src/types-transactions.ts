// Made from the contract by `npm run client`; not to be edited.

/** A postal address. Every member is optional. */
export interface Address {
  line1?: string | undefined;
  line2?: string | undefined;
  city?: string | undefined;
  state?: string | undefined;
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2, either case. */
  country?: string | undefined;
}

/** What screening said of a transaction. It never changes. */
export interface Transaction {
  /** Retrieves this result for 90 days. */
  transaction_id: string;
  user_id: string;
  amount: number;
  currency: string;
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

/** A payment to screen. */
export interface TransactionRequest {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id: string;
  /** In units of `currency`, not in cents. */
  amount: number;
  /** ISO 4217 code, either case. */
  currency: string;
  /** The user's IPv4 or IPv6 address. */
  ip_address?: string | undefined;
  /** The device SDK's token, or an identifier of the device of your own. A token is verified, and not kept: the device is known by its id, such as `dvk_…`, from then on. One that cannot be read, is longer than 4,096 characters or has a NUL is the signal `tampered_token`; an empty one is none. */
  device_token?: string | undefined;
  payment_method?: 'card' | 'bank' | 'wallet' | 'crypto' | undefined;
  /** Your stable token of the card, account or wallet. Never a card number. */
  payment_fingerprint?: string | undefined;
  /** Who is paid: merchant, terminal or payee. */
  counterparty_id?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
  /** A postal address. Every member is optional. */
  billing_address?: Address | undefined;
  /** A postal address. Every member is optional. */
  shipping_address?: Address | undefined;
  /** Flat map of strings: up to 50 keys of up to 64 characters, values of up to 500. */
  metadata?: Record<string, string> | undefined;
}
