// Made from the contract by `npm run client`; not to be edited.

/** One flagged item that needs a human decision. */
export interface Case {
  /** The case. */
  case_id: string;
  subject_type: 'transaction' | 'event';
  subject_id: string;
  user_id: string;
  /** The decision that opened it. */
  decision_id: string;
  status: 'open' | 'approved' | 'rejected' | 'expired';
  /** 0 (no risk) to 100 (highest risk). */
  risk_score: number;
  decision: 'review';
  /** Names of the risk signals that were active. */
  signals: string[];
  /** When it was opened. */
  created_at: string;
  /** From this millisecond on it is `expired` unless resolved. */
  expires_at: string;
  resolved_at: string | null;
  analyst_id: string | null;
  notes: string | null;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** Newest first. */
export interface CaseList {
  cases: Case[];
  /** How many match, on all pages. */
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
}

export interface CaseQuery {
  /** Absent: all. */
  status?: 'open' | 'approved' | 'rejected' | 'expired' | undefined;
  /** @default 20 */
  limit?: number | undefined;
  /** @default 0 */
  offset?: number | undefined;
  /** Cases created at or after it. */
  start_date?: string | undefined;
  /** Cases created before it. */
  end_date?: string | undefined;
}

export interface CaseResolution {
  /** `approved`: legitimate, a false positive. `rejected`: confirmed fraud. */
  status: 'approved' | 'rejected';
  /** Your identifier of the person who decided. */
  analyst_id?: string | undefined;
  /** Why, for audits. */
  notes?: string | undefined;
}
