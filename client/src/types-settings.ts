// Generated from the contract by `npm run client`. Do not edit.

/** Settings of the account in this environment. */
export interface AccountSettings {
  /** `null` until it is set. */
  name: string | null;
  /** `UTC` until it is set. */
  time_zone: string;
  /** Minutes within which a case should be resolved; `null` without a target. */
  review_target_minutes: number | null;
  /** Whether `notes` are required to reject a case. */
  note_required_on_reject: boolean;
  updated_at: string | null;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}
