// Generated from the contract by `npm run client`. Do not edit.

import type { Knowledge } from './types-transactions.ts';

/** Result of screening an event. It never changes. */
export interface Event {
  /** Identifies this result, for 90 days. */
  event_id: string;
  user_id: string;
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
  outcome: 'succeeded' | 'failed';
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  /** `allow`: proceed. `review`: elevated risk; a case was opened for manual review. `block`: decline. */
  decision: 'allow' | 'review' | 'block';
  /** Names of the active risk signals. */
  signals: string[];
  /** When the event was screened; of an imported one, when it happened. */
  screened_at: string;
  /** The decision, with its factors and reviews. */
  decision_id: string;
  /** `null` unless the decision is `review`. */
  case_id: string | null;
  /** Only on an imported item: its score is what it would have got when it was imported. It opened no case. */
  imported?: true | undefined;
  /** The request as it is stored: normalised, with card numbers masked. Fields that were not sent are absent. */
  subject?: EventSubject | undefined;
  /** Only with `include=subject`. `null` if the facts of the screening have an unreadable version, or are no longer stored. */
  knowledge?: Knowledge | null | undefined;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** The request as it is stored: normalised, with card numbers masked. Fields that were not sent are absent. */
export interface EventSubject {
  user_id: string;
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
  outcome: 'succeeded' | 'failed';
  ip_address?: string | undefined;
  /** Your identifier of the device, or the device id of a verified token, such as `dvk_…`. Absent for other tokens of the device SDK. */
  device_token?: string | undefined;
  email?: string | undefined;
  metadata?: Record<string, string> | undefined;
}
