import Type from 'typebox';
import { Budget, Thresholds } from './policy.ts';
import { nullable, timestamp } from './text.ts';

export const ProposalQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 90, default: 30, description: 'Decisions of this many days are counted.' }),
  ),
});
export type ProposalQuery = Type.Static<typeof ProposalQuery>;

const count = (description: string, example: number) => Type.Integer({ description, examples: [example] });
const per10k = (description: string, example: number) =>
  nullable(Type.Number({ description, examples: [example] }), { description });

const Effect = Type.Object({
  thresholds: Thresholds,
  reviewed_per_10k: per10k('Legitimate items per 10,000 from `review` on, including those from `block` on.', 98.4),
  blocked_per_10k: per10k('Legitimate items per 10,000 from `block` on.', 4.6),
  fraud_reviewed: count('Known fraud from `review` on, including that from `block` on.', 51),
  fraud_blocked: count('Known fraud from `block` on.', 40),
});

export const ThresholdProposal = Type.Object(
  {
    items: Type.Object(
      {
        legitimate: count('Labelled as legitimate.', 214),
        fraud: count('Labelled as fraud.', 58),
        unlabelled: count('Without a label. They count as legitimate.', 18160),
        forced: count(
          'Decided by a list, a rule or a test address, with any label. They are left out of all rates.',
          37,
        ),
      },
      { description: 'Decisions of the period: by label, and those that no threshold changes.' },
    ),
    budget: Budget,
    is_default_budget: Type.Boolean({
      description: 'True where the policy has no budget: 100 reviewed and 5 blocked per 10,000.',
      examples: [false],
    }),
    current: Effect,
    proposed: nullable(Effect, { description: 'The lowest thresholds within the budget. `null`: see `message`.' }),
    message: nullable(
      Type.String({ description: 'Why nothing is proposed.', examples: ['Too few decisions to propose thresholds.'] }),
    ),
    trade_off: Type.Array(
      Type.Object({
        threshold: count('Items with at least this score.', 50),
        legitimate: count('Legitimate and unlabelled items.', 181),
        legitimate_per_10k: per10k('The same per 10,000 of all such items.', 98.5),
        fraud: count('Known fraud.', 51),
        fraud_dollars: Type.Number({
          description: 'Amount of that fraud in US dollars, as far as its currencies have a reference rate.',
          examples: [1834.5],
        }),
      }),
      { description: 'For each threshold from 1 to 100: what it holds.' },
    ),
  },
  { $id: 'ThresholdProposal', description: 'Thresholds for items of one type.' },
);
export type ThresholdProposal = Type.Static<typeof ThresholdProposal>;

export const PolicyProposal = Type.Object(
  {
    from: timestamp('Time of the first counted decision, or the start of the period where all of it was counted.'),
    until: timestamp('When the decisions were counted.'),
    transaction: ThresholdProposal,
    event: ThresholdProposal,
  },
  { $id: 'PolicyProposal', description: 'Thresholds within the budget, from the stored decisions of this account.' },
);
export type PolicyProposal = Type.Static<typeof PolicyProposal>;
