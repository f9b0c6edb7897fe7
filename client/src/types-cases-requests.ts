// Generated from the contract by `npm run client`. Do not edit.

import type { ScreeningFilter } from './types-screenings-requests.ts';

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
