import Type from 'typebox';
import { FEED_TYPES, SUBJECT_TYPES } from './constants.ts';
import { id } from './ids.ts';
import { nullable, timestamp } from './text.ts';
import { DECISIONS } from './verdict.ts';

export const FeedQuery = Type.Object(
  {
    topics: Type.Optional(
      Type.String({
        pattern: '^(cases|reviews|blocks)(,(cases|reviews|blocks)){0,2}$',
        description:
          'Topics to listen to, separated by commas: `cases`, `reviews`, `blocks`. Default: all. `feed.gap` belongs to every topic.',
        examples: ['cases,blocks'],
      }),
    ),
  },
  { $id: 'FeedQuery' },
);
export type FeedQuery = Type.Static<typeof FeedQuery>;

export const FeedEvent = Type.Object(
  {
    event_id: Type.String({
      description: 'Position in the feed, also sent as `id`. To resume after it, send it as `Last-Event-ID`.',
      examples: ['888888888888832'],
    }),
    type: Type.Enum(FEED_TYPES, {
      description:
        '`case.created`: a case waits for review. `case.resolved`: a person resolved it. `case.assigned`: it has an assignee, or another one. `case.released`: it has none any more. `case.reopened`: it waits again. `case.expired`: nobody resolved it in time. `decision.reviewed`: a person overrode a decision, which resolves its case if it is open. `….decision.block`: the screening blocked an item. `feed.gap`: events are missing here, because the position is too old; read the lists again.',
      examples: ['case.created'],
    }),
    at: timestamp('When it happened.'),
    subject_type: nullable(Type.Enum(SUBJECT_TYPES), {
      description: 'This and all further fields are `null` in a gap.',
    }),
    subject_id: nullable(Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] })),
    decision_id: nullable(id('decision', 'The decision.')),
    case_id: nullable(id('case', 'The case.'), { description: 'The case. `null`: the item has none.' }),
    risk_score: nullable(Type.Integer({ minimum: 0, maximum: 100, examples: [59] })),
    decision: nullable(Type.Enum(DECISIONS), {
      description: 'The decision of the screening, or of the review.',
      examples: ['review'],
    }),
  },
  { $id: 'FeedEvent', description: 'The `data` of each event, as one line of JSON.' },
);
export type FeedEvent = Type.Static<typeof FeedEvent>;
