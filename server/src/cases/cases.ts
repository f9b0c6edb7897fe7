import type { Case, CaseList } from '@portcullis/contract';
import { readTimestamp, writeTimestamp } from '@portcullis/contract/values';
import { type Facts, type Subject, summarize, type Verdict } from '@portcullis/engine';
import type { Backend, Statement } from '../backend/backend.ts';
import type { FindScreening } from '../backend/journal.ts';
import type { Caller } from '../http/caller.ts';
import type { Answer, Call, CallWith } from '../http/route.ts';
import type { Labels } from '../labels/labels.ts';
import { labelOf, type ReviewRow, type Reviews } from '../reviews/reviews.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import { subjectFor } from '../subjects/subjects.ts';
import { ApiError, invalidRequest, notFound } from '../validation/errors.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { type CaseRow, countCases, findCase, insertCaseRow, listCaseRows, resolveCaseRow } from './store.ts';

export const CASE_LIFETIME_MS = 7 * 24 * 3_600_000;
const DEFAULT_LIMIT = 20;

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
  signals: JSON.parse(row.signals) as string[],
  summary: row.summary,
  created_at: writeTimestamp(row.created_at),
  expires_at: writeTimestamp(row.expires_at),
  resolved_at: row.resolved_at === null ? null : writeTimestamp(row.resolved_at),
  reason: row.reason,
  analyst_id: row.analyst_id,
  notes: row.notes,
});

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
  };
  return { row, resource: toCase(row, subject.at) };
};
export const insertCase = (tenant: number, opened: { row: CaseRow }): Statement => insertCaseRow(tenant, opened.row);

const notOpenError = (row: CaseRow, now: number): ApiError => {
  const { status } = toCase(row, now);
  const remedy = 'To change the outcome, override its decision: POST /v1/decisions/{decision_id}/review.';
  return new ApiError(
    status === 'expired' ? 'case_expired' : 'case_not_open',
    `This case is ${status}, and only an open case can be resolved. ${remedy}`,
  );
};

interface CaseDeps {
  readonly backend: Backend;
  readonly findScreening: FindScreening;
  readonly reviews: Reviews;
  readonly labels: Labels;
  readonly webhooks: Webhooks;
  readonly clock: () => number;
}

const caseIdOf = (call: CallWith<'case_id'>): string => {
  const id = idOf('case', call.params.case_id);
  if (id === undefined) throw notFound('case');
  return id;
};
const requireCase = async ({ backend }: CaseDeps, tenant: number, id: string): Promise<CaseRow> => {
  const row = await findCase(backend, tenant, id);
  if (row === undefined) throw notFound('case');
  return row;
};

/** The case as resolved by the review, and the statements that resolve it. */
const resolutionOf = (
  { webhooks }: CaseDeps,
  caller: Caller,
  row: CaseRow,
  review: ReviewRow,
): { resolved: Case; statements: Statement[] } => {
  const { decision, reason, analyst_id, notes, reviewed_at: at } = review;
  const status = decision === 'allow' ? 'approved' : 'rejected';
  const resolved = toCase({ ...row, status, reason, analyst_id, notes, resolved_at: at }, at);
  return {
    resolved,
    statements: [
      resolveCaseRow(caller.tenant, row.id, status, review),
      ...webhooks.enqueue(caller, 'case.resolved', JSON.stringify(resolved), at),
    ],
  };
};

const getCase = async (deps: CaseDeps, call: Call<'getCase'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const row = await requireCase(deps, tenant, caseIdOf(call));
  const screening = call.query.include === undefined ? undefined : await deps.findScreening(tenant, row.id);
  return call.answer({ ...toCase(row, deps.clock()), ...subjectFor(call, screening) });
};

const resolveCase = async (deps: CaseDeps, call: Call<'resolveCase'>): Promise<Answer> => {
  const { reviews, labels, webhooks } = deps;
  const { status, reason = null, analyst_id = null, notes = null } = call.body;
  const { tenant } = call.caller;
  const id = caseIdOf(call);
  return labels.withLock(tenant, id, async () => {
    const row = await requireCase(deps, tenant, id);
    const before = await reviews.of(tenant, id);
    const item = await labels.find(tenant, id);
    const now = deps.clock();
    if (toCase(row, now).status !== 'open') throw notOpenError(row, now);
    if (item === undefined) throw new Error('the screening of an open case is missing');
    const decision = status === 'approved' ? 'allow' : 'block';
    const review: ReviewRow = { decision, reason, analyst_id, notes, reviewed_at: now };
    const { resolved, statements } = resolutionOf(deps, call.caller, row, review);
    const answer = call.answer(resolved);
    await labels.writeWith(call.caller, item, labelOf(review, 'case'), [
      ...statements,
      reviews.add(tenant, id, row.user_id, before, review),
      ...answer.statements,
    ]);
    webhooks.send(call.caller);
    return answer;
  });
};

const listCases = async ({ backend, clock }: CaseDeps, call: Call<'listCases'>): Promise<Answer> => {
  const { status, limit = DEFAULT_LIMIT, offset = 0, start_date, end_date, sort = 'newest' } = call.query;
  const { user_id: userId, subject_type: subjectType, signal, score_min: scoreMin, score_max: scoreMax } = call.query;
  if (scoreMin !== undefined && scoreMax !== undefined && scoreMax < scoreMin)
    throw invalidRequest([{ field: 'score_max', message: 'must not be less than `score_min`' }]);
  const now = clock();
  const filter = {
    status,
    from: start_date === undefined ? undefined : readTimestamp(start_date),
    before: end_date === undefined ? undefined : readTimestamp(end_date),
    ...{ userId, subjectType, signal, scoreMin, scoreMax },
  };
  const { rows, total } = await listCaseRows(backend, call.caller.tenant, filter, now, sort, limit, offset);
  const cases: CaseList = {
    cases: rows.map((row) => toCase(row, now)),
    total,
    limit,
    offset,
    has_more: offset + rows.length < total,
  };
  return call.answer(cases);
};

/** Statements that resolve the case of a reviewed decision; none when it has no open case. */
const resolveByReview = async (deps: CaseDeps, caller: Caller, id: string, review: ReviewRow): Promise<Statement[]> => {
  const row = await findCase(deps.backend, caller.tenant, id);
  if (row === undefined || toCase(row, review.reviewed_at).status !== 'open') return [];
  return resolutionOf(deps, caller, row, review).statements;
};

export const makeCases = (deps: CaseDeps) => ({
  list: (call: Call<'listCases'>): Promise<Answer> => listCases(deps, call),
  get: (call: Call<'getCase'>): Promise<Answer> => getCase(deps, call),
  resolve: (call: Call<'resolveCase'>): Promise<Answer> => resolveCase(deps, call),
  resolveBy: (caller: Caller, id: string, review: ReviewRow): Promise<Statement[]> =>
    resolveByReview(deps, caller, id, review),
  count: (tenant: number, userId: string, now: number) => countCases(deps.backend, tenant, userId, now),
});
export type Cases = ReturnType<typeof makeCases>;
