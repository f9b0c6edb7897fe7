// Generated from the contract by `npm run client`. Do not edit.

/** Values that mean something wherever they occur. */
export interface List {
  /** The name of the list. */
  list_id: string;
  name: string;
  description: string;
  /** Effect of a match: `block`, `review`, or `trusted` for `allow`. With `none` a match has no effect of its own, but rules can use the list. */
  treatment: 'block' | 'review' | 'trusted' | 'none';
  /** Whether the permission `review` is enough to add entries. */
  open_to_analysts: boolean;
  /** Built-in lists cannot be changed or deleted. */
  built_in: boolean;
  /** Number of entries that are not expired. */
  entry_count: number;
  /** Only for `test_addresses`. Entries of other lists have their own path. */
  entries?:
    | {
        ip_address: string;
        /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
        decision: 'allow' | 'review' | 'block';
      }[]
    | undefined;
  created_at: string | null;
  updated_at: string | null;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** The matching entries of all lists. */
export interface ListCheck {
  matches: {
    list_id: string;
    /** Effect of a match: `block`, `review`, or `trusted` for `allow`. With `none` a match has no effect of its own, but rules can use the list. */
    treatment: 'block' | 'review' | 'trusted' | 'none';
    /** The entry. A replaced entry gets a new id. */
    entry_id: string;
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
    /** The normalised value that screening compares. `hidden` without the permission `read_personal`, if it is an address, device, e-mail address or payment instrument. */
    value: string;
    reason: string | null;
    author: string;
    expires_at: string | null;
    /** When the entry was added or replaced. */
    created_at: string;
  }[];
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

export interface ListEntriesAdded {
  list_id: string;
  /** Number of new entries. */
  added: number;
  /** Number of existing entries that got a new reason, author and expiry. */
  replaced: number;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

export interface ListEntry {
  /** The entry. A replaced entry gets a new id. */
  entry_id: string;
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
  /** The normalised value that screening compares. `hidden` without the permission `read_personal`, if it is an address, device, e-mail address or payment instrument. */
  value: string;
  reason: string | null;
  author: string;
  expires_at: string | null;
  /** When the entry was added or replaced. */
  created_at: string;
}

/** Newest first, without expired entries. */
export interface ListEntryList {
  entries: ListEntry[];
  has_more: boolean;
}

/** The built-in ones first, then in the order they were made. */
export interface Lists {
  lists: List[];
}
