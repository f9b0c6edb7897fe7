// Generated from the contract by `npm run client`. Do not edit.

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

export interface LinkQuery {
  /** Where to begin: a kind, a colon and a value. Kinds: `user`, `device`, `ip_address`, `email`, `payment_fingerprint`, `counterparty`. */
  of: string;
  /**
   * 1: what the entity was used with. 2: what those were used with, too.
   * @default 1
   */
  hops?: number | undefined;
  /**
   * Number of nodes.
   * @default 50
   */
  limit?: number | undefined;
}

/** Users and what they share. Empty if the first value is unknown. */
export interface Links {
  /** The first node comes first, then by distance. */
  nodes: LinkNode[];
  edges: LinkEdge[];
  /** What was left out. `nodes`: more than `limit`. `items`: a node has more than its newest 300 items. `hubs`: users of a hub. `time`: the search stopped at its time limit. */
  cut: ('nodes' | 'items' | 'hubs' | 'time')[];
  /** Everything that was stored before this time is included. */
  as_of: string;
}
