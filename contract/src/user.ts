import Type, { type TString } from 'typebox';
import { HIDDEN } from './constants.ts';
import { mapOf } from './map.ts';
import { timestamp } from './text.ts';
import { RiskScore } from './verdict.ts';

const count = Type.Integer({ minimum: 0, examples: [3] });
const counts = (description: string, example: Record<string, number>) =>
  mapOf(Type.Number(), { description, examples: [example] });

const sightings = <Named extends Record<string, TString>>(identifier: Named) =>
  Type.Array(
    Type.Object({
      ...identifier,
      first_seen_at: timestamp('First use.'),
      last_seen_at: timestamp('Last use.'),
      count,
    }),
    { description: 'The 20 most recent.' },
  );

const ONLY_PERSONAL = `\`${HIDDEN}\` without the permission \`read_personal\`.`;

const windowOf = Type.Object({ count, amount: Type.Number({ description: 'In US dollars.', examples: [120.5] }) });

export const RISK_LEVELS = ['low', 'medium', 'high'] as const;

export const RiskProfile = Type.Object(
  {
    user_id: Type.String({ examples: ['user_1842'] }),
    risk_score: RiskScore,
    risk_level: Type.Enum(RISK_LEVELS, { examples: ['low'] }),
    first_seen_at: timestamp('First screening.'),
    last_seen_at: timestamp('Last screening.'),
    transactions: Type.Object({
      count,
      total_by_currency: counts('Total amount per currency.', { EUR: 149.9 }),
      by_decision: counts('Number of transactions by decision.', { allow: 3, review: 0, block: 0 }),
    }),
    events: Type.Object({ count, by_type: counts('Number of events by type.', { login: 5 }) }),
    cases: Type.Object({
      count,
      by_status: counts('Number of cases by status.', { open: 0, approved: 0, rejected: 0, expired: 0 }),
    }),
    confirmed_fraud: Type.Integer({
      minimum: 0,
      description: 'Number of transactions and events of the user with the label `fraud`.',
      examples: [0],
    }),
    velocity: Type.Object(
      { '1h': windowOf, '24h': windowOf, '7d': windowOf, '30d': windowOf },
      { description: 'Transactions in the last hour, day, week and month.' },
    ),
    devices: sightings({ device_token: Type.String({ description: ONLY_PERSONAL, examples: ['dvc_8f14e45f'] }) }),
    ip_addresses: sightings({ ip_address: Type.String({ description: ONLY_PERSONAL, examples: ['198.51.100.24'] }) }),
    countries: sightings({ country: Type.String({ examples: ['DE'] }) }),
    signals: Type.Array(
      Type.Object({
        signal: Type.String({ examples: ['new_device'] }),
        count,
        last_seen_at: timestamp('Last occurrence.'),
      }),
      { description: 'The 20 most recent.' },
    ),
  },
  { $id: 'RiskProfile', description: 'Risk profile of one of your users.' },
);
export type RiskProfile = Type.Static<typeof RiskProfile>;
