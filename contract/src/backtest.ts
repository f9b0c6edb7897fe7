import Type from 'typebox';
import { SUBJECT_TYPES } from './decision.ts';
import { id } from './ids.ts';
import { PolicyChange } from './policy.ts';
import { RuleAction } from './rule.ts';
import { moment, nullable, text, timestamp } from './text.ts';
import { DecisionValue, Warnings } from './verdict.ts';

const candidateRule = Type.Object({
  expression: text(1, 16_000, {
    description: 'As in a rule.',
    examples: ['amount_usd > 500 && "new_device" in signals'],
  }),
  action: RuleAction,
});

export const BacktestRequest = Type.Object(
  {
    rule_id: Type.Optional(id('rule', 'A rule that is stored, in whatever state.')),
    rule: Type.Optional(candidateRule),
    policy: Type.Optional(PolicyChange),
    from: Type.Optional(
      moment('What was screened from here on; 30 days before `until` where it is left out.', '2026-11-01'),
    ),
    until: Type.Optional(moment('And before this; now where it is left out.', '2026-11-14')),
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
  Type.Object({ allow: count('Allowed.'), review: count('Held.'), block: count('Blocked.') }, { description });

const Example = Type.Object({
  subject_type: Type.Enum(SUBJECT_TYPES, { examples: ['transaction'] }),
  subject_id: Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
  screened_at: timestamp('When it was screened.'),
  score_before: Type.Integer({ examples: [34] }),
  score_after: Type.Integer({ examples: [50] }),
  decision_before: DecisionValue,
  decision_after: DecisionValue,
  label: nullable(Type.Enum(['fraud', 'legitimate'] as const, { examples: ['fraud'] })),
});

export const BacktestOutcome = Type.Object(
  {
    items: count('How many were screened in the time.'),
    hits: count('How many the rule matches; of a policy, how many it decides otherwise.'),
    changed: count('How many would have been decided otherwise.'),
    before: byDecision('By the policy in force.'),
    after: byDecision('With the rule live, or by the changed policy.'),
    fraud: Type.Object(
      { items: count('With this label.'), hits: count('Of these, matched.') },
      { description: 'Confirmed fraud.' },
    ),
    legitimate: Type.Object(
      { items: count('With this label.'), hits: count('Of these, matched.') },
      { description: 'Confirmed to be legitimate.' },
    ),
    dollars: Type.Object(
      {
        hits: dollars('Payments that are matched.'),
        fraud_hits: dollars('Of these, confirmed fraud.'),
        legitimate_hits: dollars('Of these, confirmed to be legitimate.'),
      },
      { description: 'Amounts, converted at reference rates.' },
    ),
    overlap: Type.Array(
      Type.Object({
        rule_id: Type.String({ examples: ['rule_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
        name: Type.String({ examples: ['gift_cards_at_night'] }),
        hits: count('Matched by the live rule.'),
        both: count('Matched by both.'),
      }),
      { description: 'Rules that are live.' },
    ),
    days: Type.Array(
      Type.Object({
        day: Type.String({ examples: ['2026-11-14'] }),
        items: count('Screened.'),
        hits: count('Matched.'),
      }),
      { description: 'Day by day, oldest first.' },
    ),
    examples: Type.Array(Example, { description: 'The newest hits, at most 20.' }),
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
    from: timestamp('Where it begins.'),
    until: timestamp('Where it ends.'),
    created_at: timestamp('When it was asked for.'),
    ended_at: nullable(timestamp('When it was done.')),
    message: nullable(Type.String({ description: 'Why it failed.', examples: ['The service was stopped.'] })),
    outcome: nullable(BacktestOutcome),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Backtest', description: 'What a rule or a policy would have done.' },
);
export type Backtest = Type.Static<typeof Backtest>;

export const BacktestQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many to return.' })),
  before: Type.Optional(id('backtest', 'Only older ones: the last `backtest_id` of the page before.')),
});
export type BacktestQuery = Type.Static<typeof BacktestQuery>;

export const BacktestList = Type.Object(
  { backtests: Type.Array(Backtest), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'BacktestList', description: 'Newest first.' },
);
export type BacktestList = Type.Static<typeof BacktestList>;
