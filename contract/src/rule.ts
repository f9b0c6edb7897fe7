import Type from 'typebox';
import { SUBJECT_TYPES } from './decision.ts';
import { id } from './ids.ts';
import { moment, nullable, text, timestamp } from './text.ts';
import { DECISIONS, DecisionValue, Warnings } from './verdict.ts';

export const RULE_STATES = ['draft', 'shadow', 'live', 'retired'] as const;
export type RuleState = (typeof RULE_STATES)[number];

/** To which states a rule may go from each. */
export const RULE_TRANSITIONS: Readonly<Record<RuleState, readonly RuleState[]>> = {
  draft: ['shadow', 'retired'],
  shadow: ['live', 'draft', 'retired'],
  live: ['shadow', 'retired'],
  retired: [],
};

/** What an account can have in one environment, without those that are retired. */
export const MAX_RULES = 500;
/** A rule that allows ends: at the latest after this many days. */
export const MAX_ALLOW_DAYS = 90;

const name = Type.Refine(
  text(1, 64, {
    description:
      'Small letters, digits and `_`, a letter first. Decisions name the rule by it: the signal is `rule.<name>`. No two rules that are not retired have the same.',
    examples: ['gift_cards_at_night'],
  }),
  (value) => /^[a-z][a-z0-9_]*$/.test(value),
  () => 'must begin with a letter a to z, and have small letters, digits and underscores only',
);
const description = text(0, 1000, { description: 'For people.', examples: ['Gift cards bought between 0 and 5.'] });
const expression = text(1, 16_000, {
  description:
    'When the rule matches, in CEL: up to 4,000 characters that come to `true` or `false`. `GET /v1/rules/variables` lists what it may name.',
  examples: ['metadata.category == "gift_card" && hour < 5 && amount_usd > 100'],
});
export const RuleAction = Type.Refine(
  Type.Object(
    {
      points: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100,
          description: 'Hundredths of what is left of the score up to 100.',
          examples: [30],
        }),
      ),
      decision: Type.Optional(DecisionValue),
    },
    { description: 'Either `points` or `decision`.', examples: [{ points: 30 }] },
  ),
  ({ points, decision }) => (points === undefined) !== (decision === undefined),
  () => 'must hold either points or decision',
);
const subjectTypes = Type.Array(Type.Enum(SUBJECT_TYPES), {
  minItems: 1,
  uniqueItems: true,
  description: 'What it is asked of.',
  examples: [['transaction']],
});
const expiresAt = moment(
  `From this moment on it matches nothing. A rule that allows must have one, at most ${MAX_ALLOW_DAYS} days ahead.`,
  '2026-12-24T00:00:00Z',
);
const state = Type.Enum(RULE_STATES, {
  description:
    '`draft`: not asked. `shadow`: asked, and what it would have done is noted. `live`: decides. `retired`: ended for good.',
  examples: ['draft'],
});

export const RuleRequest = Type.Object(
  {
    name,
    description: Type.Optional(description),
    expression,
    action: RuleAction,
    subject_types: Type.Optional(subjectTypes),
    expires_at: Type.Optional(expiresAt),
  },
  { $id: 'RuleRequest', description: 'A rule begins as a draft.' },
);
export type RuleRequest = Type.Static<typeof RuleRequest>;

export const RuleChange = Type.Object(
  {
    name: Type.Optional(name),
    description: Type.Optional(description),
    expression: Type.Optional(expression),
    action: Type.Optional(RuleAction),
    subject_types: Type.Optional(subjectTypes),
    expires_at: Type.Optional(expiresAt),
    state: Type.Optional(state),
  },
  { $id: 'RuleChange', description: 'What is left out stays as it is.' },
);
export type RuleChange = Type.Static<typeof RuleChange>;

