import Type from 'typebox';
import { SCREENING_FILTERS } from './screening-filter.ts';
import { nullable, timestamp } from './text.ts';

/** What screenings can be grouped by. */
export const GROUPINGS = [
  'user_id',
  'device',
  'ip_address',
  'network',
  'email',
  'payment_fingerprint',
  'counterparty_id',
  'country',
  'currency',
  'type',
  'event_type',
  'outcome',
  'decision',
  'label',
  'hour',
  'day',
] as const;
export type Grouping = (typeof GROUPINGS)[number];

export const ScreeningGroupQuery = Type.Object(
  {
    by: Type.Enum(GROUPINGS, { description: 'The value that items of a group share.', examples: ['country'] }),
    ...SCREENING_FILTERS,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Number of groups.' })),
  },
  { $id: 'ScreeningGroupQuery' },
);
export type ScreeningGroupQuery = Type.Static<typeof ScreeningGroupQuery>;

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] });

export const ScreeningGroup = Type.Object(
  {
    value: nullable(Type.String({ examples: ['NG'] }), {
      description:
        'The shared value, as screening counts it: an e-mail address as its mailbox, a device by its id, an hour or a day in UTC by its begin. `null`: the items have none.',
    }),
    items: count('Number of items.', 120),
    amount_usd: Type.Number({ description: 'Sum of their amounts in US dollars.', examples: [5412.5] }),
    review: count('Items whose decision is `review`.', 4),
    block: count('Items whose decision is `block`.', 2),
    fraud: count('Items with the label `fraud`.', 1),
    last_seen_at: timestamp('When the newest of them was screened.'),
  },
  { $id: 'ScreeningGroup' },
);
export type ScreeningGroup = Type.Static<typeof ScreeningGroup>;

export const ScreeningGroupList = Type.Object(
  {
    groups: Type.Array(ScreeningGroup),
    cut: Type.Boolean({ description: 'Whether there are smaller groups that are not shown.', examples: [false] }),
    looked_back_to: nullable(timestamp('The time of the oldest item that was counted.'), {
      description: 'Set if there were too many items: only the newest were counted, back to this time.',
    }),
    as_of: timestamp('Every item and label that was stored before this time is included.'),
  },
  { $id: 'ScreeningGroupList', description: 'The largest group first.' },
);
export type ScreeningGroupList = Type.Static<typeof ScreeningGroupList>;
