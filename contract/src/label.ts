import Type from 'typebox';
import { notes, SUBJECT_TYPES } from './decision.ts';
import { ID_PREFIXES, ID_SUFFIX_PATTERN, id } from './ids.ts';
import { moment, nullable, text, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

export const LABELS = ['fraud', 'legitimate'] as const;
export type LabelValue = (typeof LABELS)[number];
export const LABEL_ORIGINS = ['case', 'review', 'api'] as const;
export type LabelOrigin = (typeof LABEL_ORIGINS)[number];

const label = Type.Enum(LABELS, { description: 'What is known of it now.', examples: ['fraud'] });

export const LabelRequest = Type.Object(
  {
    transaction_id: Type.Optional(id('transaction', 'The transaction it is about.')),
    event_id: Type.Optional(id('event', 'The event it is about. Exactly one of the two must be given.')),
    label,
    source: text(1, 64, { description: 'Where you have it from, in your own words.', examples: ['chargeback'] }),
    occurred_at: Type.Optional(
      moment('When it became known to you; not in the future. It counts from now on all the same.'),
    ),
    notes: Type.Optional(notes),
  },
  {
    $id: 'LabelRequest',
    description: 'What became known of a screened transaction or event.',
    examples: [{ transaction_id: 'txn_01kcy5v3n7f2q8r4t6w9x0y1z2', label: 'fraud', source: 'chargeback' }],
  },
);
export type LabelRequest = Type.Static<typeof LabelRequest>;

export const Label = Type.Object(
  {
    label_id: id('label', 'The label.'),
    subject_type: Type.Enum(SUBJECT_TYPES, { examples: ['transaction'] }),
    subject_id: Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
    label,
    origin: Type.Enum(LABEL_ORIGINS, {
      description: 'How it came about: a case that was resolved, a decision that was overridden, or `POST /v1/labels`.',
      examples: ['api'],
    }),
    source: Type.String({ description: 'As given; else the same as `origin`.', examples: ['chargeback'] }),
    author: Type.String({ description: 'The analyst where one was named, else the API key.', examples: ['analyst_7'] }),
    occurred_at: nullable(timestamp('When it became known, as given.')),
    notes: nullable(Type.String()),
    labelled_at: timestamp('When it was given here: from then on it counts.'),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Label', description: 'What is known of an item in hindsight. The newest of an item is in force.' },
);
export type Label = Type.Static<typeof Label>;

const SUBJECT_PATTERN = `^(?:${ID_PREFIXES.transaction}|${ID_PREFIXES.event})_${ID_SUFFIX_PATTERN}$`;

export const LabelQuery = Type.Object({
  subject: Type.Optional(
    Type.String({
      pattern: SUBJECT_PATTERN,
      description: 'Only those of this `transaction_id` or `event_id`.',
      examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'],
    }),
  ),
  since: Type.Optional(moment('Only those given at this time or later.')),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many to return.' })),
  before: Type.Optional(id('label', 'Only older ones: the last `label_id` of the page before.')),
});
export type LabelQuery = Type.Static<typeof LabelQuery>;

export const LabelList = Type.Object(
  { labels: Type.Array(Label), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'LabelList', description: 'Newest first.' },
);
export type LabelList = Type.Static<typeof LabelList>;
