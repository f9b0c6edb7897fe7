import Type from 'typebox';
import { CASE_FILTERS, caseOrder } from './case.ts';
import { callerId, nullable } from './text.ts';

export const CaseAssignment = Type.Object(
  {
    assignee: nullable(callerId('Your identifier of the person who works on the case.', 'analyst_7'), {
      description: 'Who works on the case; `null` releases it.',
    }),
    analyst_id: Type.Optional(
      callerId('Who makes the change, for audits. The assignee of a case can hand it over or release it.', 'analyst_7'),
    ),
    force: Type.Optional(
      Type.Boolean({ default: false, description: 'Takes the case from its assignee.', examples: [false] }),
    ),
  },
  { $id: 'CaseAssignment', examples: [{ assignee: 'analyst_7' }] },
);
export type CaseAssignment = Type.Static<typeof CaseAssignment>;

export const NextCase = Type.Object(
  { analyst_id: callerId('Who gets the case.', 'analyst_7'), ...CASE_FILTERS, sort: caseOrder('oldest') },
  { $id: 'NextCase', examples: [{ analyst_id: 'analyst_7', score_min: 50 }] },
);
export type NextCase = Type.Static<typeof NextCase>;
