import Type from 'typebox';
import { withCardRule, withoutCardNumber } from './card-numbers/rule.ts';
import { MAX_ALLOW_DAYS, RULE_STATES, SUBJECT_TYPES } from './constants.ts';
import { id } from './ids.ts';
import { subjectId } from './screening.ts';
import { moment, nullable, text, timestamp } from './text.ts';
import { DecisionValue, Warnings } from './verdict.ts';

const name = withoutCardNumber(
  Type.Refine(
    text(1, 64, {
      description:
        'Lower-case letters, digits and `_`, starting with a letter. Appears in decisions as the signal `rule.<name>`. Unique among rules that are not retired.',
      examples: ['gift_cards_at_night'],
    }),
    (value) => /^[a-z][a-z0-9_]*$/.test(value),
    () => 'must begin with a letter a to z, and have small letters, digits and underscores only',
  ),
);
const description = text(0, 1000, {
  description: 'A description for people.',
  examples: ['Gift cards bought between 0 and 5.'],
});
/** The text of a rule. One with a card number is refused when it is compiled, with the place. */
export const ruleExpression = (description: string, example: string) =>
  withCardRule(text(1, 16_000, { description, examples: [example] }), 'exact');
const expression = ruleExpression(
  'The condition, in CEL: up to 4,000 characters that evaluate to `true` or `false`. `GET /v1/rules/variables` lists the variables.',
  'metadata.category == "gift_card" && hour < 5 && amount_usd > 100',
);
export const RuleAction = Type.Refine(
  Type.Object(
    {
      points: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100,
          description: 'Percentage of the gap between the score and 100 that the rule closes.',
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
  description: 'The subjects that the rule is evaluated for.',
  examples: [['transaction']],
});
const expiresAt = moment(
  `When the rule expires. Required for a rule that allows, at most ${MAX_ALLOW_DAYS} days ahead.`,
  '2026-12-24T00:00:00Z',
);
const state = Type.Enum(RULE_STATES, {
  description:
    '`draft`: not evaluated. `shadow`: evaluated and recorded, without effect on decisions. `live`: affects decisions. `retired`: ended permanently.',
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
  { $id: 'RuleRequest', description: 'A new rule is a draft.' },
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
  { $id: 'RuleChange', description: 'Omitted fields keep their value.' },
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
    expires_at: nullable(timestamp('When the rule expires; `null` if it does not.')),
    version: Type.Integer({ description: 'Increases with every change.', examples: [3] }),
    created_at: timestamp('When the rule was created.'),
    updated_at: timestamp('When the rule was last changed.'),
    hits: Type.Object(
      {
        matched: Type.Integer({ examples: [214] }),
        since: timestamp('When the rule was last changed.'),
      },
      { description: 'Number of matches of the current version, in shadow or live.' },
    ),
    errors: Type.Integer({
      description: 'Number of failed evaluations since the service started. A failure counts as no match.',
      examples: [0],
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Rule', description: 'A condition of the account, with the action to take if it matches.' },
);
export type Rule = Type.Static<typeof Rule>;

export const RuleQuery = Type.Object({
  state: Type.Optional(
    Type.Enum(RULE_STATES, {
      description:
        'Only rules in this state. Default: all but `retired`. Of the retired rules, the newest 500 are listed.',
    }),
  ),
});
export type RuleQuery = Type.Static<typeof RuleQuery>;

export const RuleList = Type.Object(
  { rules: Type.Array(Rule) },
  { $id: 'RuleList', description: 'In order of creation, which is the order of evaluation.' },
);
export type RuleList = Type.Static<typeof RuleList>;

export const RuleCheckRequest = Type.Object(
  {
    expression,
    on: Type.Optional(
      subjectId(
        'A stored transaction or event to try the expression on, by the present policy, lists and model. Requires the permission `read_personal`.',
      ),
    ),
  },
  { $id: 'RuleCheckRequest' },
);
export type RuleCheckRequest = Type.Static<typeof RuleCheckRequest>;

export const RuleCheck = Type.Object(
  {
    valid: Type.Boolean({ examples: [false] }),
    errors: Type.Array(
      Type.Object({
        line: Type.Integer({ examples: [1] }),
        column: Type.Integer({ description: 'Column in characters, from 1.', examples: [1] }),
        message: Type.String({ examples: ['there is no variable `amout`; did you mean `amount`?'] }),
        excerpt: Type.String({
          description: 'The line, with a caret below the error.',
          examples: ['amout > 100\n^'],
        }),
      }),
      { description: 'The first error; empty if the expression is valid.' },
    ),
    variables: Type.Array(Type.String(), { description: 'Variables of the expression.', examples: [['amount']] }),
    features: Type.Array(Type.String(), {
      description: 'Features of the expression.',
      examples: [['user.transactions.1h']],
    }),
    lists: Type.Array(Type.String(), { description: 'Lists of the expression.', examples: [['vip_users']] }),
    value: Type.Optional(
      nullable(Type.Boolean({ examples: [true] }), {
        description: 'Only with `on`: whether the expression holds. `null` if it fails, which counts as no match.',
      }),
    ),
    parts: Type.Optional(
      Type.Array(
        Type.Object({
          from: Type.Integer({ description: 'First character, from 0.', examples: [0] }),
          to: Type.Integer({ description: 'The character after the last.', examples: [12] }),
          value: nullable(Type.Boolean({ examples: [true] })),
        }),
        { description: 'Only with `on`: the operands of `&&` and `||`, up to 100, with the value of each.' },
      ),
    ),
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
          description: 'The subjects that have the variable.',
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
      { description: 'Used as `features["user.transactions.1h"]`; all are numbers.' },
    ),
  },
  { $id: 'RuleVariables', description: 'Variables, functions and features of expressions.' },
);
export type RuleVariables = Type.Static<typeof RuleVariables>;
