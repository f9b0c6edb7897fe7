import Type from 'typebox';
import { nullable, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

const score = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: 100, description, examples: [example] });

export const Thresholds = Type.Refine(
  Type.Object({
    review: score('Lowest score that gets `review`.', 50),
    block: score('Lowest score that gets `block`.', 80),
  }),
  ({ review, block }) => review < block,
  () => '`review` must be below `block`',
);

const rate = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 10_000, description, examples: [example] });

export const Budget = Type.Refine(
  Type.Object({
    reviewed_per_10k: rate('Legitimate items per 10,000 that may be reviewed, including those that are blocked.', 100),
    blocked_per_10k: rate('Legitimate items per 10,000 that may be blocked.', 5),
  }),
  ({ reviewed_per_10k, blocked_per_10k }) => blocked_per_10k <= reviewed_per_10k,
  () => '`blocked_per_10k` must not be above `reviewed_per_10k`',
);

const points = Type.Record(
  Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
  Type.Integer({ minimum: 0, maximum: 100 }),
  {
    description:
      'Points of signals, on top of what the model has learned about them. By default no signal has any, and signals of known fraud lead to a review at least; points for one of these, even 0, replace that.',
    examples: [{ new_device: 12 }],
  },
);

export const PolicyChange = Type.Object(
  {
    thresholds: Type.Optional(
      Type.Object({ transaction: Type.Optional(Thresholds), event: Type.Optional(Thresholds) }),
    ),
    points: Type.Optional(points),
    budget: Type.Optional(
      Type.Object(
        { transaction: Type.Optional(Budget), event: Type.Optional(Budget) },
        { description: 'What the account accepts. It changes no decision: `GET /v1/policy/proposal` reads it.' },
      ),
    ),
  },
  {
    $id: 'PolicyChange',
    description: 'Omitted fields keep their value; `points` and `budget` are replaced as a whole.',
  },
);
export type PolicyChange = Type.Static<typeof PolicyChange>;

const fields = {
  version: Type.Integer({ description: 'Increases with every change.', examples: [4] }),
  ruleset_version: Type.String({
    description: 'The version as named in decisions: the default policy, then this version.',
    examples: ['rules-6.4'],
  }),
  thresholds: Type.Object({ transaction: Thresholds, event: Thresholds }),
  points,
  budget: Type.Object(
    { transaction: nullable(Budget), event: nullable(Budget) },
    { description: 'Legitimate items that the account accepts to hold; `null` where none is set.' },
  ),
  rules: Type.Array(
    Type.Object({
      rule_id: Type.String({ examples: ['rule_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
      name: Type.String({ examples: ['gift_cards_at_night'] }),
      state: Type.Enum(['live', 'shadow'] as const, { examples: ['live'] }),
    }),
    { description: 'Live and shadow rules of the account, in order of evaluation.' },
  ),
  author: nullable(
    Type.String({ description: 'The key that made the change.', examples: ['key_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
  ),
  updated_at: nullable(timestamp('When this version took effect; `null` for the default policy.')),
};

export const AccountPolicy = Type.Object(
  { ...fields, warnings: Type.Optional(Warnings) },
  { $id: 'Policy', description: 'Thresholds and points of this account and environment.' },
);
export type AccountPolicy = Type.Static<typeof AccountPolicy>;

export const PolicyQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' })),
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Cursor: only versions below this one.' })),
});
export type PolicyQuery = Type.Static<typeof PolicyQuery>;

export const PolicyVersions = Type.Object(
  { versions: Type.Array(AccountPolicy), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'PolicyVersions', description: 'Newest first.' },
);
export type PolicyVersions = Type.Static<typeof PolicyVersions>;
