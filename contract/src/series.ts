import Type from 'typebox';
import { STAT_RANGE, STAT_STEPS } from './stats.ts';
import { nullable, timestamp } from './text.ts';

export const SeriesQuery = Type.Object(STAT_RANGE, { $id: 'SeriesQuery' });
export type SeriesQuery = Type.Static<typeof SeriesQuery>;

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] });

export const SeriesPoint = Type.Object(
  {
    at: timestamp('Begin of the hour or day.'),
    items: count('Transactions and events.', 3),
    amount_usd: Type.Number({ minimum: 0, description: 'Sum of their amounts in US dollars.', examples: [120.5] }),
    max_score: nullable(Type.Integer({ minimum: 0, maximum: 100, examples: [42] }), {
      description: 'The highest risk score; `null` without items.',
    }),
    review: count('Items in review now.', 1),
    block: count('Items blocked now.', 0),
    fraud: count('Items with the label `fraud` now.', 0),
  },
  { $id: 'SeriesPoint' },
);
export type SeriesPoint = Type.Static<typeof SeriesPoint>;

export const Series = Type.Object(
  {
    user_id: Type.String({ examples: ['user_1842'] }),
    from: timestamp('Begin of the range that was counted.'),
    until: timestamp('End of the range that was counted.'),
    step: Type.Enum(STAT_STEPS, { examples: ['1d'] }),
    points: Type.Array(SeriesPoint, { description: 'One for each hour or day, oldest first.' }),
    cut: Type.Boolean({
      description: 'Whether older items were left out: the newest 20,000 items of the user are counted.',
      examples: [false],
    }),
    as_of: timestamp('Everything that was stored before this time is included.'),
  },
  { $id: 'Series', description: 'The activity of a user over time.' },
);
export type Series = Type.Static<typeof Series>;
