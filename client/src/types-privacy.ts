// Generated from the contract by `npm run client`. Do not edit.

import type { Case, CaseNote } from './types-cases.ts';
import type { Decision } from './types-decisions.ts';
import type { EventSubject } from './types-events.ts';
import type { Label } from './types-labels.ts';
import type { Knowledge, TransactionSubject } from './types-transactions.ts';
import type { RiskProfile } from './types-users.ts';

export interface Erasure {
  /** The erasure. */
  erasure_id: string;
  status: 'running' | 'done';
  /** Share of the work that is done. */
  progress: number;
  /** A keyed hash of the person, the same for every erasure by the same `user_id` and `email` until the secret key is rotated. */
  person: string;
  counts: {
    /** Transactions and events. */
    screenings: number;
    /** Cases. */
    cases: number;
    /** Decisions with reviews. */
    reviews: number;
    /** Labels. */
    labels: number;
    /** Histories that belonged only to this person, and were deleted. */
    histories: number;
    /** Webhook messages. */
    deliveries: number;
    /** Entries of lists, which were removed. */
    list_entries: number;
    /** Stored responses for idempotency keys, which were deleted. */
    responses: number;
    /** Entries of the audit log that named the person. */
    audit_entries: number;
  };
  /** Everything screened up to here is erased. Later items belong to a stranger. */
  requested_at: string;
  completed_at: string | null;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** Everything that is stored about a person. */
export interface PrivacyExport {
  person: {
    user_id: string | null;
    email: string | null;
  };
  /** When the export began. */
  exported_at: string;
  /** Transactions and events of the last 90 days, oldest first. */
  items: {
    subject_type: 'transaction' | 'event';
    subject_id: string;
    /** When it was screened. */
    screened_at: string;
    /** The request as it is stored. */
    subject: TransactionSubject | EventSubject;
    /** The result of looking it up. */
    knowledge: Knowledge | null;
    /** `decision` applies now, after any reviews. `automated_decision` is the result of the screening. */
    decision: Decision;
    case: Case | null;
    /** Newest first. */
    case_notes: CaseNote[];
    /** Newest first. */
    labels: Label[];
  }[];
  risk_profiles: RiskProfile[];
  /** Cases whose transaction or event is deleted. */
  older_cases: {
    /** A transaction or event that waits for a manual decision. */
    case: Case;
    notes: CaseNote[];
  }[];
  /** Reviews of decisions whose transaction or event is deleted. */
  older_reviews: {
    /** The decision. */
    decision_id: string;
    decision: 'allow' | 'block';
    /** How the fraud was done. */
    reason: 'takeover' | 'stolen_card' | 'first_party' | 'mule' | 'card_testing' | 'other' | null;
    analyst_id: string | null;
    notes: string | null;
    /** When it was submitted. */
    reviewed_at: string;
  }[];
  /** Entries of lists with the user or an e-mail address of the person. */
  list_entries: {
    list_id: string;
    /** The entry. A replaced entry gets a new id. */
    entry_id: string;
    /** Kind of the value. */
    kind:
      | 'user'
      | 'ip_address'
      | 'device'
      | 'email'
      | 'email_domain'
      | 'payment_fingerprint'
      | 'counterparty'
      | 'country';
    /** The normalised value that screening compares. `hidden` without the permission `read_personal`, if it is an address, device, e-mail address or payment instrument. */
    value: string;
    reason: string | null;
    author: string;
    expires_at: string | null;
    /** When the entry was added or replaced. */
    created_at: string;
  }[];
}
