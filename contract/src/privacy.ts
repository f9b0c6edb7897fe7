import Type from 'typebox';
import { Case } from './case.ts';
import { CaseNote } from './case-detail.ts';
import { SUBJECT_TYPES } from './constants.ts';
import { Decision } from './decision.ts';
import { EventSubject } from './event.ts';
import { id } from './ids.ts';
import { Label } from './label.ts';
import { reasonOrNull } from './label-reason.ts';
import { ListEntry } from './list.ts';
import { Knowledge } from './screened-subject.ts';
import { email, userId } from './subject.ts';
import { nullable, timestamp } from './text.ts';
import { TransactionSubject } from './transaction.ts';
import { RiskProfile } from './user.ts';
import { Warnings } from './verdict.ts';

export const PrivacyRequest = Type.Object(
  { user_id: Type.Optional(userId), email: Type.Optional(email) },
  {
    $id: 'PrivacyRequest',
    description: 'A person by `user_id`, by `email`, or by both: then everything with either of them.',
    examples: [{ user_id: 'user_1842' }],
  },
);
export type PrivacyRequest = Type.Static<typeof PrivacyRequest>;

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [3] });

export const ErasureCounts = Type.Object({
  screenings: count('Transactions and events.'),
  cases: count('Cases.'),
  reviews: count('Decisions with reviews.'),
  labels: count('Labels.'),
  histories: count('Histories that belonged only to this person, and were deleted.'),
  deliveries: count('Webhook messages.'),
  list_entries: count('Entries of lists, which were removed.'),
  responses: count('Stored responses for idempotency keys, which were deleted.'),
  audit_entries: count('Entries of the audit log that named the person.'),
});
export type ErasureCounts = Type.Static<typeof ErasureCounts>;

export const Erasure = Type.Object(
  {
    erasure_id: id('erasure', 'The erasure.'),
    status: Type.Enum(['running', 'done'] as const, { examples: ['running'] }),
    progress: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the work that is done.', examples: [0.4] }),
    person: Type.String({
      description:
        'A keyed hash of the person, the same for every erasure by the same `user_id` and `email` until the secret key is rotated.',
      examples: ['5f2d8c0b6c1e4a97'],
    }),
    counts: ErasureCounts,
    requested_at: timestamp('Everything screened up to here is erased. Later items belong to a stranger.'),
    completed_at: nullable(timestamp('When the last trace was removed.')),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Erasure' },
);
export type Erasure = Type.Static<typeof Erasure>;

export const ExportedItem = Type.Object({
  subject_type: Type.Enum(SUBJECT_TYPES, { examples: ['transaction'] }),
  subject_id: Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
  screened_at: timestamp('When it was screened.'),
  subject: Type.Union([TransactionSubject, EventSubject], { description: 'The request as it is stored.' }),
  knowledge: nullable(Knowledge, { description: 'The result of looking it up.' }),
  decision: Decision,
  case: nullable(Case),
  case_notes: Type.Array(CaseNote, { description: 'Newest first.' }),
  labels: Type.Array(Label, { description: 'Newest first.' }),
});
export type ExportedItem = Type.Static<typeof ExportedItem>;

export const PrivacyExport = Type.Object(
  {
    person: Type.Object({ user_id: nullable(Type.String()), email: nullable(Type.String()) }),
    exported_at: timestamp('When the export began.'),
    items: Type.Array(ExportedItem, { description: 'Transactions and events of the last 90 days, oldest first.' }),
    risk_profiles: Type.Array(RiskProfile),
    older_cases: Type.Array(Type.Object({ case: Case, notes: Type.Array(CaseNote) }), {
      description: 'Cases whose transaction or event is deleted.',
    }),
    older_reviews: Type.Array(
      Type.Object({
        decision_id: id('decision', 'The decision.'),
        decision: Type.Enum(['allow', 'block'] as const, { examples: ['block'] }),
        reason: reasonOrNull('How the fraud was done.'),
        analyst_id: nullable(Type.String({ examples: ['analyst_7'] })),
        notes: nullable(Type.String()),
        reviewed_at: timestamp('When it was submitted.'),
      }),
      { description: 'Reviews of decisions whose transaction or event is deleted.' },
    ),
    list_entries: Type.Array(Type.Object({ list_id: Type.String({ examples: ['review'] }), ...ListEntry.properties }), {
      description: 'Entries of lists with the user or an e-mail address of the person.',
    }),
  },
  {
    $id: 'PrivacyExport',
    description: 'Everything that is stored about a person.',
    examples: [
      {
        person: { user_id: 'user_1842', email: null },
        exported_at: '2026-11-14T09:30:00.123Z',
        items: [],
        risk_profiles: [],
        older_cases: [],
        older_reviews: [],
        list_entries: [],
      },
    ],
  },
);
export type PrivacyExport = Type.Static<typeof PrivacyExport>;
