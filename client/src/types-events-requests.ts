// Generated from the contract by `npm run client`. Do not edit.

/** A user action other than a payment, to screen. */
export interface EventRequest {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id: string;
  /** The action of the user. */
  type:
    | 'login'
    | 'signup'
    | 'password_reset'
    | 'password_change'
    | 'email_change'
    | 'phone_change'
    | 'address_change'
    | 'mfa_change'
    | 'payment_method_added'
    | 'payout_request'
    | 'logout'
    | 'other';
  /** @default "succeeded" */
  outcome?: 'succeeded' | 'failed' | undefined;
  /** The user's IPv4 or IPv6 address. */
  ip_address?: string | undefined;
  /** The device SDK's token, or your own identifier of the device. The service verifies a token and stores only the id of the device, such as `dvk_…`. A token that is unreadable, longer than 4,096 characters or contains a NUL raises the signal `tampered_token`. An empty string counts as absent. */
  device_token?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
  /** Flat map of strings: up to 50 keys of up to 64 characters, with values of up to 500 characters. */
  metadata?: Record<string, string> | undefined;
}
