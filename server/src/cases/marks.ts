import { PRIORITIES } from '@portcullis/contract/values';
import type { Answer, Call, CallWith } from '../http/route.ts';
import { type CaseDeps, caseIdOf, requireCase, toCase } from './case.ts';
import { type CaseRow, markCaseRow } from './store.ts';

/** Stores marks of a case with an audit entry. A mark that the case has already changes nothing. */
const markCase = (
  deps: CaseDeps,
  call: CallWith<'case_id'>,
  mark: 'priority' | 'tags',
  value: Partial<Pick<CaseRow, 'priority' | 'tags'>>,
): Promise<Answer> => {
  const { tenant } = call.caller;
  const id = caseIdOf(call);
  return deps.labels.withLock(tenant, id, async () => {
    const row = await requireCase(deps, tenant, id);
    const now = deps.clock();
    const marked = { ...row, ...value };
    const [before, after] = [toCase(row, now), toCase(marked, now)];
    const answer = call.answer(after);
    if (marked[mark] === row[mark]) return answer;
    const change = {
      action: `case.${mark}_changed`,
      target: after.case_id,
      before: { [mark]: before[mark] },
      after: { [mark]: after[mark] },
    };
    await deps.audit.write(call.caller, change, [markCaseRow(tenant, marked), ...answer.statements]);
    return answer;
  });
};

export const setCasePriority = (deps: CaseDeps, call: Call<'setCasePriority'>): Promise<Answer> =>
  markCase(deps, call, 'priority', { priority: PRIORITIES.indexOf(call.body.priority) });

export const setCaseTags = (deps: CaseDeps, call: Call<'setCaseTags'>): Promise<Answer> =>
  markCase(deps, call, 'tags', { tags: JSON.stringify(call.body.tags.toSorted()) });
