// Generated from the contract by `npm run client`. Do not edit.

import type { Knowledge } from './types-transactions.ts';

/** A user, or something that users share, in figures. */
export interface Entity {
  kind:
    | 'user'
    | 'device'
    | 'ip_address'
    | 'email'
    | 'payment_fingerprint'
    | 'counterparty'
    | 'network'
    | 'email_domain';
  /** As the service counts it. */
  value: string;
  /** Its newest items of the last 90 days, up to 5,000. The figures below are about these. */
  items: number;
  first_seen_at: string | null;
  last_seen_at: string | null;
  /** Number of different users among them. */
  users: number;
  /** By the decision that applies now, after any reviews. */
  by_decision: {
    /** Allowed. */
    allow: number;
    /** In review. */
    review: number;
    /** Blocked. */
    block: number;
  };
  /** Sum of their amounts in US dollars. */
  amount_usd: number;
  /** Items with the label `fraud` now. */
  confirmed_fraud: number;
  /** What the service knows of an address, a network, an e-mail address or its domain now. Fields that do not apply are `null`. `null` for other kinds. */
  knowledge: Knowledge | null;
  /** The entries of lists that match it now. */
  lists: {
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
  /** Everything that was stored before this time is included. */
  as_of: string;
}

export interface LinkEdge {
  /** The `id` of a user. */
  from: string;
  /** The `id` of what the user used. */
  to: string;
  /** Items with both. */
  items: number;
  /** The newest of them. */
  last_seen_at: string;
}

export interface LinkNode {
  /** Kind, colon and value. */
  id: string;
  kind: 'user' | 'device' | 'ip_address' | 'email' | 'payment_fingerprint' | 'counterparty';
  value: string;
  /** Distance from the first node. */
  hops: number;
  /** Its newest items of the last 90 days, up to 300. The other figures are about these. */
  items: number;
  /** Number of different users. 1 for a user. */
  users: number;
  /** Items with the label `fraud`. */
  confirmed_fraud: number;
  /** The oldest of them. */
  first_seen_at: string;
  /** The newest of them. */
  last_seen_at: string;
  /** Whether more than 20 users share it, such as the address of a mobile network or a large shop. Sharing a hub means little, so the users of a hub are not followed. */
  hub: boolean;
}

/** Users and what they share. Empty if the first value is unknown. */
export interface Links {
  /** The first node comes first, then by distance. */
  nodes: LinkNode[];
  edges: LinkEdge[];
  /** What was left out. `nodes`: more than `limit`. `items`: a node has more than its newest 300 items. `hubs`: users of a hub. `time`: the search stopped at its time limit; with no nodes at all, the store is busy, and a later request may find more. */
  cut: ('nodes' | 'items' | 'hubs' | 'time')[];
  /** Everything that was stored before this time is included. */
  as_of: string;
}
