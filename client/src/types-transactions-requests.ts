// Generated from the contract by `npm run client`. Do not edit.

/** A postal address. Every field is optional. */
export interface Address {
  line1?: string | undefined;
  line2?: string | undefined;
  city?: string | undefined;
  state?: string | undefined;
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2 code, in either case. */
  country?: string | undefined;
}

export interface SubjectQuery {
  /** `subject`: adds `subject`, the stored request, and `knowledge`, the result of looking it up. Requires the permission `read_personal`. */
  include?: 'subject' | undefined;
}

/** A payment to screen. */
export interface TransactionRequest {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id: string;
  /** Amount in units of `currency`, not in cents. */
  amount: number;
  /** ISO 4217 code, in either case. */
  currency: string;
  /** The user's IPv4 or IPv6 address. */
  ip_address?: string | undefined;
  /** The device SDK's token, or your own identifier of the device. The service verifies a token and stores only the id of the device, such as `dvk_…`. A token that is unreadable, longer than 4,096 characters or contains a NUL raises the signal `tampered_token`. An empty string counts as absent. */
  device_token?: string | undefined;
  payment_method?: 'card' | 'bank' | 'wallet' | 'crypto' | undefined;
  /** Your stable token of the card, account or wallet. Never send a card number. */
  payment_fingerprint?: string | undefined;
  /** The payee: merchant, terminal or account. */
  counterparty_id?: string | undefined;
  /** The user's e-mail address. */
  email?: string | undefined;
  /** A postal address. Every field is optional. */
  billing_address?: Address | undefined;
  /** A postal address. Every field is optional. */
  shipping_address?: Address | undefined;
  /** Flat map of strings: up to 50 keys of up to 64 characters, with values of up to 500 characters. */
  metadata?: Record<string, string> | undefined;
}
