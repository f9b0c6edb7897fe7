import Type from 'typebox';
import { moment, nullable, text, timestamp } from './text.ts';

export const AuditEntry = Type.Object(
  {
    number: Type.Integer({ description: 'Sequence number, from 1, without gaps.', examples: [12] }),
    at: timestamp('Time of the change.'),
    key_id: Type.String({
      description:
        'The key or the person (`person_…`) that made the change. `key_command_line`, `key_daily_training`, `key_first_start`, `key_settings` and `key_webhook_worker` are parts of the service.',
      examples: ['key_01kcy5v3n7f2q8r4t6w9x0y1z2'],
    }),
    person: Type.Optional(
      nullable(Type.String({ examples: ['mara@example.com'] }), {
        description: 'The e-mail address of the person; `null` for a key, and for a person who was removed.',
      }),
    ),
    role: Type.String({ examples: ['admin'] }),
    action: Type.String({ examples: ['policy.changed'] }),
    target: Type.String({ description: 'The resource that changed.', examples: ['policy'] }),
    before: Type.Unknown({ description: 'Value before the change; `null` for a new resource.', examples: [null] }),
    after: Type.Unknown({ description: 'Value after the change; `null` for a deleted resource.', examples: [null] }),
    hash: Type.String({ description: 'Keyed hash of this entry and of the previous hash.', examples: ['9f2b…'] }),
  },
  { $id: 'AuditEntry' },
);
export type AuditEntry = Type.Static<typeof AuditEntry>;

export const AuditQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' })),
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only entries with a smaller number.' })),
  target: Type.Optional(text(1, 255, { description: 'Only changes of this target.' })),
  actor: Type.Optional(
    text(1, 255, {
      description: 'Only changes by this key or person: a `key_id`, or the e-mail address of a person.',
      examples: ['mara@example.com'],
    }),
  ),
  action: Type.Optional(
    Type.String({
      pattern: '^[a-z_]{1,60}(\\.[a-z_]{1,60})?$',
      description: 'Only this action, such as `rule.changed`, or all actions of a kind, such as `rule`.',
      examples: ['rule.changed'],
    }),
  ),
  from: Type.Optional(moment('Only changes at this time or later.')),
  until: Type.Optional(moment('Only changes before this time.')),
});
export type AuditQuery = Type.Static<typeof AuditQuery>;

export const AuditList = Type.Object(
  { entries: Type.Array(AuditEntry), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'AuditList', description: 'Newest first.' },
);
export type AuditList = Type.Static<typeof AuditList>;

/** How an audit log was tampered with. Entries after the first finding are not judged. */
export const AUDIT_FINDINGS = [
  'changed',
  'inserted',
  'removed',
  'reordered',
  'from_another_account',
  'truncated',
  'emptied',
  'rolled_back',
  'head_forged',
  'anchor_missing',
  'anchor_forged',
] as const;
export type AuditFinding = (typeof AUDIT_FINDINGS)[number];

/** The number and the hash of an entry. */
const ANCHOR = '^[1-9]\\d{0,14}:[0-9a-f]{64}$';
const EXAMPLE = '12:9f2b0c6de1a84c5f7be0d1a3c9f4e27a6b8d5c0e1f2a3b4c5d6e7f8091a2b3c4';

export const AuditCheckQuery = Type.Object({
  anchor: Type.Optional(
    Type.String({
      pattern: ANCHOR,
      description: 'The `anchor` of an earlier check. The log must still have that entry, unchanged.',
      examples: [EXAMPLE],
    }),
  ),
});
export type AuditCheckQuery = Type.Static<typeof AuditCheckQuery>;

export const AuditCheck = Type.Object(
  {
    intact: Type.Boolean({ examples: [true] }),
    entries: Type.Integer({ description: 'Number of entries checked.', examples: [12] }),
    broken_at: nullable(
      Type.Integer({
        description:
          'Number of the first entry that fails the check. If the newest entries are missing, one more than the number of entries left. `null` if only the anchor is missing or forged.',
        examples: [7],
      }),
    ),
    finding: nullable(Type.Enum(AUDIT_FINDINGS, { examples: ['truncated'] }), {
      description: 'What happened to the log; `null` if it is intact.',
    }),
    message: nullable(
      Type.String({ description: 'The finding in words.', examples: ['Entries from 7 on are missing.'] }),
    ),
    anchor: nullable(
      Type.String({
        pattern: ANCHOR,
        description:
          'Number and hash of the newest entry; `null` if the log is empty or not intact. Store it outside the installation, and send it with a later check.',
        examples: [EXAMPLE],
      }),
    ),
    accepted: Type.Array(
      Type.Object({
        number: Type.Integer({ description: 'Number of the entry `audit.accepted`.', examples: [46] }),
        broken_at: Type.Integer({
          description: 'Number of the first entry that failed the check then.',
          examples: [41],
        }),
      }),
      { description: 'Earlier findings that an operator accepted, such as after restoring a backup.' },
    ),
  },
  { $id: 'AuditCheck', description: 'Result of verifying the hash chain.' },
);
export type AuditCheck = Type.Static<typeof AuditCheck>;
