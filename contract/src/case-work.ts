import Type from 'typebox';
import { CASE_FILTERS, Case, CaseResolution, caseOrder } from './case.ts';
import { ERROR_STATUSES, type ErrorCode } from './error-codes.ts';
import { id } from './ids.ts';
import { callerId, nullable } from './text.ts';
import { Warnings } from './verdict.ts';

export const MAX_CASES_AT_ONCE = 100;

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

export const CasesResolution = Type.Object(
  {
    case_ids: Type.Array(id('case', 'A case.'), {
      minItems: 1,
      maxItems: MAX_CASES_AT_ONCE,
      uniqueItems: true,
      description: 'The cases to resolve, each once.',
      examples: [['case_01kcy5v3n7f2q8r4t6w9x0y1z2']],
    }),
    ...CaseResolution.properties,
  },
  {
    $id: 'CasesResolution',
    description: 'One outcome for several cases.',
    examples: [
      {
        case_ids: ['case_01kcy5v3n7f2q8r4t6w9x0y1z2'],
        status: 'rejected',
        reason: 'card_testing',
        analyst_id: 'analyst_7',
        notes: 'One attack on gift cards.',
      },
    ],
  },
);
export type CasesResolution = Type.Static<typeof CasesResolution>;

export const CaseResult = Type.Object(
  {
    case_id: id('case', 'The case.'),
    case: nullable(Case, { description: 'The resolved case; `null` if it was not resolved.' }),
    error: nullable(
      Type.Object({
        code: Type.Enum(Object.keys(ERROR_STATUSES) as ErrorCode[], { examples: ['case_not_open'] }),
        message: Type.String({ examples: ['This case is approved, and only an open case can be resolved.'] }),
      }),
      { description: 'Why the case was not resolved; `null` if it was.' },
    ),
  },
  { $id: 'CaseResult' },
);
export type CaseResult = Type.Static<typeof CaseResult>;

export const CaseResults = Type.Object(
  {
    results: Type.Array(CaseResult, { description: 'In the order of `case_ids`.' }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'CaseResults' },
);
export type CaseResults = Type.Static<typeof CaseResults>;
