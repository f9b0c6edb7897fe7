// Made from the contract by `npm run client`; not to be edited.

/** Values that mean something wherever they occur. */
export interface List {
  /** The name. */
  list_id: string;
  name: string;
  description: string;
  /** What being on it means: `block`, `review`, or `trusted` for `allow`. With `none` it means nothing by itself, and rules may ask for it. */
  treatment: 'block' | 'review' | 'trusted' | 'none';
  /** Built-in lists cannot be changed or deleted. */
  built_in: boolean;
  /** Without those that are expired. */
  entry_count: number;
  /** Of `test_addresses` alone. Those of other lists have a path of their own. */
  entries?:
    | {
        ip_address: string;
        /** `allow`: proceed. `review`: elevated risk, a case was opened for a person. `block`: decline. */
        decision: 'allow' | 'review' | 'block';
      }[]
    | undefined;
  created_at: string | null;
  updated_at: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** What is left out stays as it is. */
export interface ListChange {
  /** For people. */
  description?: string | undefined;
  /** What being on it means: `block`, `review`, or `trusted` for `allow`. With `none` it means nothing by itself, and rules may ask for it. */
  treatment?: 'block' | 'review' | 'trusted' | 'none' | undefined;
}

/** The entries that it meets, on any list. */
export interface ListCheck {
  matches: {
    list_id: string;
    /** What being on it means: `block`, `review`, or `trusted` for `allow`. With `none` it means nothing by itself, and rules may ask for it. */
    treatment: 'block' | 'review' | 'trusted' | 'none';
    /** The entry, as it is now: one that is replaced gets another. */
    entry_id: string;
    /** What the value is. */
    kind:
      | 'user'
      | 'ip_address'
      | 'device'
      | 'email'
      | 'email_domain'
      | 'payment_fingerprint'
      | 'counterparty'
      | 'country';
    /** In the spelling that screening compares. */
    value: string;
    reason: string | null;
    author: string;
    expires_at: string | null;
    /** When it was added or replaced. */
    created_at: string;
  }[];
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** Members as of a transaction. Nothing is stored or counted. */
export interface ListCheckRequest {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id?: string | undefined;
  /** The user's IPv4 or IPv6 address. */
  ip_address?: string | undefined;
  /** The device SDK's token, or an identifier of the device of your own. A token is verified, and not kept: the device is known by its id, such as `dvk_…`, from then on. */
  device_token?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
  /** Your token of the payment instrument. */
  payment_fingerprint?: string | undefined;
  /** Who is paid. */
  counterparty_id?: string | undefined;
  /** ISO 3166-1 alpha-2: of the address, of billing or of shipping. */
  country?: string | undefined;
}

export interface ListEntriesAdded {
  list_id: string;
  /** Those that were not there. */
  added: number;
  /** Those that were there: reason, author and expiry are new. */
  replaced: number;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** All of them are taken, or none. */
export interface ListEntriesRequest {
  entries: ListEntryRequest[];
}

export interface ListEntry {
  /** The entry, as it is now: one that is replaced gets another. */
  entry_id: string;
  /** What the value is. */
  kind:
    | 'user'
    | 'ip_address'
    | 'device'
    | 'email'
    | 'email_domain'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'country';
  /** In the spelling that screening compares. */
  value: string;
  reason: string | null;
  author: string;
  expires_at: string | null;
  /** When it was added or replaced. */
  created_at: string;
}

/** Newest first, without those that are expired. */
export interface ListEntryList {
  entries: ListEntry[];
  has_more: boolean;
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
  /** Only entries with this value, in any spelling. */
  value?: string | undefined;
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only older ones: the last `entry_id` of the page before. */
  before?: string | undefined;
}

export interface ListEntryRemoval {
  /** What the value is. */
  kind:
    | 'user'
    | 'ip_address'
    | 'device'
    | 'email'
    | 'email_domain'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'country';
  /** The value to take off the list, in any spelling. */
  value: string;
}

export interface ListEntryRequest {
  /** What the value is. */
  kind:
    | 'user'
    | 'ip_address'
    | 'device'
    | 'email'
    | 'email_domain'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'country';
  /** An `ip_address` may be a network such as 198.51.100.0/24. An `email_domain` stands for its subdomains too. */
  value: string;
  /** For people. */
  reason?: string | undefined;
  /** Who put it there. Absent: the key. */
  author?: string | undefined;
  /** From this millisecond on the entry counts for nothing. Required on a list that is `trusted`, at most 365 days ahead. */
  expires_at?: string | undefined;
}

export interface ListRequest {
  /** Small letters, digits and `_`, up to 64 characters. It names the list in paths, rules and signals. */
  name: string;
  /** For people. */
  description?: string | undefined;
  /** @default "none" */
  treatment?: 'block' | 'review' | 'trusted' | 'none' | undefined;
}

/** The built-in ones first, then in the order they were made. */
export interface Lists {
  lists: List[];
}
