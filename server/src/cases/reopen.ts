import { analystOf } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { ApiError } from '../validation/errors.ts';
import { type CaseDeps, caseIdOf, requireCase, toCase } from './case.ts';
import { insertChange } from './change-store.ts';
import { type CaseRow, reopenCaseRow } from './store.ts';

/** How long after its resolution a case can be reopened. */
const REOPEN_MS = 24 * 3_600_000;

/** Refuses a case that is not resolved, was resolved too long ago, or would expire at once. */
const requireReopenable = (row: CaseRow, now: number): void => {
  const { status } = toCase(row, now);
  if (status === 'expired' || (row.resolved_at !== null && now >= row.expires_at))
    throw new ApiError('case_expired', 'Seven days after a case was opened, it can neither be resolved nor reopened.');
  const isRecent = row.resolved_at !== null && now < row.resolved_at + REOPEN_MS;
  if (isRecent) return;
  const reason = status === 'open' ? 'is open' : `was ${status} more than a day ago`;
  throw new ApiError(
    'case_not_resolved',
    `This case ${reason}. A case can be reopened within a day of its resolution.`,
  );
};

/**
 * Opens a resolved case again. Its review and its label stay in force until the next resolution, which replaces both:
 * in between, the decision has one outcome, and histories count one.
 */
export const reopenCase = async (deps: CaseDeps, call: Call<'reopenCase'>): Promise<Answer> => {
  const { audit, labels, webhooks } = deps;
  const { tenant } = call.caller;
  const id = caseIdOf(call);
  const analyst = analystOf(call.caller, call.body.analyst_id);
  return labels.withLock(tenant, id, async () => {
    const row = await requireCase(deps, tenant, id);
    const item = await labels.find(tenant, id);
    const now = deps.clock();
    requireReopenable(row, now);
    if (item === undefined) throw new Error('the screening of a case of this week is missing');
    // A resolution is never refused for lack of room, so the quota is kept here.
    labels.requireRoom(item);
    const reopened = toCase(
      { ...row, status: 'open', reason: null, analyst_id: null, notes: null, resolved_at: null },
      now,
    );
    const { status, reason, analyst_id, resolved_at } = toCase(row, now);
    const change = {
      action: 'case.reopened',
      target: reopened.case_id,
      before: { status, reason, analyst_id, resolved_at },
      after: { status: reopened.status, analyst_id: analyst ?? null },
    };
    const answer = call.answer(reopened);
    await audit.write(call.caller, change, [
      reopenCaseRow(tenant, id),
      insertChange(deps, tenant, row, 'case.reopened', now),
      ...webhooks.enqueue(call.caller, 'case.reopened', JSON.stringify(reopened), now),
      ...answer.statements,
    ]);
    webhooks.send(call.caller);
    return answer;
  });
};
