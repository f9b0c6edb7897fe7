// Made from the contract by `npm run client`; not to be edited.

/** Whether the chain is as it was written. */
export interface AuditCheck {
  intact: boolean;
  /** How many were checked. */
  entries: number;
  broken_at: number | null;
}

export interface AuditEntry {
  /** Counts from 1, without a gap. */
  number: number;
  /** When it was changed. */
  at: string;
  /** The key it was changed with. */
  key_id: string;
  role: string;
  action: string;
  /** What was changed. */
  target: string;
  /** As it was; `null` when it is new. */
  before: unknown;
  /** As it is since; `null` when it is gone. */
  after: unknown;
  /** Of this entry and the hash before it, keyed. */
  hash: string;
}

/** Newest first. */
export interface AuditList {
  entries: AuditEntry[];
  has_more: boolean;
}

export interface AuditQuery {
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only entries with a smaller number. */
  before?: number | undefined;
  /** Only changes of this. */
  target?: string | undefined;
}
