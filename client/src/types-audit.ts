// Generated from the contract by `npm run client`. Do not edit.

/** Result of verifying the hash chain. */
export interface AuditCheck {
  intact: boolean;
  /** Number of entries checked. */
  entries: number;
  broken_at: number | null;
  /** What happened to the log; `null` if it is intact. */
  finding:
    | 'changed'
    | 'inserted'
    | 'removed'
    | 'reordered'
    | 'from_another_account'
    | 'truncated'
    | 'emptied'
    | 'rolled_back'
    | 'head_forged'
    | 'anchor_missing'
    | 'anchor_forged'
    | null;
  message: string | null;
  anchor: string | null;
  /** Earlier findings that an operator accepted, such as after restoring a backup. */
  accepted: {
    /** Number of the entry `audit.accepted`. */
    number: number;
    /** Number of the first entry that failed the check then. */
    broken_at: number;
  }[];
}

export interface AuditEntry {
  /** Sequence number, from 1, without gaps. */
  number: number;
  /** Time of the change. */
  at: string;
  /** The key or the person (`person_…`) that made the change. `key_command_line`, `key_daily_training`, `key_first_start`, `key_settings` and `key_webhook_worker` are parts of the service. */
  key_id: string;
  /** The e-mail address of the person; `null` for a key, and for a person who was removed. */
  person?: string | null | undefined;
  role: string;
  action: string;
  /** The resource that changed. */
  target: string;
  /** Value before the change; `null` for a new resource. */
  before: unknown;
  /** Value after the change; `null` for a deleted resource. */
  after: unknown;
  /** Keyed hash of this entry and of the previous hash. */
  hash: string;
}

/** Newest first. */
export interface AuditList {
  entries: AuditEntry[];
  has_more: boolean;
}
