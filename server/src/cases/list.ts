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
const MINUTE_MS = 60_000;
/** The share of the review target after which it is soon over. */
const SOON = 0.75;
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

const latest = (...times: (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};
const earliest = (...times: (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

const assigneeOf = ({ person }: Caller, assignee: string | undefined): string | null | undefined => {
  if (assignee === NOBODY) return null;
  return assignee === ME && person !== undefined ? person.email : assignee;
};

/** The times of opening, and the status, of cases by the review target. */
const byTarget = async (
  { settingsOf }: CaseDeps,
  { caller, query: { target, status } }: Call<'listCases'>,
  now: number,
): Promise<Pick<CaseFilter, 'from' | 'before' | 'status'>> => {
  if (target === undefined) return { status };
  const minutes = (await settingsOf(caller.tenant)).review_target_minutes;
  if (minutes === null)
    throw invalidRequest([{ field: 'target', message: 'needs a review target: set it with PUT /v1/settings' }]);
  const over = now - minutes * MINUTE_MS + 1;
  const soon = now - minutes * MINUTE_MS * SOON + 1;
  return { status: status ?? 'open', ...(target === 'over' ? { before: over } : { from: over, before: soon }) };
};

export const listCases = async (deps: CaseDeps, call: Call<'listCases'>): Promise<Answer> => {
  const { backend, clock } = deps;
  const { limit = DEFAULT_LIMIT, offset = 0, sort = 'newest' } = call.query;
  const { user_id: userId, snoozed: isSnoozed, attack_of: member } = call.query;
  const now = clock();
  const attack = member === undefined ? undefined : await attackOf(backend, call.caller.tenant, member);
  const assignee = assigneeOf(call.caller, call.query.assignee);
  const asked = filterOf(call.query);
  const due = await byTarget(deps, call, now);
  const filter = {
    ...asked,
    ...{ userId, assignee, isSnoozed, attack, status: due.status },
    from: latest(asked.from, due.from),
    before: earliest(asked.before, due.before),
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
