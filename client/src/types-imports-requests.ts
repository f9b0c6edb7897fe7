// Generated from the contract by `npm run client`. Do not edit.

import type { EventRequest } from './types-events-requests.ts';
import type { Address } from './types-transactions-requests.ts';

/** A past transaction or event, or the label of one: exactly one of `transaction`, `event` and `label`. */
export interface ImportItem {
  /** Your own id of the item, such as the order number. It is imported once; a `label` names the item by it. */
  id: string;
  /** When it happened; of a label, when it became known. Not in the future. */
  occurred_at: string;
  /** A payment that has happened. */
  transaction?: PastTransaction | undefined;
  /** A user action other than a payment, to screen. */
  event?: EventRequest | undefined;
  /** The confirmed outcome of the item with this `id`, which must be imported before it. */
  label?: 'fraud' | 'legitimate' | undefined;
  /** How the fraud was done; only with the label `fraud`. `takeover`: another person used the customer's account. `stolen_card`: the payment instrument was used without its owner. `first_party`: the customer committed or wrongly disputes it. `mule`: the account or counterparty passes stolen money on. `card_testing`: it tested whether a card works. `other`: none of these. */
  label_reason?: 'takeover' | 'stolen_card' | 'first_party' | 'mule' | 'card_testing' | 'other' | undefined;
}

/** In the order of time. An error in any item refuses them all. */
export interface ImportRequest {
  items: ImportItem[];
}

/** A payment that has happened. */
export interface PastTransaction {
  /** Your identifier of the user. The user's risk profile is built from it. */
  user_id: string;
  /** Amount in units of `currency`, not in cents. 0 is a card check. */
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
