import Type from 'typebox';
import { CASE_FILTERS, Case, CaseResolution, caseOrder, priority, tag } from './case.ts';
import { CaseNote } from './case-detail.ts';
import { ERROR_STATUSES, type ErrorCode } from './error-codes.ts';
import { id } from './ids.ts';
import { callerId, moment, nullable, text } from './text.ts';
import { Warnings } from './verdict.ts';

export const MAX_CASES_AT_ONCE = 100;
export const MAX_TAGS_PER_CASE = 20;
export const MAX_NOTES_PER_CASE = 200;

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
  {
    analyst_id: Type.Optional(
      callerId('Who gets the case. Required with an API key; in a session it is the person.', 'analyst_7'),
    ),
    ...CASE_FILTERS,
    sort: caseOrder('priority'),
  },
  { $id: 'NextCase', examples: [{ analyst_id: 'analyst_7', score_min: 50 }] },
);
export type NextCase = Type.Static<typeof NextCase>;

export const CaseBulkResolution = Type.Object(
  {
    case_ids: Type.Optional(
      Type.Array(id('case', 'A case.'), {
        minItems: 1,
        maxItems: MAX_CASES_AT_ONCE,
        uniqueItems: true,
        description: 'The cases to resolve, each once. Required, unless `attack_of` is sent.',
        examples: [['case_01kcy5v3n7f2q8r4t6w9x0y1z2']],
      }),
    ),
    attack_of: Type.Optional(
      id('case', `Resolves the open cases of the attack of this case, the oldest ${MAX_CASES_AT_ONCE} of them.`),
    ),
    ...CaseResolution.properties,
  },
  {
    $id: 'CaseBulkResolution',
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
export type CaseBulkResolution = Type.Static<typeof CaseBulkResolution>;

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
    results: Type.Array(CaseResult, { description: 'In the order of `case_ids`, or the oldest first.' }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'CaseResults' },
);
export type CaseResults = Type.Static<typeof CaseResults>;

export const CaseTags = Type.Object(
  {
    tags: Type.Array(tag('A tag.'), {
      maxItems: MAX_TAGS_PER_CASE,
      uniqueItems: true,
      description: 'All tags of the case. An empty list removes them.',
      examples: [['gift_cards']],
    }),
  },
  { $id: 'CaseTags' },
);
export type CaseTags = Type.Static<typeof CaseTags>;

export const CasePriority = Type.Object({ priority }, { $id: 'CasePriority', examples: [{ priority: 'urgent' }] });
export type CasePriority = Type.Static<typeof CasePriority>;

export const CaseSnooze = Type.Object(
  {
    until: nullable(moment('When the case comes back.'), {
      description: 'When the case comes back: in the future, and not after `expires_at`. `null` ends the snooze.',
    }),
    analyst_id: Type.Optional(callerId('Who makes the change, for audits.', 'analyst_7')),
  },
  { $id: 'CaseSnooze', examples: [{ until: '2026-11-15T08:00:00Z' }] },
);
export type CaseSnooze = Type.Static<typeof CaseSnooze>;

export const CaseNoteRequest = Type.Object(
  {
    text: text(1, 10_000, {
      description: 'The note.',
      examples: ['The customer does not answer; call again at noon.'],
    }),
    analyst_id: Type.Optional(callerId('Who wrote it. Default: the API key.', 'analyst_7')),
  },
  { $id: 'CaseNoteRequest' },
);
export type CaseNoteRequest = Type.Static<typeof CaseNoteRequest>;

export const CaseNoteQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' })),
  before: Type.Optional(id('note', 'Cursor: the last `note_id` of the previous page.')),
});
export type CaseNoteQuery = Type.Static<typeof CaseNoteQuery>;

export const CaseNoteList = Type.Object(
  { notes: Type.Array(CaseNote), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'CaseNoteList', description: 'Newest first.' },
);
export type CaseNoteList = Type.Static<typeof CaseNoteList>;

export const CaseReopening = Type.Object(
  { analyst_id: Type.Optional(callerId('Who reopens the case, for audits.', 'analyst_7')) },
  { $id: 'CaseReopening' },
);
export type CaseReopening = Type.Static<typeof CaseReopening>;
