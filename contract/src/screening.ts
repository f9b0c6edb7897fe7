import Type from 'typebox';
import { EVENT_TYPES, OUTCOMES, SUBJECT_TYPES } from './constants.ts';
import { ID_PREFIXES, ID_SUFFIX_PATTERN } from './id-prefixes.ts';
import { id } from './ids.ts';
import { LABELS } from './label.ts';
import { imported } from './screened-subject.ts';
import { SCREENING_FILTERS, textFilter } from './screening-filter.ts';
import { nullable, timestamp } from './text.ts';
import { DecisionValue, RiskScore, Signals } from './verdict.ts';

/** The pattern of the id of a transaction or an event, without anchors. */
export const SUBJECT_ID_PATTERN = `(?:${ID_PREFIXES.transaction}|${ID_PREFIXES.event})_${ID_SUFFIX_PATTERN}`;
const SUBJECT_ID_EXAMPLE = 'txn_01kcy5v3n7f2q8r4t6w9x0y1z2';

/** The id of a transaction or an event. */
export const subjectId = (description: string) =>
  Type.String({ pattern: `^${SUBJECT_ID_PATTERN}$`, description, examples: [SUBJECT_ID_EXAMPLE] });

export const ScreeningQuery = Type.Object(
  {
    ...SCREENING_FILTERS,
    text: textFilter,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Page size.' })),
    before: Type.Optional(subjectId('Cursor: `next_before` of the previous page.')),
  },
  { $id: 'ScreeningQuery' },
);
export type ScreeningQuery = Type.Static<typeof ScreeningQuery>;

export const Screening = Type.Object(
  {
    subject_type: Type.Enum(SUBJECT_TYPES, { examples: ['transaction'] }),
    subject_id: Type.String({
      description: 'The `transaction_id` or `event_id`.',
      examples: [SUBJECT_ID_EXAMPLE],
    }),
    screened_at: timestamp('When the item was screened; of an imported one, when it happened.'),
    user_id: Type.String({ examples: ['user_1842'] }),
    amount: nullable(Type.Number({ examples: [49.9] }), { description: '`null` for an event.' }),
    currency: nullable(Type.String({ examples: ['EUR'] }), { description: '`null` for an event.' }),
    amount_usd: nullable(Type.Number({ examples: [54.12] }), {
      description:
        'The amount in US dollars at a reference rate. `null` for an event and for a currency without a rate.',
    }),
    event_type: nullable(Type.Enum(EVENT_TYPES, { examples: ['login'] }), { description: '`null` for a transaction.' }),
    outcome: nullable(Type.Enum(OUTCOMES, { examples: ['succeeded'] }), { description: '`null` for a transaction.' }),
    country: nullable(Type.String({ examples: ['NG'] }), {
      description: 'Country of the IP address; `null` if it is unknown.',
    }),
    risk_score: RiskScore,
    decision: DecisionValue,
    automated_decision: DecisionValue,
    signals: Signals,
    label: nullable(Type.Enum(LABELS, { examples: ['fraud'] }), { description: 'The label that applies now.' }),
    decision_id: id('decision', 'The decision, with its factors and reviews.'),
    case_id: nullable(id('case', 'The review case.'), { description: '`null` unless the item was held for review.' }),
    imported,
  },
  {
    $id: 'Screening',
    description:
      'A screened transaction or event. `decision` applies now, after any reviews; `automated_decision` is the result of the screening.',
  },
);
export type Screening = Type.Static<typeof Screening>;

export const ScreeningList = Type.Object(
  {
    screenings: Type.Array(Screening),
    has_more: Type.Boolean({
      description: 'Whether there may be more: continue with `next_before`.',
      examples: [false],
    }),
    next_before: nullable(Type.String({ examples: [SUBJECT_ID_EXAMPLE] }), {
      description: 'The `before` of the next page. `null` at the end.',
    }),
    looked_back_to: nullable(timestamp('The time of the oldest item that was looked at.'), {
      description:
        'Set if the search stopped at its time limit: the page may have fewer items than `limit`, or none, and older ones may follow.',
    }),
    as_of: timestamp('Every item and label that was stored before this time is included.'),
  },
  { $id: 'ScreeningList', description: 'Newest first.' },
);
export type ScreeningList = Type.Static<typeof ScreeningList>;
