import type { SubjectType } from '@portcullis/contract';
import { areFactsReadable, type IdentitiesOf, type RuleInput } from '@portcullis/engine';
import { type FindScreening, makeRestoreSubject } from './backend/journal.ts';
import type { Lists } from './lists/lists.ts';
import type { Policies } from './policies/policies.ts';
import { inputFor } from './rules/rules.ts';
import { idOf } from './runtime/ids.ts';

const TYPES: readonly SubjectType[] = ['transaction', 'event'];

/** What rules would be evaluated on for a stored item, by the present policy. */
export const makeInputOf = (deps: {
  identities: IdentitiesOf;
  findScreening: FindScreening;
  lists: Pick<Lists, 'matching'>;
  policies: Pick<Policies, 'of'>;
}) => {
  const restore = makeRestoreSubject(deps.identities);
  return async (tenant: number, subjectId: string): Promise<RuleInput | undefined> => {
    const type = TYPES.find((one) => idOf(one, subjectId) !== undefined) as SubjectType;
    const row = await deps.findScreening(tenant, idOf(type, subjectId) as string);
    if (row?.type !== type || !areFactsReadable(row.facts_version)) return undefined;
    const { subject, facts } = restore(tenant, row);
    return inputFor(deps.policies.of(tenant), subject, facts, deps.lists.matching(tenant, subject));
  };
};
