// Generated from the contract by `npm run client`. Do not edit.

/** A person by `user_id`, by `email`, or by both: then everything with either of them. */
export interface PrivacyRequest {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
}
