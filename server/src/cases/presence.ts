import type { CasePresence, PresentPerson } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import { analystOf, authorOf } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { type CaseDeps, caseIdOf, requireCase } from './case.ts';

const placeOf = (tenant: number, id: string): string => `${tenant}:${id}`;

/** Who has a case open, those who came first at the top. */
export const presentAt = async (
  { presence, clock }: Pick<CaseDeps, 'presence' | 'clock'>,
  tenant: number,
  id: string,
): Promise<PresentPerson[]> =>
  (await presence.at(placeOf(tenant, id), clock()))
    .toSorted((a, b) => (a.who < b.who ? -1 : 1))
    .map(({ who, at }) => ({ analyst_id: who, seen_at: writeTimestamp(at) }));

/** Notes that somebody has the case open. It changes nothing that is stored, so it is not audited. */
export const setCasePresence = async (deps: CaseDeps, call: Call<'setCasePresence'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const id = caseIdOf(call);
  const who = analystOf(call.caller, call.body.analyst_id) ?? authorOf(call.caller);
  await requireCase(deps, tenant, id);
  await deps.presence.see(placeOf(tenant, id), who, deps.clock());
  const present: CasePresence = { present: await presentAt(deps, tenant, id) };
  return call.answer(present);
};
