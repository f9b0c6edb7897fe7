import Type from 'typebox';
import { nullable, text, timestamp } from './text.ts';

export const AuditEntry = Type.Object(
  {
    number: Type.Integer({ description: 'Counts from 1, without a gap.', examples: [12] }),
    at: timestamp('When it was changed.'),
    key_id: Type.String({ description: 'The key it was changed with.', examples: ['key_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
    role: Type.String({ examples: ['admin'] }),
    action: Type.String({ examples: ['policy.changed'] }),
    target: Type.String({ description: 'What was changed.', examples: ['policy'] }),
    before: Type.Unknown({ description: 'As it was; `null` when it is new.', examples: [null] }),
    after: Type.Unknown({ description: 'As it is since; `null` when it is gone.', examples: [null] }),
    hash: Type.String({ description: 'Of this entry and the hash before it, keyed.', examples: ['9f2b…'] }),
  },
  { $id: 'AuditEntry' },
);
export type AuditEntry = Type.Static<typeof AuditEntry>;

export const AuditQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many to return.' })),
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only entries with a smaller number.' })),
  target: Type.Optional(text(1, 255, { description: 'Only changes of this.' })),
});
export type AuditQuery = Type.Static<typeof AuditQuery>;

export const AuditList = Type.Object(
  { entries: Type.Array(AuditEntry), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'AuditList', description: 'Newest first.' },
);
export type AuditList = Type.Static<typeof AuditList>;

export const AuditCheck = Type.Object(
  {
    intact: Type.Boolean({ examples: [true] }),
    entries: Type.Integer({ description: 'How many were checked.', examples: [12] }),
    broken_at: nullable(
      Type.Integer({
        description:
          'The first number that does not follow from those before it; one more than there are where the newest are gone.',
        examples: [7],
      }),
    ),
  },
  { $id: 'AuditCheck', description: 'Whether the chain is as it was written.' },
);
export type AuditCheck = Type.Static<typeof AuditCheck>;
