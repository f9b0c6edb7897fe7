import Type from 'typebox';
import { SUBJECT_TYPES } from './constants.ts';
import { notes } from './decision.ts';
import { ID_PREFIXES, ID_SUFFIX_PATTERN } from './id-prefixes.ts';
import { id } from './ids.ts';
import { reason, reasonOrNull } from './label-reason.ts';
import { moment, nullable, text, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

export const LABELS = ['fraud', 'legitimate'] as const;
export type LabelValue = (typeof LABELS)[number];
export const LABEL_ORIGINS = ['case', 'review', 'api'] as const;
export type LabelOrigin = (typeof LABEL_ORIGINS)[number];

/** Labels of one transaction or event, reviews included. Reading a decision returns all its reviews. */
export const MAX_LABELS_PER_ITEM = 100;

const label = Type.Enum(LABELS, { description: 'The confirmed outcome.', examples: ['fraud'] });

export const LabelRequest = Type.Object(
  {
    transaction_id: Type.Optional(id('transaction', 'The labelled transaction.')),
    event_id: Type.Optional(id('event', 'The labelled event. Send either `transaction_id` or `event_id`.')),
    label,
    reason: Type.Optional(reason('the label `fraud`')),
    source: text(1, 64, {
      description: 'Where the information comes from, in your own words.',
      examples: ['chargeback'],
    }),
    occurred_at: Type.Optional(
      moment('When you learned of it; not in the future. The label counts from now on in any case.'),
    ),
    notes: Type.Optional(notes),
  },
  {
    $id: 'LabelRequest',
    description: 'The confirmed outcome of a screened transaction or event.',
    examples: [
      { transaction_id: 'txn_01kcy5v3n7f2q8r4t6w9x0y1z2', label: 'fraud', reason: 'stolen_card', source: 'chargeback' },
    ],
  },
);
export type LabelRequest = Type.Static<typeof LabelRequest>;

export const Label = Type.Object(
  {
    label_id: id('label', 'The label.'),
    subject_type: Type.Enum(SUBJECT_TYPES, { examples: ['transaction'] }),
    subject_id: Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
    label,
    reason: reasonOrNull(
      'How the fraud was done: from the request, or else from the fraud label that this one repeats. `null` if unknown.',
    ),
    origin: Type.Enum(LABEL_ORIGINS, {
      description: 'What created the label: a resolved case, an overridden decision, or `POST /v1/labels`.',
      examples: ['api'],
    }),
    source: Type.String({
      description: 'The source from the request, or else the `origin`.',
      examples: ['chargeback'],
    }),
    author: Type.String({
      description: 'The analyst, if one was named, or else the API key.',
      examples: ['analyst_7'],
    }),
    occurred_at: nullable(timestamp('When it was learned of, from the request.')),
    notes: nullable(Type.String()),
    labelled_at: timestamp('When the label was added. It counts from then on.'),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Label', description: 'The confirmed outcome of an item. The newest label of an item applies.' },
);
export type Label = Type.Static<typeof Label>;

const SUBJECT_PATTERN = `^(?:${ID_PREFIXES.transaction}|${ID_PREFIXES.event})_${ID_SUFFIX_PATTERN}$`;

export const LabelQuery = Type.Object({
  subject: Type.Optional(
    Type.String({
      pattern: SUBJECT_PATTERN,
      description: 'Only labels of this `transaction_id` or `event_id`.',
      examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'],
    }),
  ),
  since: Type.Optional(moment('Only labels added at this time or later.')),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' })),
  before: Type.Optional(id('label', 'Cursor: the last `label_id` of the previous page.')),
});
export type LabelQuery = Type.Static<typeof LabelQuery>;

export const LabelList = Type.Object(
  { labels: Type.Array(Label), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'LabelList', description: 'Newest first.' },
);
export type LabelList = Type.Static<typeof LabelList>;
