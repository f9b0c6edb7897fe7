// Generated from the contract by `npm run client`. Do not edit.

/** Omitted fields keep their value. */
export interface AccountSettingsChange {
  /** The name of the account, for people. An empty text removes it. */
  name?: string | undefined;
  /** The IANA time zone in which your tool shows times. The API is in UTC. */
  time_zone?: string | undefined;
  /** Minutes within which a case should be resolved, up to seven days. 0 removes the target. */
  review_target_minutes?: number | undefined;
  /** Whether `notes` are required to reject a case. */
  note_required_on_reject?: boolean | undefined;
}
