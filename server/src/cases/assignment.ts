import { analystOf } from '../http/caller.ts';
import type { Answer, AnyCall, Call } from '../http/route.ts';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import { CASE_LIFETIME_MS, type CaseDeps, caseIdOf, requireCase, requireOpen, toCase } from './case.ts';
import { insertChange } from './change-store.ts';
import { filterOf } from './list.ts';
import { assignCaseRow, type CaseRow, firstCaseRow } from './store.ts';

interface Assignment {
  readonly assignee: string | null;
  /** Who makes the change. */
  readonly analystId: string | null;
  readonly force: boolean;
}

/** Stores an assignment with its audit entry. Undefined, with nothing stored, if the case changed since it was read. */
const storeAssignment = async (
  deps: CaseDeps,
  call: AnyCall,
  row: CaseRow,
  { assignee, analystId, force }: Assignment,
  now: number,
): Promise<Answer | undefined> => {
  const assigned = toCase({ ...row, assignee, assigned_at: assignee === null ? null : now }, now);
  const answer = call.answer(assigned);
  const change = {
    action: 'case.assigned',
    target: assigned.case_id,
    before: { assignee: row.assignee },
    after: { assignee, analyst_id: analystId, force },
  };
  const { tenant } = call.caller;
  const { written } = await deps.audit.write(call.caller, change, [
    assignCaseRow(tenant, row, assignee, now),
    insertChange(deps, tenant, row, assignee === null ? 'case.released' : 'case.assigned', now),
    ...answer.statements,
  ]);
  return written ? answer : undefined;
};

const takenError = (assignee: string): ApiError =>
  new ApiError(
    'case_taken',
    `This case is assigned to ${assignee}. Send that \`analyst_id\` to hand it over, or \`force\` to take it over.`,
  );

/** Assigns a case, or releases it. The person who has it can hand it over; others need `force`. */
export const assignCase = async (deps: CaseDeps, call: Call<'assignCase'>): Promise<Answer> => {
  const { assignee, force = false } = call.body;
  const analystId = analystOf(call.caller, call.body.analyst_id) ?? null;
  const id = caseIdOf(call);
  for (;;) {
    const row = await requireCase(deps, call.caller.tenant, id);
    const now = deps.clock();
    requireOpen(row, now, 'assigned');
    if (row.assignee === assignee) return call.answer(toCase(row, now));
    if (row.assignee !== null && row.assignee !== analystId && !force) throw takenError(row.assignee);
    const answer = await storeAssignment(deps, call, row, { assignee, analystId, force }, now);
    // Otherwise another request was faster: decide again by what it left.
    if (answer !== undefined) return answer;
  }
};

/**
 * Assigns the first waiting case. The lock only keeps requests at the same time from trying the same case. The store
 * refuses a case that was assigned or resolved since it was read, so no two people get one.
 */
export const takeNextCase = async (deps: CaseDeps, call: Call<'takeNextCase'>): Promise<Answer> => {
  const { backend, clock } = deps;
  const { sort = 'priority' } = call.body;
  const { tenant } = call.caller;
  const analystId = analystOf(call.caller, call.body.analyst_id);
  if (analystId === undefined) throw invalidRequest([{ field: 'analyst_id', message: 'is required with an API key' }]);
  const filter = filterOf(call.body);
  return backend.withLock(`next case ${tenant}`, async () => {
    for (;;) {
      const now = clock();
      // Older cases are expired. The bound lets the index skip them.
      const from = Math.max(filter.from ?? 0, now - CASE_LIFETIME_MS);
      const waiting = { ...filter, from, status: 'open', assignee: null, isSnoozed: false } as const;
      const row = await firstCaseRow(backend, tenant, waiting, now, sort);
      if (row === undefined) throw new ApiError('none_waiting', 'No open case without an assignee matches the filter.');
      const answer = await storeAssignment(deps, call, row, { assignee: analystId, analystId, force: false }, now);
      if (answer !== undefined) return answer;
    }
  });
};
