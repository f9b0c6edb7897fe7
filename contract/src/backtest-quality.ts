import Type from 'typebox';
import { Thresholds } from './policy.ts';
import { nullable } from './text.ts';

const figure = (description: string, example: number) =>
  nullable(Type.Number({ description, examples: [example] }), { description });
const amount = (description: string) => Type.Number({ description, examples: [1834.5] });

export const ScoreQuality = Type.Object(
  {
    auc_roc: figure('Probability that a fraud scores above another item.', 0.94),
    average_precision: figure('Mean precision over all thresholds.', 0.61),
    recall_at_0_1_percent_fp: figure('Share of the fraud above 0.1 % of other items.', 0.42),
    recall_at_1_percent_fp: figure('Share of the fraud above 1 % of other items.', 0.66),
    reviewed_per_10k: figure('Items that are not known fraud, reviewed or blocked, per 10,000.', 98.4),
    blocked_per_10k: figure('Items that are not known fraud, blocked, per 10,000.', 4.6),
    fraud_held: figure('Share of the fraud that is reviewed or blocked.', 0.71),
    money: Type.Array(
      Type.Object({
        currency: Type.String({ examples: ['EUR'] }),
        fraud_held: amount('Amount of fraud that is reviewed or blocked.'),
        fraud_missed: amount('Amount of fraud that is allowed.'),
        legitimate_held: amount('Other amount that is reviewed or blocked.'),
      }),
      { description: 'Amounts of payments, by currency.' },
    ),
  },
  { $id: 'ScoreQuality', description: 'A figure without items to compute it from is `null`.' },
);
export type ScoreQuality = Type.Static<typeof ScoreQuality>;

export const BacktestQuality = Type.Object(
  {
    before: ScoreQuality,
    after: ScoreQuality,
    model: nullable(ScoreQuality, {
      description: 'The model alone: ranked by its probability, decided by its own score and the current thresholds.',
    }),
    signals: Type.Array(
      Type.Object({
        signal: Type.String({ examples: ['new_device'] }),
        items: Type.Integer({ description: 'Items on which it is active.', examples: [214] }),
        frauds: Type.Integer({ description: 'Known fraud among them.', examples: [31] }),
        precision: Type.Number({ description: 'Their share.', examples: [0.145] }),
        precision_low: Type.Number({ description: 'Start of its 95 % interval.', examples: [0.102] }),
        precision_high: Type.Number({ description: 'End of its 95 % interval.', examples: [0.202] }),
      }),
      { description: 'Active signals and rules, most precise first.' },
    ),
    thresholds_by_budget: Type.Object(
      { transaction: nullable(Thresholds), event: nullable(Thresholds) },
      {
        description:
          'The lowest thresholds within the budget, for the scores of `after`. `null` for fewer than 1,000 items, or where no thresholds stay within it.',
      },
    ),
  },
  {
    $id: 'BacktestQuality',
    description: 'How good the served score is, before and after. Items without a label count as legitimate.',
  },
);
export type BacktestQuality = Type.Static<typeof BacktestQuality>;
