import Type from 'typebox';
import { BacktestQuality } from './backtest-quality.ts';
import { SUBJECT_TYPES } from './constants.ts';
import { summary } from './decision.ts';
import { id } from './ids.ts';
import { PolicyChange } from './policy.ts';
import { RuleAction, ruleExpression } from './rule.ts';
import { moment, nullable, timestamp } from './text.ts';
import { DecisionValue, Warnings } from './verdict.ts';

const candidateRule = Type.Object({
  expression: ruleExpression('A rule expression.', 'amount_usd > 500 && "new_device" in signals'),
  action: RuleAction,
});

export const BacktestRequest = Type.Object(
  {
    rule_id: Type.Optional(id('rule', 'A stored rule, in any state.')),
    rule: Type.Optional(candidateRule),
    policy: Type.Optional(PolicyChange),
    from: Type.Optional(moment('Start of the period. Default: 30 days before `until`.', '2026-11-01')),
    until: Type.Optional(moment('End of the period, exclusive. Default: now.', '2026-11-14')),
  },
  {
    $id: 'BacktestRequest',
    description: 'Exactly one of `rule_id`, `rule` and `policy`.',
    examples: [
      {
        rule: { expression: 'amount_usd > 500 && "new_device" in signals', action: { decision: 'review' } },
        from: '2026-11-01',
      },
    ],
  },
);
export type BacktestRequest = Type.Static<typeof BacktestRequest>;

const count = (description: string) => Type.Integer({ description, examples: [12] });
const dollars = (description: string) => Type.Number({ description, examples: [1834.5] });
const byDecision = (description: string) =>
  Type.Object(
    { allow: count('Number of `allow`.'), review: count('Number of `review`.'), block: count('Number of `block`.') },
    { description },
  );

const Example = Type.Object({
  subject_type: Type.Enum(SUBJECT_TYPES, { examples: ['transaction'] }),
  subject_id: Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
  screened_at: timestamp('When it was screened.'),
  score_before: Type.Integer({ examples: [34] }),
  score_after: Type.Integer({ examples: [50] }),
  decision_before: DecisionValue,
  decision_after: DecisionValue,
  label: nullable(Type.Enum(['fraud', 'legitimate'] as const, { examples: ['fraud'] })),
  summary: summary('The main reasons of `decision_after` in one line.'),
});

export const BacktestOutcome = Type.Object(
  {
    items: count('Number of screenings in the period.'),
    hits: count('Number of screenings that the rule matches. For a policy: number of changed decisions.'),
    changed: count('Number of decisions that would have been different.'),
    before: byDecision('Decisions by the current policy.'),
    after: byDecision('Decisions with the rule live, or by the changed policy.'),
    fraud: Type.Object(
      { items: count('Items with this label.'), hits: count('Matched items among them.') },
      { description: 'Confirmed fraud.' },
    ),
    legitimate: Type.Object(
      { items: count('Items with this label.'), hits: count('Matched items among them.') },
      { description: 'Confirmed legitimate.' },
    ),
    dollars: Type.Object(
      {
        hits: dollars('Amount of matched payments.'),
        fraud_hits: dollars('Amount of matched payments that are confirmed fraud.'),
        legitimate_hits: dollars('Amount of matched payments that are confirmed legitimate.'),
      },
      { description: 'Amounts in US dollars, converted at reference rates.' },
    ),
    quality: nullable(BacktestQuality, { description: '`null` in backtests of an earlier version.' }),
    overlap: Type.Array(
      Type.Object({
        rule_id: Type.String({ examples: ['rule_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
        name: Type.String({ examples: ['gift_cards_at_night'] }),
        hits: count('Hits of the live rule.'),
        both: count('Hits of both.'),
      }),
      { description: 'Overlap with each live rule.' },
    ),
    days: Type.Array(
      Type.Object({
        day: Type.String({ examples: ['2026-11-14'] }),
        items: count('Number of screenings.'),
        hits: count('Number of hits.'),
      }),
      { description: 'One entry per day, oldest first.' },
    ),
    examples: Type.Array(Example, { description: 'The newest hits, up to 20.' }),
  },
  { $id: 'BacktestOutcome' },
);
export type BacktestOutcome = Type.Static<typeof BacktestOutcome>;

export const Backtest = Type.Object(
  {
    backtest_id: id('backtest', 'The backtest.'),
    status: Type.Enum(['running', 'done', 'failed'] as const, { examples: ['running'] }),
    progress: Type.Number({ description: 'From 0 to 1.', examples: [0.4] }),
    request: BacktestRequest,
    from: timestamp('Start of the period.'),
    until: timestamp('End of the period.'),
    created_at: timestamp('When the backtest was requested.'),
    ended_at: nullable(timestamp('When the backtest ended.')),
    message: nullable(Type.String({ description: 'Why it failed.', examples: ['The service was stopped.'] })),
    outcome: nullable(BacktestOutcome),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Backtest', description: 'Effect of a rule or a policy on past screenings.' },
);
export type Backtest = Type.Static<typeof Backtest>;

export const BacktestQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' })),
  before: Type.Optional(id('backtest', 'Cursor: the last `backtest_id` of the previous page.')),
});
export type BacktestQuery = Type.Static<typeof BacktestQuery>;

export const BacktestList = Type.Object(
  { backtests: Type.Array(Backtest), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'BacktestList', description: 'Newest first.' },
);
export type BacktestList = Type.Static<typeof BacktestList>;
