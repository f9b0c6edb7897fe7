// Generated from the contract by `npm run client`. Do not edit.

import type { Decision } from './types-decisions.ts';
import type { EventSubject } from './types-events.ts';
import type { Knowledge, TransactionSubject } from './types-transactions.ts';
import type { Usual } from './types-users.ts';

/** A transaction or event that waits for a manual decision. */
export interface Case {
  /** The case. */
  case_id: string;
  subject_type: 'transaction' | 'event';
  subject_id: string;
  user_id: string;
  /** The decision that opened the case. */
  decision_id: string;
  status: 'open' | 'approved' | 'rejected' | 'expired';
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  decision: 'review';
  /** `null` for an event. */
  amount: number | null;
  /** `null` for an event. */
  currency: string | null;
  /** The amount in US dollars at a reference rate. `null` for an event and for a currency without a rate. */
  amount_usd: number | null;
  /** `null` for a transaction. */
  event_type:
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
    | 'other'
    | null;
  /** Country of the IP address; `null` if it is unknown. This and the four fields before are `null` in cases that an earlier version opened. */
  country: string | null;
  /** Names of the active risk signals. */
  signals: string[];
  /** The main reasons in one line, as in the decision. `null` in cases that an earlier version opened. */
  summary: string | null;
  /** When the case was opened. */
  created_at: string;
  /** When an unresolved case becomes `expired`. */
  expires_at: string;
  /** How urgent the case is. */
  priority: 'low' | 'normal' | 'high' | 'urgent';
  /** In alphabetical order. */
  tags: string[];
  /** Who works on the case; `null` while it waits for somebody. */
  assignee: string | null;
  assigned_at: string | null;
  /** Until when the case is set aside; `null` if it is not. */
  snoozed_until: string | null;
  /** Number of notes of analysts. */
  notes_count: number;
  resolved_at: string | null;
  /** How the fraud was done, from the resolution. */
  reason: 'takeover' | 'stolen_card' | 'first_party' | 'mule' | 'card_testing' | 'other' | null;
  analyst_id: string | null;
  notes: string | null;
  /** Only with `include=subject`: the request, by `subject_type`. `null` after its 90 days, when only the case is left. */
  subject?: TransactionSubject | EventSubject | null | undefined;
  /** Only with `include=subject`. `null` if the facts of the screening have an unreadable version, or are no longer stored. */
  knowledge?: Knowledge | null | undefined;
  /** Only with `include=decision`: the decision with its factors and reviews. `null` after its 90 days. */
  full_decision?: Decision | null | undefined;
  /** Only with `include=usual`: what the user did before this item. `null` if there is nothing. */
  usual?: Usual | null | undefined;
  /** Only with `include=notes`: notes of analysts, newest first. */
  case_notes?: CaseNote[] | undefined;
  /** Only with `include=activity`: the newest 200 entries, newest first. */
  activity?: CaseActivityEntry[] | undefined;
  /** Only with `include=presence`: who has the case open. */
  present?: PresentPerson[] | undefined;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** Newest first, up to 200 entries. */
export interface CaseActivity {
  entries: CaseActivityEntry[];
  /** Whether older entries were left out. */
  cut: boolean;
}

export interface CaseActivityEntry {
  /** `overridden`: the decision was overridden while the case was not open. */
  kind:
    | 'opened'
    | 'assigned'
    | 'released'
    | 'priority_changed'
    | 'tags_changed'
    | 'snoozed'
    | 'noted'
    | 'resolved'
    | 'reopened'
    | 'overridden'
    | 'expired';
  /** When it happened. */
  at: string;
  /** The `analyst_id` of the request, the e-mail address of the person, or the API key. `null` for what happened by itself, and for a resolution without `analyst_id`. */
  who: string | null;
  /** The assignee, the priority, the tags with commas, the end of a snooze, the id of a note, the outcome of a resolution or the decision of an override. Otherwise `null`. */
  value: string | null;
}

/** Newest first, unless `sort` says otherwise. */
export interface CaseList {
  cases: Case[];
  /** Number of matching cases on all pages. */
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
}

export interface CaseNote {
  /** The note. */
  note_id: string;
  /** The case. */
  case_id: string;
  /** The `analyst_id` of the request, or the API key. */
  author: string;
  text: string;
  /** When the note was added. */
  created_at: string;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** Newest first. */
export interface CaseNoteList {
  notes: CaseNote[];
  has_more: boolean;
}

export interface CasePresence {
  /** Who has the case open, yourself included. */
  present: PresentPerson[];
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

export interface CaseResult {
  /** The case. */
  case_id: string;
  /** The resolved case; `null` if it was not resolved. */
  case: Case | null;
  /** Why the case was not resolved; `null` if it was. */
  error: {
    code:
      | 'invalid_request'
      | 'invalid_json'
      | 'unsupported_api_version'
      | 'missing_api_key'
      | 'invalid_api_key'
      | 'expired_api_key'
      | 'invalid_session'
      | 'invalid_sign_in'
      | 'insufficient_scope'
      | 'wrong_environment'
      | 'address_not_allowed'
      | 'cross_site_request'
      | 'not_found'
      | 'none_waiting'
      | 'invalid_link'
      | 'method_not_allowed'
      | 'case_not_open'
      | 'case_expired'
      | 'case_taken'
      | 'case_not_resolved'
      | 'webhook_disabled'
      | 'training_in_progress'
      | 'model_rejected'
      | 'no_earlier_model'
      | 'list_exists'
      | 'list_built_in'
      | 'list_in_use'
      | 'key_from_settings'
      | 'person_exists'
      | 'totp_exists'
      | 'last_admin'
      | 'limit_reached'
      | 'rule_exists'
      | 'rule_state'
      | 'backtest_in_progress'
      | 'not_replayable'
      | 'idempotency_in_progress'
      | 'payload_too_large'
      | 'unsupported_media_type'
      | 'idempotency_key_reused'
      | 'provider_unavailable'
      | 'rate_limited'
      | 'internal_error'
      | 'unavailable';
    message: string;
  } | null;
}

export interface CaseResults {
  /** In the order of `case_ids`, or the oldest first. */
  results: CaseResult[];
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

export interface PresentPerson {
  analyst_id: string;
  /** The last request of this person. */
  seen_at: string;
}
