import { Case, CaseList, CaseQuery, CaseResolution } from './case.ts';
import { CaseAssignment, CaseResults, CasesResolution, NextCase } from './case-work.ts';
import { type Operation, operation } from './operation.ts';
import { INCLUDE_PERMISSIONS, SubjectQuery } from './screened-subject.ts';

/** Operations on review cases. */
export const casesOperations = {
  listCases: operation({
    method: 'GET',
    path: '/v1/cases',
    tag: 'Cases',
    summary: 'List cases',
    description: 'Newest first.',
    permission: 'read',
    query: CaseQuery,
    status: 200,
    response: CaseList,
    pages: { items: 'cases' },
  }),
  getCase: operation({
    method: 'GET',
    path: '/v1/cases/{case_id}',
    tag: 'Cases',
    summary: 'Get a case',
    permission: 'read',
    includes: INCLUDE_PERMISSIONS,
    params: { case_id: 'Returned by the screening or the list.' },
    query: SubjectQuery,
    status: 200,
    response: Case,
    errors: ['not_found'],
  }),
  resolveCase: operation({
    method: 'PUT',
    path: '/v1/cases/{case_id}',
    tag: 'Cases',
    summary: 'Resolve a case',
    description: 'A case can be resolved once, while it is open. It expires after 7 days.',
    permission: 'review',
    params: { case_id: 'Returned by the screening or the list.' },
    body: CaseResolution,
    status: 200,
    response: Case,
    errors: ['not_found', 'case_not_open', 'case_expired'],
  }),
  resolveManyCases: operation({
    method: 'POST',
    path: '/v1/cases/resolve',
    tag: 'Cases',
    summary: 'Resolve several cases',
    description:
      'Resolves each case as the resolution of a single case does. Each has a result of its own: a case that cannot be resolved does not keep the others from being resolved.',
    permission: 'review',
    body: CasesResolution,
    status: 200,
    response: CaseResults,
  }),
  assignCase: operation({
    method: 'PUT',
    path: '/v1/cases/{case_id}/assignment',
    tag: 'Cases',
    summary: 'Assign a case, or release it',
    description:
      'The assignee of an open case can hand it over or release it; anybody else needs `force`. Of two people who claim a case at once, one gets 200 and the other 409 `case_taken`.',
    permission: 'review',
    params: { case_id: 'Returned by the screening or the list.' },
    body: CaseAssignment,
    status: 200,
    response: Case,
    errors: ['not_found', 'case_taken', 'case_not_open', 'case_expired'],
  }),
  takeNextCase: operation({
    method: 'POST',
    path: '/v1/cases/next',
    tag: 'Cases',
    summary: 'Take the next waiting case',
    description:
      'Assigns the first open case without an assignee that matches the filter. Two people who ask at once get two cases.',
    permission: 'review',
    body: NextCase,
    status: 200,
    response: Case,
    errors: ['none_waiting'],
  }),
} satisfies Record<string, Operation>;
