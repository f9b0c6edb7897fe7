import Type from 'typebox';
import { LABELS } from './label.ts';
import { Screening, SUBJECT_ID_PATTERN } from './screening.ts';
import { SCREENING_FILTERS } from './screening-filter.ts';
import { nullable, timestamp } from './text.ts';

export const TIMELINE_KINDS = ['transaction', 'event', 'label', 'review'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

const CURSOR_EXAMPLE = 'txn_01kcy5v3n7f2q8r4t6w9x0y1z2~transaction';
const { from, until } = SCREENING_FILTERS;

export const TimelineQuery = Type.Object(
  {
    kind: Type.Optional(Type.Enum(TIMELINE_KINDS, { description: 'Only entries of this kind.' })),
    ...{ from, until },
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Page size.' })),
    before: Type.Optional(
      Type.String({
        pattern: `^${SUBJECT_ID_PATTERN}~(?:${TIMELINE_KINDS.join('|')})$`,
        description: 'Cursor: `next_before` of the previous page.',
        examples: [CURSOR_EXAMPLE],
      }),
    ),
  },
  { $id: 'TimelineQuery' },
);
export type TimelineQuery = Type.Static<typeof TimelineQuery>;

export const TimelineEntry = Type.Object(
  {
    kind: Type.Enum(TIMELINE_KINDS, { examples: ['transaction'] }),
    at: timestamp('When it happened.'),
    subject_id: Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
    screening: nullable(Screening, { description: 'The item of a `transaction` or `event`; `null` for others.' }),
    label: nullable(Type.Enum(LABELS), { description: 'The label of a `label`; `null` for others.' }),
    decision: nullable(Type.Enum(['allow', 'block'] as const), {
      description: 'The decision of a `review`, which also resolves a case; `null` for others.',
    }),
  },
  { $id: 'TimelineEntry' },
);
export type TimelineEntry = Type.Static<typeof TimelineEntry>;

export const Timeline = Type.Object(
  {
    entries: Type.Array(TimelineEntry),
    has_more: Type.Boolean({ description: 'Whether there are more: continue with `next_before`.', examples: [false] }),
    next_before: nullable(Type.String({ examples: [CURSOR_EXAMPLE] }), {
      description: 'The `before` of the next page. `null` at the end.',
    }),
    as_of: timestamp('Everything that was stored before this time is included.'),
  },
  {
    $id: 'Timeline',
    description:
      'Newest first. Of the labels and reviews of an item, those that apply now are shown. Labels, reviews and, with `kind`, items are looked for in the newest 5,000 items of the user.',
  },
);
export type Timeline = Type.Static<typeof Timeline>;
