import Type from 'typebox';
import { EventRequest } from './event.ts';
import { LABELS } from './label.ts';
import { reason } from './label-reason.ts';
import { callerId, moment } from './text.ts';
import { TransactionRequest } from './transaction.ts';
import { Warnings } from './verdict.ts';

/** Items and labels of one request. */
export const MAX_IMPORT_ITEMS = 200;
/** Transactions and events that an account may import into one environment. */
export const MAX_IMPORTED_ITEMS = 10_000_000;

/** Past payments of 0, such as card checks, did happen. */
const PastTransaction = Type.Object(
  {
    ...TransactionRequest.properties,
    amount: Type.Number({
      minimum: 0,
      maximum: 1e15,
      description: 'Amount in units of `currency`, not in cents. 0 is a card check.',
      examples: [49.9],
    }),
  },
  { $id: 'PastTransaction', description: 'A payment that has happened.' },
);

const ImportItem = Type.Object(
  {
    id: callerId(
      'Your own id of the item, such as the order number. It is imported once; a `label` names the item by it.',
      'order_51877',
    ),
    occurred_at: moment('When it happened; of a label, when it became known. Not in the future.'),
    transaction: Type.Optional(PastTransaction),
    event: Type.Optional(EventRequest),
    label: Type.Optional(
      Type.Enum(LABELS, {
        description: 'The confirmed outcome of the item with this `id`, which must be imported before it.',
        examples: ['fraud'],
      }),
    ),
    label_reason: Type.Optional(reason('the label `fraud`')),
  },
  {
    $id: 'ImportItem',
    description: 'A past transaction or event, or the label of one: exactly one of `transaction`, `event` and `label`.',
  },
);
export type ImportItem = Type.Static<typeof ImportItem>;

export const ImportRequest = Type.Object(
  { items: Type.Array(ImportItem, { minItems: 1, maxItems: MAX_IMPORT_ITEMS }) },
  {
    $id: 'ImportRequest',
    description: 'In the order of time. An error in any item refuses them all.',
    examples: [
      {
        items: [
          {
            id: 'order_51877',
            occurred_at: '2026-10-01T09:12:44Z',
            transaction: { user_id: 'user_1842', amount: 49.9, currency: 'EUR' },
          },
          { id: 'order_51877', occurred_at: '2026-10-09T00:00:00Z', label: 'legitimate' },
        ],
      },
    ],
  },
);
export type ImportRequest = Type.Static<typeof ImportRequest>;

export const ImportResult = Type.Object(
  {
    imported: Type.Integer({ description: 'Transactions and events that were added.', examples: [1] }),
    labelled: Type.Integer({ description: 'Labels that were added.', examples: [1] }),
    repeated: Type.Integer({
      description: 'Items that were imported before, and labels of items that have a label. They change nothing.',
      examples: [0],
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'ImportResult' },
);
export type ImportResult = Type.Static<typeof ImportResult>;