export const Rule = Type.Object(
  {
    rule_id: id('rule', 'The rule.'),
    name: Type.String({ examples: ['gift_cards_at_night'] }),
    description: Type.String({ examples: ['Gift cards bought between 0 and 5.'] }),
    expression: Type.String({ examples: ['metadata.category == "gift_card" && hour < 5 && amount_usd > 100'] }),
    action: RuleAction,
    subject_types: subjectTypes,
    state,
    expires_at: nullable(timestamp('From this moment on it matches nothing; `null` when it does not expire.')),
    version: Type.Integer({ description: 'Grows with every change.', examples: [3] }),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
    hits: Type.Object(
      {
        matched: Type.Integer({ examples: [214] }),
        since: timestamp('When it was last changed.'),
      },
      { description: 'How often it matched, in shadow or live, as it is now.' },
    ),
    errors: Type.Integer({
      description: 'How often asking it failed since the service started, which counts as no match.',
      examples: [0],
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Rule', description: 'A condition of your own, and what follows from it.' },
);
export type Rule = Type.Static<typeof Rule>;

export const RuleQuery = Type.Object({
  state: Type.Optional(Type.Enum(RULE_STATES, { description: 'Only those in this state. Absent: all but `retired`.' })),
});
export type RuleQuery = Type.Static<typeof RuleQuery>;

export const RuleList = Type.Object(
  { rules: Type.Array(Rule) },
  { $id: 'RuleList', description: 'In the order they were made, which is the order they are asked in.' },
);
export type RuleList = Type.Static<typeof RuleList>;

export const RuleCheckRequest = Type.Object({ expression }, { $id: 'RuleCheckRequest' });
export type RuleCheckRequest = Type.Static<typeof RuleCheckRequest>;

export const RuleCheck = Type.Object(
  {
    valid: Type.Boolean({ examples: [false] }),
    errors: Type.Array(
      Type.Object({
        line: Type.Integer({ examples: [1] }),
        column: Type.Integer({ description: 'In characters, from 1.', examples: [1] }),
        message: Type.String({ examples: ['there is no variable `amout`; did you mean `amount`?'] }),
        excerpt: Type.String({
          description: 'The line, and below it a caret under the place.',
          examples: ['amout > 100\n^'],
        }),
      }),
      { description: 'The first thing that is wrong; none when it is valid.' },
    ),
    variables: Type.Array(Type.String(), { description: 'The variables it names.', examples: [['amount']] }),
    features: Type.Array(Type.String(), {
      description: 'The features it names.',
      examples: [['user.transactions.1h']],
    }),
    lists: Type.Array(Type.String(), { description: 'The lists it names.', examples: [['vip_users']] }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'RuleCheck' },
);
export type RuleCheck = Type.Static<typeof RuleCheck>;

const meaning = Type.String({ examples: ['The amount in US dollars.'] });
export const RuleVariables = Type.Object(
  {
    variables: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['amount_usd'] }),
        type: Type.String({ examples: ['number'] }),
        on: Type.Enum(['transaction', 'event', 'both'] as const, {
          description: 'What has it; on the others it is absent.',
          examples: ['transaction'],
        }),
        meaning,
      }),
    ),
    functions: Type.Array(
      Type.Object({ form: Type.String({ examples: ['known(number)'] }), meaning: Type.String({ examples: ['…'] }) }),
    ),
    features: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['user.transactions.1h'] }),
        meaning: Type.String({ examples: ['…'] }),
      }),
      { description: 'Named as `features["user.transactions.1h"]`; all are numbers.' },
    ),
  },
  { $id: 'RuleVariables', description: 'What an expression may name.' },
);
export type RuleVariables = Type.Static<typeof RuleVariables>;

export const RuleHitQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many to return.' })),
  before: Type.Optional(id('decision', 'Only older ones: the last `decision_id` of the page before.')),
});
export type RuleHitQuery = Type.Static<typeof RuleHitQuery>;

export const RuleHits = Type.Object(
  {
    hits: Type.Array(
      Type.Object({
        decision_id: id('decision', 'The decision it had a say in, or would have had.'),
        matched_at: timestamp('When it was screened.'),
        state: Type.Enum(['shadow', 'live'] as const, { description: 'Of the rule, then.', examples: ['shadow'] }),
        version: Type.Integer({ description: 'Of the rule, then.', examples: [3] }),
        decision: Type.Enum(DECISIONS, {
          description: 'What was decided; of a rule in shadow, what would have been with it live.',
          examples: ['review'],
        }),
      }),
    ),
    has_more: Type.Boolean({ examples: [false] }),
  },
  { $id: 'RuleHits', description: 'Newest first. Kept for 90 days.' },
);
export type RuleHits = Type.Static<typeof RuleHits>;
