// Generated from the contract by `npm run client`. Do not edit.

export interface ScreeningExportQuery extends ScreeningFilter {
  /** A table with a header, or one JSON object per line. */
  format: 'csv' | 'ndjson';
  /** Only items with this text in a value of the request, in either case, such as a part of an e-mail address or of a `metadata` value. A search by text alone may take several pages: see `looked_back_to`. Requires the permission `read_personal`. */
  text?: string | undefined;
  /**
   * Number of rows.
   * @default 100000
   */
  limit?: number | undefined;
  /** Cursor: the `subject_id` of the last row of the previous export. */
  before?: string | undefined;
}

/** What a search over screenings can ask for. All of it must match. */
export interface ScreeningFilter {
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
  /** Only transactions in this currency: ISO 4217 code, in either case. */
  currency?: string | undefined;
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
  /** The domain of the e-mail address, in either case. */
  email_domain?: string | undefined;
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
  /** Only items that this model scored. */
  model_version?: string | undefined;
}

export interface ScreeningGroupQuery extends ScreeningFilter {
  /** The value that items of a group share. */
  by:
    | 'user_id'
    | 'device'
    | 'ip_address'
    | 'network'
    | 'email'
    | 'payment_fingerprint'
    | 'counterparty_id'
    | 'country'
    | 'currency'
    | 'type'
    | 'event_type'
    | 'outcome'
    | 'decision'
    | 'label'
    | 'hour'
    | 'day';
  /**
   * Number of groups.
   * @default 20
   */
  limit?: number | undefined;
}

export interface ScreeningQuery extends ScreeningFilter {
  /** Only items with this text in a value of the request, in either case, such as a part of an e-mail address or of a `metadata` value. A search by text alone may take several pages: see `looked_back_to`. Requires the permission `read_personal`. */
  text?: string | undefined;
  /**
   * Page size.
   * @default 50
   */
  limit?: number | undefined;
  /** Cursor: `next_before` of the previous page. */
  before?: string | undefined;
}

export interface SearchQuery {
  /** An id of the service, an IP address or network, an e-mail address, or your id of a user, device, payment instrument or payee. Whole values are found, not parts of them. */
  q: string;
}
