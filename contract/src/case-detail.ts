import Type from 'typebox';
import { Decision } from './decision.ts';
import { id } from './ids.ts';
import { callerId, nullable, timestamp } from './text.ts';
import { Usual } from './usual.ts';
import { Warnings } from './verdict.ts';

/** The newest entries of the activity of a case that a response has. */
export const MAX_CASE_ACTIVITY = 200;
/** How long somebody is present at a case after the last request. */
export const PRESENCE_SECONDS = 45;

export const CASE_ACTIVITY_KINDS = [
  'opened',
  'assigned',
  'released',
  'priority_changed',
  'tags_changed',
  'snoozed',
  'noted',
  'resolved',
  'reopened',
  'overridden',
  'expired',
] as const;
export type CaseActivityKind = (typeof CASE_ACTIVITY_KINDS)[number];

export const CaseActivityEntry = Type.Object(
  {
    kind: Type.Enum(CASE_ACTIVITY_KINDS, {
      description: '`overridden`: the decision was overridden while the case was not open.',
      examples: ['resolved'],
    }),
    at: timestamp('When it happened.'),
    who: nullable(Type.String({ examples: ['analyst_7'] }), {
      description:
        'The `analyst_id` of the request, the e-mail address of the person, or the API key. `null` for what happened by itself, and for a resolution without `analyst_id`.',
    }),
    value: nullable(Type.String({ examples: ['approved'] }), {
      description:
        'The assignee, the priority, the tags with commas, the end of a snooze, the id of a note, the outcome of a resolution or the decision of an override. Otherwise `null`.',
    }),
  },
  { $id: 'CaseActivityEntry' },
);
export type CaseActivityEntry = Type.Static<typeof CaseActivityEntry>;

export const CaseActivity = Type.Object(
  {
    entries: Type.Array(CaseActivityEntry),
    cut: Type.Boolean({ description: 'Whether older entries were left out.', examples: [false] }),
  },
  { $id: 'CaseActivity', description: `Newest first, up to ${MAX_CASE_ACTIVITY} entries.` },
);
export type CaseActivity = Type.Static<typeof CaseActivity>;

export const PresentPerson = Type.Object(
  {
    analyst_id: Type.String({ examples: ['analyst_7'] }),
    seen_at: timestamp('The last request of this person.'),
  },
  { $id: 'PresentPerson' },
);
export type PresentPerson = Type.Static<typeof PresentPerson>;

export const CasePresence = Type.Object(
  {
    present: Type.Array(PresentPerson, { description: 'Who has the case open, yourself included.' }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'CasePresence' },
);
export type CasePresence = Type.Static<typeof CasePresence>;

export const CasePresenceRequest = Type.Object(
  {
    analyst_id: Type.Optional(
      callerId('Who has the case open. Default: the API key. In a session it is the person.', 'analyst_7'),
    ),
  },
  { $id: 'CasePresenceRequest', examples: [{ analyst_id: 'analyst_7' }] },
);
export type CasePresenceRequest = Type.Static<typeof CasePresenceRequest>;

export const CaseNote = Type.Object(
  {
    note_id: id('note', 'The note.'),
    case_id: id('case', 'The case.'),
    author: Type.String({ description: 'The `analyst_id` of the request, or the API key.', examples: ['analyst_7'] }),
    text: Type.String({ examples: ['The customer does not answer; call again at noon.'] }),
    created_at: timestamp('When the note was added.'),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'CaseNote' },
);
export type CaseNote = Type.Static<typeof CaseNote>;

export const CASE_INCLUDES = ['subject', 'decision', 'usual', 'notes', 'activity', 'presence'] as const;
export type CaseInclude = (typeof CASE_INCLUDES)[number];
/** The permission that some of them need, beside the one of the operation. */
export const CASE_INCLUDE_PERMISSIONS = { subject: 'read_personal', usual: 'read_personal' } as const;

const ONE = `(${CASE_INCLUDES.join('|')})`;
export const CaseDetailQuery = Type.Object(
  {
    include: Type.Optional(
      Type.String({
        pattern: `^${ONE}(,${ONE}){0,${CASE_INCLUDES.length - 1}}$`,
        description:
          'What the response adds, separated by commas. `subject`: the stored request and `knowledge`, the result of looking it up. `decision`: `full_decision`. `usual`: what the user usually does. `notes`: `case_notes`, the newest 200. `activity`: who did what. `presence`: who has the case open. `subject` and `usual` require the permission `read_personal`.',
        examples: ['subject,decision'],
      }),
    ),
  },
  { $id: 'CaseDetailQuery' },
);
export type CaseDetailQuery = Type.Static<typeof CaseDetailQuery>;

/** What `include` adds to a case. */
export const CASE_DETAILS = {
  full_decision: Type.Optional(
    nullable(Decision, {
      description: 'Only with `include=decision`: the decision with its factors and reviews. `null` after its 90 days.',
    }),
  ),
  usual: Type.Optional(
    nullable(Usual, {
      description: 'Only with `include=usual`: what the user did before this item. `null` if there is nothing.',
    }),
  ),
  case_notes: Type.Optional(
    Type.Array(CaseNote, { description: 'Only with `include=notes`: notes of analysts, newest first.' }),
  ),
  activity: Type.Optional(
    Type.Array(CaseActivityEntry, {
      description: `Only with \`include=activity\`: the newest ${MAX_CASE_ACTIVITY} entries, newest first.`,
    }),
  ),
  present: Type.Optional(
    Type.Array(PresentPerson, { description: 'Only with `include=presence`: who has the case open.' }),
  ),
};
