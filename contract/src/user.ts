import Type, { type TString } from 'typebox';
import { mapOf } from './map.ts';
import { timestamp } from './text.ts';
import { RiskScore } from './verdict.ts';

const count = Type.Integer({ minimum: 0, examples: [3] });
const counts = (description: string, example: Record<string, number>) =>
  mapOf(Type.Number(), { description, examples: [example] });

const seen = <Named extends Record<string, TString>>(named: Named) =>
  Type.Array(
    Type.Object({
      ...named,
      first_seen_at: timestamp('First time.'),
      last_seen_at: timestamp('Last time.'),
      count,
    }),
    { description: 'The newest 20.' },
  );

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
      by_decision: counts('How many got each decision.', { allow: 3, review: 0, block: 0 }),
    }),
    events: Type.Object({ count, by_type: counts('How many of each type.', { login: 5 }) }),
    cases: Type.Object({
      count,
      by_status: counts('How many are in each status.', { open: 0, approved: 0, rejected: 0, expired: 0 }),
    }),
    confirmed_fraud: Type.Integer({
      minimum: 0,
      description: 'Payments and events of theirs whose label in force is `fraud`.',
      examples: [0],
    }),
    velocity: Type.Object(
      { '1h': windowOf, '24h': windowOf, '7d': windowOf, '30d': windowOf },
      { description: 'Transactions in the time before now.' },
    ),
    devices: seen({ device_token: Type.String({ examples: ['dvc_8f14e45f'] }) }),
    ip_addresses: seen({ ip_address: Type.String({ examples: ['198.51.100.24'] }) }),
    countries: seen({ country: Type.String({ examples: ['DE'] }) }),
    signals: Type.Array(
      Type.Object({ signal: Type.String({ examples: ['new_device'] }), count, last_seen_at: timestamp('Last time.') }),
      { description: 'The most recent 20.' },
    ),
  },
  { $id: 'RiskProfile', description: 'What is known of one of your users.' },
);
export type RiskProfile = Type.Static<typeof RiskProfile>;
