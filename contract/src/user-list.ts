import Type from 'typebox';
import { withCardRule } from './card-numbers/rule.ts';
import { SUBJECT_ID_PATTERN } from './screening.ts';
import { SCREENING_FILTERS } from './screening-filter.ts';
import { nullable, text, timestamp } from './text.ts';
import { DecisionValue, RiskScore } from './verdict.ts';

const CURSOR_EXAMPLE = 'txn_01kcy5v3n7f2q8r4t6w9x0y1z2~txn_01kcy5v3n7f2q8r4t6w9x0y1z2';
const { from, until, type, event_type, decision, label, score_min, score_max, country, signal } = SCREENING_FILTERS;

export const UserQuery = Type.Object(
  {
    q: Type.Optional(
      withCardRule(
        text(1, 255, {
          description:
            'The start of user ids, compared byte by byte. The users are then in the order of their ids. It cannot be combined with filters.',
          examples: ['user_18'],
        }),
        'identifier',
      ),
    ),
    ...{ from, until, type, event_type, decision, label, score_min, score_max, country, signal },
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Page size.' })),
    before: Type.Optional(
      Type.String({
        pattern: `^(?:${SUBJECT_ID_PATTERN}~${SUBJECT_ID_PATTERN}|id~[\\w-]{2,1360})$`,
        description: 'Cursor: `next_before` of the previous page.',
        examples: [CURSOR_EXAMPLE],
      }),
    ),
  },
  { $id: 'UserQuery' },
);
export type UserQuery = Type.Static<typeof UserQuery>;

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, maximum: 1000, description, examples: [example] });

export const UserSummary = Type.Object(
  {
    user_id: Type.String({ examples: ['user_1842'] }),
    first_seen_at: timestamp('The oldest of the counted screenings.'),
    last_seen_at: timestamp('The newest screening.'),
    risk_score: RiskScore,
    decision: DecisionValue,
    items: count(
      'Screenings of the last 90 days: the newest ones, up to 1,000. The other figures are about these.',
      14,
    ),
    amount_usd: Type.Number({ description: 'Sum of their amounts in US dollars.', examples: [512.4] }),
    review: count('Items whose decision is `review`.', 1),
    block: count('Items whose decision is `block`.', 0),
    fraud: count('Items with the label `fraud`.', 0),
  },
  { $id: 'UserSummary', description: 'A user. `risk_score` and `decision` are those of the newest screening.' },
);
export type UserSummary = Type.Static<typeof UserSummary>;

export const UserList = Type.Object(
  {
    users: Type.Array(UserSummary),
    has_more: Type.Boolean({
      description: 'Whether there may be more: continue with `next_before`.',
      examples: [false],
    }),
    next_before: nullable(Type.String({ examples: [CURSOR_EXAMPLE] }), {
      description: 'The `before` of the next page. `null` at the end.',
    }),
    looked_back_to: nullable(timestamp('The time of the oldest item that was looked at.'), {
      description:
        'Set if the search stopped at its time limit: the page may have fewer users than `limit`, or none, and others may follow.',
    }),
    as_of: timestamp('Every item and label that was stored before this time is included.'),
  },
  {
    $id: 'UserList',
    description:
      'The user with the newest matching item first, or with `q`, in the order of ids. Each user appears once.',
  },
);
export type UserList = Type.Static<typeof UserList>;
