import Type from 'typebox';
import { PAYMENT_METHODS } from './constants.ts';
import { Screening, subjectId } from './screening.ts';
import { SCREENING_FILTERS, textFilter } from './screening-filter.ts';
import { nullable } from './text.ts';

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
/** Rows of one export. */
export const MAX_EXPORTED = 100_000;

export const ScreeningExportQuery = Type.Object(
  {
    format: Type.Enum(EXPORT_FORMATS, { description: 'A table with a header, or one JSON object per line.' }),
    ...SCREENING_FILTERS,
    text: textFilter,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_EXPORTED, default: MAX_EXPORTED, description: 'Number of rows.' }),
    ),
    before: Type.Optional(subjectId('Cursor: the `subject_id` of the last row of the previous export.')),
  },
  { $id: 'ScreeningExportQuery' },
);
export type ScreeningExportQuery = Type.Static<typeof ScreeningExportQuery>;

const value = (description: string, example: string) =>
  nullable(Type.String({ examples: [example] }), { description: `${description} \`null\` if none was sent.` });

export const ExportedScreening = Type.Object(
  {
    ...Screening.properties,
    ip_address: value('The IP address.', '198.51.100.24'),
    device: value('The id of the device, or your identifier of it.', 'dvc_8f14e45f'),
    email: value('The e-mail address as sent.', 'ada@example.com'),
    payment_method: nullable(Type.Enum(PAYMENT_METHODS, { examples: ['card'] })),
    payment_fingerprint: value('Your token of the card, account or wallet.', 'pm_6d41aa'),
    counterparty_id: value('The payee.', 'shop_77'),
  },
  { $id: 'ExportedScreening', description: 'A row of an export.' },
);
export type ExportedScreening = Type.Static<typeof ExportedScreening>;
