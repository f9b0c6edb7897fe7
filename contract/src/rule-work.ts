import Type from 'typebox';
import { id } from './ids.ts';
import { LABELS } from './label.ts';
import { Rule } from './rule.ts';
import { moment, nullable, timestamp } from './text.ts';
import { DECISIONS } from './verdict.ts';

/** The newest versions of a rule that are listed. */
export const MAX_RULE_VERSIONS = 100;

export const RuleHitQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' })),
  before: Type.Optional(id('decision', 'Cursor: the last `decision_id` of the previous page.')),
  include: Type.Optional(
    Type.Enum(['item'] as const, {
      description: '`item`: adds user, amount, score and label of each item.',
      examples: ['item'],
    }),
  ),
});
export type RuleHitQuery = Type.Static<typeof RuleHitQuery>;

export const RuleHitItem = Type.Object(
  {
    user_id: Type.String({ examples: ['user_1842'] }),
    amount: nullable(Type.Number({ examples: [49.9] }), { description: '`null` for an event.' }),
    currency: nullable(Type.String({ examples: ['EUR'] }), { description: '`null` for an event.' }),
    risk_score: Type.Integer({ minimum: 0, maximum: 100, examples: [59] }),
    label: nullable(Type.Enum(LABELS, { examples: ['fraud'] }), { description: 'The label that applies now.' }),
  },
  { $id: 'RuleHitItem' },
);
export type RuleHitItem = Type.Static<typeof RuleHitItem>;

export const RuleHits = Type.Object(
  {
    hits: Type.Array(
      Type.Object({
        decision_id: id('decision', 'The decision that the rule matched.'),
        matched_at: timestamp('When the item was screened.'),
        state: Type.Enum(['shadow', 'live'] as const, {
          description: 'State of the rule at that time.',
          examples: ['shadow'],
        }),
        version: Type.Integer({ description: 'Version of the rule at that time.', examples: [3] }),
        decision: Type.Enum(DECISIONS, {
          description: 'The decision. For a shadow rule: the decision if the rule had been live.',
          examples: ['review'],
        }),
        item: Type.Optional(nullable(RuleHitItem, { description: 'Only with `include=item`.' })),
      }),
    ),
    has_more: Type.Boolean({ examples: [false] }),
  },
  { $id: 'RuleHits', description: 'Newest first. Kept for 90 days.' },
);
export type RuleHits = Type.Static<typeof RuleHits>;

export const RuleSeriesQuery = Type.Object(
  {
    from: Type.Optional(moment('The first day, in UTC. Default: 30 days before `until`, at most 90.', '2026-10-15')),
    until: Type.Optional(moment('Only hits before this time. Default: now.', '2026-11-14')),
  },
  { $id: 'RuleSeriesQuery' },
);
export type RuleSeriesQuery = Type.Static<typeof RuleSeriesQuery>;

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] });

export const RuleSeries = Type.Object(
  {
    days: Type.Array(
      Type.Object({
        at: timestamp('The start of the day, in UTC.'),
        hits: count('Matches, in shadow or live.', 12),
        shadow: count('Of them in shadow.', 12),
        fraud: count('Matches of items whose label is now `fraud`.', 3),
        legitimate: count('Matches of items whose label is now `legitimate`.', 4),
      }),
      { description: 'One entry per day, oldest first.' },
    ),
  },
  { $id: 'RuleSeries', description: 'Matches of all versions of a rule by day.' },
);
export type RuleSeries = Type.Static<typeof RuleSeries>;

const { name, description, expression, action, subject_types, state, expires_at, version } = Rule.properties;
export const RuleVersions = Type.Object(
  {
    versions: Type.Array(
      Type.Object({
        ...{ version, name, description, expression, action, subject_types, state, expires_at },
        at: timestamp('When this version was stored.'),
        by: Type.String({
          description: 'Who stored it: the e-mail address of a person, or an API key.',
          examples: ['mara@example.com'],
        }),
      }),
    ),
    cut: Type.Boolean({ description: 'Whether older versions were left out.', examples: [false] }),
  },
  {
    $id: 'RuleVersions',
    description: `Newest first, up to ${MAX_RULE_VERSIONS}. A change of the state is a version, too.`,
  },
);
export type RuleVersions = Type.Static<typeof RuleVersions>;
