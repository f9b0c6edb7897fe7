import {
  type Case,
  type CaseList,
  type CaseQuery,
  type CaseResolution,
  readTimestamp,
  writeTimestamp,
} from '@portcullis/contract';
import type { Subject, Verdict } from '@portcullis/engine';
import type { Caller } from '../access/access.ts';
import type { Backend, Statement } from '../backend/backend.ts';
import { ApiError, notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, withPrefix } from '../ids.ts';
import type { Labels } from '../labels/labels.ts';
import { maskNotes } from '../mask.ts';
import { labelOf, type ReviewRow, type Reviews } from '../reviews/reviews.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { type CaseRow, countCases, findCase, insertCaseRow, listCaseRows, resolveCaseRow } from './store.ts';

export const CASE_LIFETIME_MS = 7 * 24 * 3_600_000;
const DEFAULT_LIMIT = 20;

/** The case as it reads at `now`: `expired` from the millisecond it expires, whether or not anything noted that. */
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
  created_at: writeTimestamp(row.created_at),
  expires_at: writeTimestamp(row.expires_at),
  resolved_at: row.resolved_at === null ? null : writeTimestamp(row.resolved_at),
  analyst_id: row.analyst_id,
  notes: row.notes,
});

/** The case that a `review` opens, under the id of its screening. */
export const openCase = (id: string, subject: Subject, verdict: Verdict): { row: CaseRow; resource: Case } => {
  const row: CaseRow = {
    id,
    subject_type: subject.type,
    user_id: subject.request.user_id,
    status: 'open',
    risk_score: verdict.score,
    signals: JSON.stringify(verdict.signals),
    created_at: subject.at,
    expires_at: subject.at + CASE_LIFETIME_MS,
    resolved_at: null,
    analyst_id: null,
    notes: null,
  };
  return { row, resource: toCase(row, subject.at) };
};
export const insertCase = (tenant: number, opened: { row: CaseRow }): Statement => insertCaseRow(tenant, opened.row);

const refusalOf = (row: CaseRow, now: number): ApiError => {
  const { status } = toCase(row, now);
  return status === 'expired'
    ? new ApiError('case_expired', 'This case is expired: it can no longer be resolved.')
    : new ApiError('case_not_open', `This case is ${status}: only an open case can be resolved.`);
};

export const makeCases = (deps: {
  backend: Backend;
  reviews: Reviews;
  labels: Labels;
  webhooks: Webhooks;
  clock: () => number;
}) => {
  const { backend, reviews, labels, webhooks, clock } = deps;

  const caseId = (call: Call): string => {
    const id = idOf('case', call.params.case_id as string);
    if (id === undefined) throw notFound('case');
    return id;
  };
  const find = async (tenant: number, id: string): Promise<CaseRow> => {
    const row = await findCase(backend, tenant, id);
    if (row === undefined) throw notFound('case');
    return row;
  };

  /** The case as the review leaves it, and what makes it so. */
  const resolution = (caller: Caller, row: CaseRow, review: ReviewRow): { resolved: Case; statements: Statement[] } => {
    const { decision, analyst_id, notes, reviewed_at: at } = review;
    const status = decision === 'allow' ? 'approved' : 'rejected';
    const resolved = toCase({ ...row, status, analyst_id, notes, resolved_at: at }, at);
    return {
      resolved,
      statements: [
        resolveCaseRow(caller.tenant, row.id, status, analyst_id, notes, at),
        ...webhooks.owe(caller, 'case.resolved', JSON.stringify(resolved), at),
      ],
    };
  };

  const resolve = async (call: Call): Promise<Answer> => {
    const { status, analyst_id = null, notes } = call.body as CaseResolution;
    const masked = maskNotes(notes, call.warnings);
    const { tenant } = call.caller;
    const id = caseId(call);
    return labels.inTurn(tenant, id, async () => {
      const row = await find(tenant, id);
      const before = await reviews.of(tenant, id);
      const item = await labels.find(tenant, id);
      const now = clock();
      if (toCase(row, now).status !== 'open') throw refusalOf(row, now);
      if (item === undefined) throw new Error('a case is open, but its screening is gone');
      const decision = status === 'approved' ? 'allow' : 'block';
      const review: ReviewRow = { decision, analyst_id, notes: masked, reviewed_at: now };
      const { resolved, statements } = resolution(call.caller, row, review);
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

  const list = async (call: Call): Promise<Answer> => {
    const { status, limit = DEFAULT_LIMIT, offset = 0, start_date, end_date } = call.query as CaseQuery;
    const now = clock();
    const filter = {
      status,
      from: start_date === undefined ? undefined : readTimestamp(start_date),
      before: end_date === undefined ? undefined : readTimestamp(end_date),
    };
    const { rows, total } = await listCaseRows(backend, call.caller.tenant, filter, now, limit, offset);
    const cases: CaseList = {
      cases: rows.map((row) => toCase(row, now)),
      total,
      limit,
      offset,
      has_more: offset + rows.length < total,
    };
    return call.answer(cases);
  };

  return {
    list,
    get: async (call: Call): Promise<Answer> =>
      call.answer(toCase(await find(call.caller.tenant, caseId(call)), clock())),
    resolve,
    /** What resolves the case of a reviewed decision by the same act; nothing when it has none or it is not open. */
    resolveBy: async (caller: Caller, id: string, review: ReviewRow): Promise<Statement[]> => {
      const row = await findCase(backend, caller.tenant, id);
      if (row === undefined || toCase(row, review.reviewed_at).status !== 'open') return [];
      return resolution(caller, row, review).statements;
    },
    count: (tenant: number, userId: string, now: number) => countCases(backend, tenant, userId, now),
  };
};
export type Cases = ReturnType<typeof makeCases>;
