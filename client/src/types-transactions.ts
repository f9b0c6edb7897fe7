// Generated from the contract by `npm run client`. Do not edit.

import type { Address } from './types-transactions-requests.ts';

/** What the service looked up for the decision. `null`: unknown, unavailable, or the field was not sent. */
export interface Knowledge {
  /** The network that the IP address is counted in: a /24 of IPv4, a /48 of IPv6. */
  network: string | null;
  /** Country of the IP address, as an ISO 3166-1 alpha-2 code. */
  country: string | null;
  /** Place of the IP address. Without a city database it is the centre of the country. */
  place: {
    lat: number;
    lon: number;
    /** Accuracy radius. */
    radius_km: number | null;
  } | null;
  /** Autonomous system of the IP address. */
  asn: number | null;
  /** The IP address belongs to a hosting provider. */
  hosting: boolean | null;
  /** The IP address belongs to a VPN. */
  vpn: boolean | null;
  /** The IP address is an open proxy. */
  proxy: boolean | null;
  /** The IP address is a Tor exit. */
  tor: boolean | null;
  /** The IP address is reserved: it cannot be on the public internet. */
  reserved: boolean | null;
  /** The mailbox of the e-mail address. Spellings that reach one mailbox are counted as one. */
  mailbox: string | null;
  /** The e-mail domain is for disposable addresses. */
  email_disposable: boolean | null;
  /** The e-mail domain belongs to a free e-mail provider. */
  email_free: boolean | null;
  /** The device, as profiles, lists and links name it. */
  device_id: string | null;
  /** How far a token of the device SDK can be trusted. `null` for your own identifier. */
  device_state: 'verified' | 'unkept' | 'unsigned' | 'tampered' | null;
  /** The device SDK found signs that a program controls the browser. */
  device_automation: boolean | null;
  /** Country of the browser's time zone. */
  device_country: string | null;
  /** Names of lookups whose source was unavailable, as in the decision. */
  unavailable: string[];
}

/** Result of screening a transaction. It never changes. */
export interface Transaction {
  /** Identifies this result, for 90 days. */
  transaction_id: string;
  user_id: string;
  amount: number;
  currency: string;
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
  decision: 'allow' | 'review' | 'block';
  /** Names of the active risk signals. */
  signals: string[];
  /** When the transaction was screened; of an imported one, when it happened. */
  screened_at: string;
  /** The decision, with its factors and reviews. */
  decision_id: string;
  /** `null` unless the decision is `review`. */
  case_id: string | null;
  /** Only on an imported item: its score is what it would have got when it was imported. It opened no case. */
  imported?: true | undefined;
  /** The request as it is stored: normalised, with card numbers masked. Fields that were not sent are absent. */
  subject?: TransactionSubject | undefined;
  /** Only with `include=subject`. `null` if the facts of the screening have an unreadable version, or are no longer stored. */
  knowledge?: Knowledge | null | undefined;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** The request as it is stored: normalised, with card numbers masked. Fields that were not sent are absent. */
export interface TransactionSubject {
  user_id: string;
  amount: number;
  currency: string;
  payment_method?: 'card' | 'bank' | 'wallet' | 'crypto' | undefined;
  payment_fingerprint?: string | undefined;
  counterparty_id?: string | undefined;
  ip_address?: string | undefined;
  /** Your identifier of the device, or the device id of a verified token, such as `dvk_…`. Absent for other tokens of the device SDK. */
  device_token?: string | undefined;
  email?: string | undefined;
  metadata?: Record<string, string> | undefined;
  /** A postal address. Every field is optional. */
  billing_address?: Address | undefined;
  /** A postal address. Every field is optional. */
  shipping_address?: Address | undefined;
}
