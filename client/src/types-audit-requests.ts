// Generated from the contract by `npm run client`. Do not edit.

export interface AuditCheckQuery {
  /** The `anchor` of an earlier check. The log must still have that entry, unchanged. */
  anchor?: string | undefined;
}

export interface AuditQuery {
  /**
   * Page size.
   * @default 20
   */
  limit?: number | undefined;
  /** Only entries with a smaller number. */
  before?: number | undefined;
  /** Only changes of this target. */
  target?: string | undefined;
  /** Only changes by this key or person: a `key_id`, or the e-mail address of a person. */
  actor?: string | undefined;
  /** Only this action, such as `rule.changed`, or all actions of a kind, such as `rule`. */
  action?: string | undefined;
  /** Only changes at this time or later. */
  from?: string | undefined;
  /** Only changes before this time. */
  until?: string | undefined;
}
