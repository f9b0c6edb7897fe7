// Generated from the contract by `npm run client`. Do not edit.

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
