import type { CaseFilters, CaseList } from '@portcullis/contract';
import { PRIORITIES, readTimestamp } from '@portcullis/contract/values';
import type { Backend } from '../backend/backend.ts';
import type { Caller } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import { invalidRequest } from '../validation/errors.ts';
import { type CaseDeps, toCase } from './case.ts';
import { type CaseFilter, findCase, listCaseRows } from './store.ts';

const DEFAULT_LIMIT = 20;
/** Values of `assignee` for cases that are assigned to nobody, and to the person of the session. */
const NOBODY = 'none';
const ME = 'me';

/** Reads the filters that a list of cases and the next case share. */
export const filterOf = ({ start_date, end_date, ...of }: CaseFilters): CaseFilter => {
  const { subject_type: subjectType, signal, score_min: scoreMin, score_max: scoreMax, priority, tag } = of;
  if (scoreMin !== undefined && scoreMax !== undefined && scoreMax < scoreMin)
    throw invalidRequest([{ field: 'score_max', message: 'must not be less than `score_min`' }]);
  return {
    from: start_date === undefined ? undefined : readTimestamp(start_date),
    before: end_date === undefined ? undefined : readTimestamp(end_date),
    ...{ subjectType, signal, scoreMin, scoreMax, tag },
    ...{ usdMin: of.usd_min, country: of.country?.toUpperCase(), eventType: of.event_type },
    priority: priority === undefined ? undefined : PRIORITIES.indexOf(priority),
  };
};

/** The attack of a case. A case that is unknown, or of an earlier version, has none: its own id matches no attack. */
const attackOf = async (backend: Backend, tenant: number, caseId: string): Promise<string> => {
  const id = idOf('case', caseId) as string;
  return (await findCase(backend, tenant, id))?.attack ?? id;
};

/** The oldest open cases of the attack of a case. */
export const openCasesOfAttack = async (
  { backend, clock }: CaseDeps,
  tenant: number,
  caseId: string,
  limit: number,
): Promise<string[]> => {
  const filter: CaseFilter = { status: 'open', attack: await attackOf(backend, tenant, caseId) };
  const { rows } = await listCaseRows(backend, tenant, filter, clock(), 'oldest', limit, 0);
  return rows.map(({ id }) => withPrefix('case', id));
};

const assigneeOf = ({ person }: Caller, assignee: string | undefined): string | null | undefined => {
  if (assignee === NOBODY) return null;
  return assignee === ME && person !== undefined ? person.email : assignee;
};

export const listCases = async ({ backend, clock }: CaseDeps, call: Call<'listCases'>): Promise<Answer> => {
  const { status, limit = DEFAULT_LIMIT, offset = 0, sort = 'newest' } = call.query;
  const { user_id: userId, snoozed: isSnoozed, attack_of: member } = call.query;
  const now = clock();
  const attack = member === undefined ? undefined : await attackOf(backend, call.caller.tenant, member);
  const assignee = assigneeOf(call.caller, call.query.assignee);
  const filter = { ...filterOf(call.query), ...{ status, userId, assignee, isSnoozed, attack } };
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
