// Generated from the contract by `npm run client`. Do not edit.

/** Omitted fields keep their value. */
export interface ListChange {
  /** A description for people. */
  description?: string | undefined;
  /** Effect of a match: `block`, `review`, or `trusted` for `allow`. With `none` a match has no effect of its own, but rules can use the list. */
  treatment?: 'block' | 'review' | 'trusted' | 'none' | undefined;
  /**
   * Whether the permission `review` is enough to add entries. They must end within 90 days.
   * @default false
   */
  open_to_analysts?: boolean | undefined;
}

/** Fields as in a transaction. The check stores and counts nothing. */
export interface ListCheckRequest {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id?: string | undefined;
  /** The user's IPv4 or IPv6 address. */
  ip_address?: string | undefined;
  /** The device SDK's token, or your own identifier of the device. The service verifies a token and stores only the id of the device, such as `dvk_…`. */
  device_token?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
  /** Your token of the payment instrument. */
  payment_fingerprint?: string | undefined;
  /** The payee. */
  counterparty_id?: string | undefined;
  /** ISO 3166-1 alpha-2 code of the IP address, billing or shipping country. */
  country?: string | undefined;
}

/** Either all entries are added or none. */
export interface ListEntriesRequest {
  entries: ListEntryRequest[];
}

export interface ListEntryQuery {
  /** Only entries of this kind. */
  kind?:
    | 'user'
    | 'ip_address'
    | 'device'
    | 'email'
    | 'email_domain'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'country'
    | undefined;
  /** Only entries with this value, in any notation. */
  value?: string | undefined;
  /**
   * Page size.
   * @default 20
   */
  limit?: number | undefined;
  /** Cursor: the last `entry_id` of the previous page. */
  before?: string | undefined;
}

export interface ListEntryRemoval {
  /** Kind of the value. */
  kind:
    | 'user'
    | 'ip_address'
    | 'device'
    | 'email'
    | 'email_domain'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'country';
  /** The value to remove, in any notation. */
  value: string;
}

export interface ListEntryRequest {
  /** Kind of the value. */
  kind:
    | 'user'
    | 'ip_address'
    | 'device'
    | 'email'
    | 'email_domain'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'country';
  /** An `ip_address` can be a network such as 198.51.100.0/24. An `email_domain` also matches its subdomains. */
  value: string;
  /** The reason, for people. */
  reason?: string | undefined;
  /** Who added the entry. Default: the API key. */
  author?: string | undefined;
  /** When the entry expires. Required on a `trusted` list, at most 365 days ahead. */
  expires_at?: string | undefined;
}

export interface ListRequest {
  /** Lower-case letters, digits and `_`, up to 64 characters. Names the list in paths, rules and signals. */
  name: string;
  /** A description for people. */
  description?: string | undefined;
  /** @default "none" */
  treatment?: 'block' | 'review' | 'trusted' | 'none' | undefined;
  /**
   * Whether the permission `review` is enough to add entries. They must end within 90 days.
   * @default false
   */
  open_to_analysts?: boolean | undefined;
}
