import {
  type Case,
  type CaseResolution,
  type CaseResult,
  type CaseResults,
  type ErrorDetail,
  MAX_CASES_AT_ONCE,
} from '@portcullis/contract';
import { type Statement, Unavailable } from '../backend/backend.ts';
import { analystOf, type Caller } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { labelOf, type ReviewRow } from '../reviews/reviews.ts';
import { idOf } from '../runtime/ids.ts';
import { ApiError, invalidRequest, unavailable } from '../validation/errors.ts';
import { type CaseDeps, caseIdOf, requireCase, requireOpen, toCase } from './case.ts';
import { openCasesOfAttack } from './list.ts';
import { type CaseRow, findCase, resolveCaseRow } from './store.ts';

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

/** Refuses a rejection without notes where the account requires them. */
const requireNotes = async (
  { settingsOf }: CaseDeps,
  tenant: number,
  { status, notes }: CaseResolution,
): Promise<void> => {
  if (status !== 'rejected' || (notes ?? '').trim() !== '') return;
  if ((await settingsOf(tenant)).note_required === 0) return;
  throw invalidRequest([
    { field: 'notes', message: 'is required to reject a case: a setting of the account requires it' },
  ]);
};

/** Resolves a case in one unit with its review, its label and its messages. */
const resolveOne = async (deps: CaseDeps, caller: Caller, id: string, resolution: CaseResolution): Promise<Case> => {
  const { status, reason = null, notes = null } = resolution;
  const analyst_id = analystOf(caller, resolution.analyst_id) ?? null;
  const { reviews, labels, webhooks } = deps;
  const { tenant } = caller;
  return labels.withLock(tenant, id, async () => {
    const row = await requireCase(deps, tenant, id);
    const before = await reviews.of(tenant, id);
    const item = await labels.find(tenant, id);
    const now = deps.clock();
    requireOpen(row, now, 'resolved');
    if (item === undefined) throw new Error('the screening of an open case is missing');
    const decision = status === 'approved' ? 'allow' : 'block';
    const review: ReviewRow = { decision, reason, analyst_id, notes, reviewed_at: now };
    const { resolved, statements } = resolutionOf(deps, caller, row, review);
    await labels.writeWith(caller, item, labelOf(review, 'case'), [
      ...statements,
      reviews.add(tenant, id, row.user_id, before, review),
    ]);
    webhooks.send(caller);
    return resolved;
  });
};

export const resolveCase = async (deps: CaseDeps, call: Call<'resolveCase'>): Promise<Answer> => {
  await requireNotes(deps, call.caller.tenant, call.body);
  return call.answer(await resolveOne(deps, call.caller, caseIdOf(call), call.body));
};

/** The error of one case among several. A bug is no result: it fails the request. */
const errorOf = (error: unknown): CaseResult['error'] => {
  const known = error instanceof Unavailable ? unavailable('The store is unavailable or overloaded.') : error;
  if (!(known instanceof ApiError)) throw error;
  return { code: known.code, message: known.message };
};

/** Requires exactly one of `case_ids` and `attack_of`, which the schema cannot express. */
export const selectionErrors = (body: Readonly<Record<string, unknown>>): ErrorDetail[] => {
  const [isListed, isAttack] = [body.case_ids !== undefined, body.attack_of !== undefined];
  if (isListed !== isAttack) return [];
  const message = isListed ? 'must not be given together with `attack_of`' : 'is required, or `attack_of`';
  return [{ field: 'case_ids', message }];
};

/**
 * Resolves cases together, each in its own unit. The response is stored for its idempotency key after the last one: a
 * request that was interrupted and is repeated finds the cases resolved that were done.
 */
export const resolveManyCases = async (deps: CaseDeps, call: Call<'resolveManyCases'>): Promise<Answer> => {
  const { case_ids, attack_of: member, ...resolution } = call.body;
  // Once for all: a wrong name is an error of the request, not of each case.
  analystOf(call.caller, resolution.analyst_id);
  await requireNotes(deps, call.caller.tenant, resolution);
  const caseIds = case_ids ?? (await openCasesOfAttack(deps, call.caller.tenant, member as string, MAX_CASES_AT_ONCE));
  const resultOf = (case_id: string): Promise<CaseResult> =>
    resolveOne(deps, call.caller, idOf('case', case_id) as string, resolution).then(
      (resolved) => ({ case_id, case: resolved, error: null }),
      (error: unknown) => ({ case_id, case: null, error: errorOf(error) }),
    );
  const results: CaseResults = { results: await Promise.all(caseIds.map(resultOf)) };
  const answer = call.answer(results);
  if (answer.statements.length > 0) await deps.backend.write(answer.statements);
  return answer;
};

/** Statements that resolve the case of a reviewed decision; none when it has no open case. */
export const resolveByReview = async (
  deps: CaseDeps,
  caller: Caller,
  id: string,
  review: ReviewRow,
): Promise<Statement[]> => {
  const row = await findCase(deps.backend, caller.tenant, id);
  if (row === undefined || toCase(row, review.reviewed_at).status !== 'open') return [];
  return resolutionOf(deps, caller, row, review).statements;
};
