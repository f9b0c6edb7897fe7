import type { Case } from '@portcullis/contract';
import { kindIndex, type Subject } from '@portcullis/engine';
import type { Statement } from '../backend/backend.ts';
import type { Caller } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import type { ReviewRow } from '../reviews/reviews.ts';
import { getCaseActivity } from './activity.ts';
import { assignCase, takeNextCase } from './assignment.ts';
import { joinAttack } from './attack-store.ts';
import { CASE_LIFETIME_MS, type CaseDeps, toCase } from './case.ts';
import { getCase } from './get.ts';
import { listCases } from './list.ts';
import { setCasePriority, setCaseTags } from './marks.ts';
import { addCaseNote, listCaseNotes, notesOf } from './notes.ts';
import { setCasePresence } from './presence.ts';
import { reopenCase } from './reopen.ts';
import { resolveByReview, resolveCase, resolveManyCases } from './resolve.ts';
import { snoozeCase } from './snooze.ts';
import { type CaseSpan, caseStats } from './stats.ts';
import { type CaseRow, countCases, findCase, insertCaseRow } from './store.ts';

export { sweepAttackLinks } from './attack-store.ts';
export { openCase } from './case.ts';

/** Stores a new case, which joins the attack of its user or device. */
export const insertCase = (tenant: number, { row }: { row: CaseRow }, { hashes }: Subject): Statement[] => {
  const [user, device] = [hashes[kindIndex.user], hashes[kindIndex.device]] as [number, number];
  return [insertCaseRow(tenant, row), ...joinAttack(tenant, row.id, user, device, row.created_at)];
};

export const makeCases = (deps: CaseDeps) => ({
  list: (call: Call<'listCases'>): Promise<Answer> => listCases(deps, call),
  get: (call: Call<'getCase'>): Promise<Answer> => getCase(deps, call),
  resolve: (call: Call<'resolveCase'>): Promise<Answer> => resolveCase(deps, call),
  resolveMany: (call: Call<'resolveManyCases'>): Promise<Answer> => resolveManyCases(deps, call),
  reopen: (call: Call<'reopenCase'>): Promise<Answer> => reopenCase(deps, call),
  assign: (call: Call<'assignCase'>): Promise<Answer> => assignCase(deps, call),
  takeNext: (call: Call<'takeNextCase'>): Promise<Answer> => takeNextCase(deps, call),
  setPriority: (call: Call<'setCasePriority'>): Promise<Answer> => setCasePriority(deps, call),
  setTags: (call: Call<'setCaseTags'>): Promise<Answer> => setCaseTags(deps, call),
  snooze: (call: Call<'snoozeCase'>): Promise<Answer> => snoozeCase(deps, call),
  setPresence: (call: Call<'setCasePresence'>): Promise<Answer> => setCasePresence(deps, call),
  getActivity: (call: Call<'getCaseActivity'>): Promise<Answer> => getCaseActivity(deps, call),
  addNote: (call: Call<'addCaseNote'>): Promise<Answer> => addCaseNote(deps, call),
  listNotes: (call: Call<'listCaseNotes'>): Promise<Answer> => listCaseNotes(deps, call),
  resolveBy: (caller: Caller, id: string, review: ReviewRow): Promise<Statement[]> =>
    resolveByReview(deps, caller, id, review),
  find: async (tenant: number, id: string): Promise<Case | undefined> => {
    const row = await findCase(deps.backend, tenant, id);
    return row === undefined ? undefined : toCase(row, deps.clock());
  },
  notesOf: (tenant: number, id: string) => notesOf(deps, tenant, id),
  count: (tenant: number, userId: string, now: number) => countCases(deps.backend, tenant, userId, now),
  stats: async (tenant: number, span: CaseSpan, now: number) => {
    const { review_target_minutes: target } = await deps.settingsOf(tenant);
    return caseStats(deps.backend, tenant, span, now, CASE_LIFETIME_MS, target);
  },
});
export type Cases = ReturnType<typeof makeCases>;
