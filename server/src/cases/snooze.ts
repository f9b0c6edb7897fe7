import { readTimestamp } from '@portcullis/contract/values';
import { analystOf } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { invalidRequest } from '../validation/errors.ts';
import { type CaseDeps, caseIdOf, requireCase, requireOpen, toCase } from './case.ts';
import { snoozeCaseRow } from './store.ts';

/** Sets a case aside until a time. A case never sleeps past its expiry. */
export const snoozeCase = (deps: CaseDeps, call: Call<'snoozeCase'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const id = caseIdOf(call);
  const analystId = analystOf(call.caller, call.body.analyst_id) ?? null;
  const until = call.body.until === null ? null : (readTimestamp(call.body.until) as number);
  return deps.labels.withLock(tenant, id, async () => {
    const row = await requireCase(deps, tenant, id);
    const now = deps.clock();
    requireOpen(row, now, 'snoozed');
    const { snoozed_until: before, expires_at } = toCase(row, now);
    if (until !== null && (until <= now || until > row.expires_at))
      throw invalidRequest([{ field: 'until', message: `must be in the future, and not after ${expires_at}` }]);
    const snoozed = toCase({ ...row, snoozed_until: until }, now);
    const answer = call.answer(snoozed);
    if (snoozed.snoozed_until === before) return answer;
    const change = {
      action: 'case.snoozed',
      target: snoozed.case_id,
      before: { snoozed_until: before },
      after: { snoozed_until: snoozed.snoozed_until, analyst_id: analystId },
    };
    await deps.audit.write(call.caller, change, [snoozeCaseRow(tenant, id, until, now), ...answer.statements]);
    return answer;
  });
};
