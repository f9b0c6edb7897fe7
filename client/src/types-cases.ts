// Generated from the contract by `npm run client`. Do not edit.

import type { Decision } from './types-decisions.ts';
import type { EventSubject } from './types-events.ts';
import type { ScreeningFilter } from './types-screenings.ts';
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

export interface CaseAssignment {
  /** Who works on the case; `null` releases it. */
  assignee: string | null;
  /** Who makes the change, for audits. The assignee of a case can hand it over or release it. */
  analyst_id?: string | undefined;
  /**
   * Takes the case from its assignee.
   * @default false
   */
  force?: boolean | undefined;
}

/** One outcome for several cases. */
export interface CaseBulkResolution {
  /** The cases to resolve, each once. Required, unless `attack_of` is sent. */
  case_ids?: string[] | undefined;
  /** Resolves the open cases of the attack of this case, the oldest 100 of them. */
  attack_of?: string | undefined;
  /** `approved`: legitimate, a false positive. `rejected`: confirmed fraud. */
  status: 'approved' | 'rejected';
  /** How the fraud was done; only with `rejected`. `takeover`: another person used the customer's account. `stolen_card`: the payment instrument was used without its owner. `first_party`: the customer committed or wrongly disputes it. `mule`: the account or counterparty passes stolen money on. `card_testing`: it tested whether a card works. `other`: none of these. */
  reason?: 'takeover' | 'stolen_card' | 'first_party' | 'mule' | 'card_testing' | 'other' | undefined;
  /** Your identifier of the reviewer. In a session it is the e-mail address of the person, and can be left out. */
  analyst_id?: string | undefined;
  /** Explanation of the decision, for audits. */
  notes?: string | undefined;
}

export interface CaseDetailQuery {
  /** What the response adds, separated by commas. `subject`: the stored request and `knowledge`, the result of looking it up. `decision`: `full_decision`. `usual`: what the user usually does. `notes`: `case_notes`, the newest 200. `activity`: who did what. `presence`: who has the case open. `subject` and `usual` require the permission `read_personal`. */
  include?: string | undefined;
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

export interface CaseNoteQuery {
  /**
   * Page size.
   * @default 20
   */
  limit?: number | undefined;
  /** Cursor: the last `note_id` of the previous page. */
  before?: string | undefined;
}

export interface CaseNoteRequest {
  /** The note. */
  text: string;
  /** Who wrote it. Default: the API key. */
  analyst_id?: string | undefined;
}

export interface CasePresence {
  /** Who has the case open, yourself included. */
  present: PresentPerson[];
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

export interface CasePresenceRequest {
  /** Who has the case open. Default: the API key. In a session it is the person. */
  analyst_id?: string | undefined;
}

export interface CasePriority {
  /** How urgent the case is. */
  priority: 'low' | 'normal' | 'high' | 'urgent';
}

export interface CaseQuery
  extends Pick<
    ScreeningFilter,
    'event_type' | 'score_min' | 'score_max' | 'usd_min' | 'user_id' | 'country' | 'signal'
  > {
  /** Only cases with this status. Default: all. */
  status?: 'open' | 'approved' | 'rejected' | 'expired' | undefined;
  /** @default 20 */
  limit?: number | undefined;
  /** @default 0 */
  offset?: number | undefined;
  /** Only cases created at this time or later. */
  start_date?: string | undefined;
  /** Only cases created before this time. */
  end_date?: string | undefined;
  /** Only transactions, or only events. */
  subject_type?: 'transaction' | 'event' | undefined;
  /** Only cases of this priority. */
  priority?: 'low' | 'normal' | 'high' | 'urgent' | undefined;
  /** Only cases with this tag. */
  tag?: string | undefined;
  /** Only cases of this assignee; `none`: only cases without one. `me`, in a session: your own cases. */
  assignee?: string | undefined;
  /** By the review target of the account: `over`: only open cases that are past it. `soon`: only open cases that have a quarter of it left or less. */
  target?: 'over' | 'soon' | undefined;
  /** `true`: only cases that are snoozed now. `false`: only others. Default: all. */
  snoozed?: boolean | undefined;
  /** Only cases of the same attack as this case, itself included: cases of one user or device that follow each other within a day. */
  attack_of?: string | undefined;
  /**
   * `oldest`: the case that expires first comes first. `score`: the highest risk score first, then the newest. `amount`: the largest amount in US dollars first. `priority`: the most urgent first, then the oldest.
   * @default "newest"
   */
  sort?: 'newest' | 'oldest' | 'score' | 'amount' | 'priority' | undefined;
}

export interface CaseReopening {
  /** Who reopens the case, for audits. */
  analyst_id?: string | undefined;
}

export interface CaseResolution {
  /** `approved`: legitimate, a false positive. `rejected`: confirmed fraud. */
  status: 'approved' | 'rejected';
  /** How the fraud was done; only with `rejected`. `takeover`: another person used the customer's account. `stolen_card`: the payment instrument was used without its owner. `first_party`: the customer committed or wrongly disputes it. `mule`: the account or counterparty passes stolen money on. `card_testing`: it tested whether a card works. `other`: none of these. */
  reason?: 'takeover' | 'stolen_card' | 'first_party' | 'mule' | 'card_testing' | 'other' | undefined;
  /** Your identifier of the reviewer. In a session it is the e-mail address of the person, and can be left out. */
  analyst_id?: string | undefined;
  /** Explanation of the decision, for audits. */
  notes?: string | undefined;
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
      | 'limit_reached'
      | 'rule_exists'
      | 'rule_state'
      | 'backtest_in_progress'
      | 'not_replayable'
      | 'idempotency_in_progress'
      | 'payload_too_large'
      | 'unsupported_media_type'
      | 'idempotency_key_reused'
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

export interface CaseSnooze {
  /** When the case comes back: in the future, and not after `expires_at`. `null` ends the snooze. */
  until: string | null;
  /** Who makes the change, for audits. */
  analyst_id?: string | undefined;
}

export interface CaseTags {
  /** All tags of the case. An empty list removes them. */
  tags: string[];
}

export interface NextCase
  extends Pick<ScreeningFilter, 'event_type' | 'score_min' | 'score_max' | 'usd_min' | 'country' | 'signal'> {
  /** Who gets the case. Required with an API key; in a session it is the person. */
  analyst_id?: string | undefined;
  /** Only cases created at this time or later. */
  start_date?: string | undefined;
  /** Only cases created before this time. */
  end_date?: string | undefined;
  /** Only transactions, or only events. */
  subject_type?: 'transaction' | 'event' | undefined;
  /** Only cases of this priority. */
  priority?: 'low' | 'normal' | 'high' | 'urgent' | undefined;
  /** Only cases with this tag. */
  tag?: string | undefined;
  /**
   * `oldest`: the case that expires first comes first. `score`: the highest risk score first, then the newest. `amount`: the largest amount in US dollars first. `priority`: the most urgent first, then the oldest.
   * @default "priority"
   */
  sort?: 'newest' | 'oldest' | 'score' | 'amount' | 'priority' | undefined;
}

export interface PresentPerson {
  analyst_id: string;
  /** The last request of this person. */
  seen_at: string;
}
