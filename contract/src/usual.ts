import Type from 'typebox';
import { SCREENING_FILTERS } from './screening-filter.ts';
import { nullable, timestamp } from './text.ts';

const { until } = SCREENING_FILTERS;

export const UsualQuery = Type.Object({ until }, { $id: 'UsualQuery' });
export type UsualQuery = Type.Static<typeof UsualQuery>;

const count = Type.Integer({ minimum: 0, examples: [12] });
const dollars = (description: string, example: number) => Type.Number({ description, examples: [example] });
const ranked = (description: string, example: string) =>
  Type.Array(
    Type.Object({
      value: Type.String({ examples: [example] }),
      items: count,
      last_seen_at: timestamp('The newest of them.'),
    }),
    { description: `${description} The ten most frequent.` },
  );

export const Usual = Type.Object(
  {
    user_id: Type.String({ examples: ['user_1842'] }),
    items: Type.Integer({
      minimum: 1,
      maximum: 500,
      description: 'The newest items before `until`, up to 500. Everything else is about these.',
      examples: [84],
    }),
    first_seen_at: timestamp('The oldest of them.'),
    last_seen_at: timestamp('The newest of them.'),
    days: Type.Integer({ minimum: 1, description: 'Days, in UTC, with at least one of them.', examples: [31] }),
    amount_usd: nullable(
      Type.Object({
        p10: dollars('One payment in ten is not larger.', 12.5),
        p50: dollars('The median.', 38.2),
        p90: dollars('Nine payments in ten are not larger.', 95),
        max: dollars('The largest.', 240),
      }),
      { description: 'Amounts of payments in US dollars; `null` without any.' },
    ),
    hours: Type.Array(count, { description: 'Number of items by hour of the day, in UTC: 24 numbers.' }),
    countries: ranked('Countries of the IP address.', 'DE'),
    currencies: ranked('Currencies of payments.', 'EUR'),
    devices: ranked('Devices, by their ids or your identifiers.', 'dvc_8f14e45f'),
    networks: ranked('Networks of the IP address.', '198.51.100.0/24'),
    payment_fingerprints: ranked('Payment instruments.', 'pm_6d41aa'),
    counterparties: ranked('Payees.', 'shop_77'),
    as_of: timestamp('Everything that was stored before this time is included.'),
  },
  { $id: 'Usual', description: 'What a user usually does.' },
);
export type Usual = Type.Static<typeof Usual>;
