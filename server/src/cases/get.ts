import type { Case, CaseInclude } from '@portcullis/contract';
import type { Answer, Call } from '../http/route.ts';
import { subjectFor } from '../subjects/subjects.ts';
import { activityOf } from './activity.ts';
import { type CaseDeps, caseIdOf, requireCase, toCase } from './case.ts';
import { notesOf } from './notes.ts';
import { presentAt } from './presence.ts';

/** A case with what the request asks for: everything that a page about it shows, in one response. */
export const getCase = async (deps: CaseDeps, call: Call<'getCase'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const row = await requireCase(deps, tenant, caseIdOf(call));
  const included = new Set((call.query.include ?? '').split(','));
  const wants = (name: CaseInclude): boolean => included.has(name);
  const needsScreening = wants('subject') || wants('decision');
  const screening = needsScreening ? await deps.findScreening(tenant, row.id) : undefined;
  const detail: Case = {
    ...toCase(row, deps.clock()),
    ...subjectFor({ query: wants('subject') ? { include: 'subject' } : {}, tagOf: call.tagOf }, screening),
  };
  if (wants('decision')) detail.full_decision = screening === undefined ? null : await deps.decisionOf(call, screening);
  if (wants('usual')) detail.usual = (await deps.usualOf(call, row.user_id, row.created_at)) ?? null;
  if (wants('notes')) detail.case_notes = await notesOf(deps, tenant, row.id);
  if (wants('activity')) detail.activity = (await activityOf(deps, call, row)).entries;
  if (wants('presence')) detail.present = await presentAt(deps, tenant, row.id);
  return call.answer(detail);
};
