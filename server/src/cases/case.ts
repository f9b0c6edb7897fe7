import type { Case, Decision, Usual } from '@portcullis/contract';
import { PRIORITIES, type Priority, writeTimestamp } from '@portcullis/contract/values';
import { countryOf, type Facts, knowledgeIndex, type Subject, summarize, type Verdict } from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import type { FindScreening, ScreeningRow } from '../backend/journal.ts';
import type { Presence } from '../backend/presence.ts';
import type { AnyCall, CallWith } from '../http/route.ts';
import type { Labels } from '../labels/labels.ts';
import type { Reviews } from '../reviews/reviews.ts';
import { idOf, type NewId, withPrefix } from '../runtime/ids.ts';
import { ApiError, notFound } from '../validation/errors.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { type CaseRow, findCase } from './store.ts';

export const CASE_LIFETIME_MS = 7 * 24 * 3_600_000;

export interface CaseDeps {
  readonly backend: Backend;
  readonly audit: Audit;
  readonly findScreening: FindScreening;
  readonly reviews: Reviews;
  readonly labels: Labels;
  readonly webhooks: Webhooks;
  readonly presence: Presence;
  /** The settings of the account. */
  readonly settingsOf: (
    tenant: number,
  ) => Promise<{ readonly review_target_minutes: number | null; readonly note_required: 0 | 1 }>;
  /** The names of people, by `person_…`. */
  readonly namesOf: (account: string, authors: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The decision of a screening, with its factors. */
  readonly decisionOf: (call: AnyCall, row: ScreeningRow) => Promise<Decision>;
  /** What a user usually did before a time; undefined if there is nothing. */
  readonly usualOf: (call: AnyCall, userId: string, until: number) => Promise<Usual | undefined>;
  readonly newId: NewId;
  readonly isCommittedInOrder: boolean;
  readonly clock: () => number;
}

/** Amounts in dollars are converted at a reference rate, so digits beyond cents have no meaning. */
const roundToCents = (dollars: number): number => Math.round(dollars * 100) / 100;

const timeOrNull = (time: number | null): string | null => (time === null ? null : writeTimestamp(time));

const isSnoozed = ({ status, snoozed_until: until }: CaseRow, now: number): boolean =>
  status === 'open' && until !== null && until > now;

/** The case at `now`. It is `expired` from the millisecond `expires_at` on, whether or not `case.expired` was sent. */
export const toCase = (row: CaseRow, now: number): Case => ({
  case_id: withPrefix('case', row.id),
  subject_type: row.subject_type,
  subject_id: withPrefix(row.subject_type, row.id),
  user_id: row.user_id,
  decision_id: withPrefix('decision', row.id),
  status: row.status === 'open' && now >= row.expires_at ? 'expired' : row.status,
  risk_score: row.risk_score,
  decision: 'review',
  amount: row.amount,
  currency: row.currency,
  amount_usd: row.usd === null ? null : roundToCents(row.usd),
  event_type: row.event_type,
  country: row.country,
  signals: JSON.parse(row.signals) as string[],
  summary: row.summary,
  created_at: writeTimestamp(row.created_at),
  expires_at: writeTimestamp(row.expires_at),
  priority: PRIORITIES[row.priority] as Priority,
  tags: JSON.parse(row.tags) as string[],
  assignee: row.assignee,
  assigned_at: timeOrNull(row.assigned_at),
  snoozed_until: isSnoozed(row, now) ? timeOrNull(row.snoozed_until) : null,
  notes_count: row.notes_count,
  resolved_at: timeOrNull(row.resolved_at),
  reason: row.reason,
  analyst_id: row.analyst_id,
  notes: row.notes,
});

/** The columns of a case that come from its item. */
const itemColumns = (subject: Subject): Pick<CaseRow, 'amount' | 'currency' | 'usd' | 'country' | 'event_type'> => {
  const country = subject.knowledge[knowledgeIndex.ip_country] as number;
  return {
    amount: subject.type === 'event' ? null : subject.request.amount,
    currency: subject.type === 'event' ? null : subject.request.currency,
    usd: Number.isNaN(subject.dollars) ? null : subject.dollars,
    country: country > 0 ? countryOf(country) : null,
    event_type: subject.type === 'event' ? subject.request.type : null,
  };
};

/** The case that the decision `review` opens. It has the id of its screening. */
export const openCase = (
  id: string,
  subject: Subject,
  verdict: Verdict,
  facts: Facts,
): { row: CaseRow; resource: Case } => {
  const row: CaseRow = {
    id,
    subject_type: subject.type,
    user_id: subject.request.user_id,
    status: 'open',
    risk_score: verdict.score,
    signals: JSON.stringify(verdict.signals),
    summary: summarize(verdict, subject, facts),
    created_at: subject.at,
    expires_at: subject.at + CASE_LIFETIME_MS,
    resolved_at: null,
    reason: null,
    analyst_id: null,
    notes: null,
    ...itemColumns(subject),
    assignee: null,
    assigned_at: null,
    priority: PRIORITIES.indexOf('normal'),
    tags: '[]',
    attack: null,
    snoozed_until: null,
    notes_count: 0,
  };
  return { row, resource: toCase(row, subject.at) };
};

export const caseIdOf = (call: CallWith<'case_id'>): string => {
  const id = idOf('case', call.params.case_id);
  if (id === undefined) throw notFound('case');
  return id;
};
export const requireCase = async ({ backend }: CaseDeps, tenant: number, id: string): Promise<CaseRow> => {
  const row = await findCase(backend, tenant, id);
  if (row === undefined) throw notFound('case');
  return row;
};

/** Refuses a change that only an open case takes. `change` completes "only an open case can be". */
export const requireOpen = (row: CaseRow, now: number, change: 'resolved' | 'assigned' | 'snoozed'): void => {
  const { status } = toCase(row, now);
  if (status === 'open') return;
  const remedy = 'To change the outcome, override its decision: POST /v1/decisions/{decision_id}/review.';
  throw new ApiError(
    status === 'expired' ? 'case_expired' : 'case_not_open',
    `This case is ${status}, and only an open case can be ${change}. ${remedy}`,
  );
};
