import Type from 'typebox';
import { withCardRule } from './card-numbers/rule.ts';
import { isCountry } from './countries.ts';
import { SUBJECT_TYPES } from './decision.ts';
import { EVENT_TYPES, OUTCOMES } from './event.ts';
import { ID_PREFIXES, ID_SUFFIX_PATTERN, id } from './ids.ts';
import { isNetwork } from './ip.ts';
import { LABELS } from './label.ts';
import { deviceName, email, ipAddress, paymentFingerprint, userId } from './subject.ts';
import { callerId, moment, nullable, text, timestamp } from './text.ts';
import { DECISIONS, DecisionValue, RiskScore, Signals } from './verdict.ts';

const SUBJECT_ID = `^(?:${ID_PREFIXES.transaction}|${ID_PREFIXES.event})_${ID_SUFFIX_PATTERN}$`;
const SUBJECT_ID_EXAMPLE = 'txn_01kcy5v3n7f2q8r4t6w9x0y1z2';

const score = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });
const dollars = (description: string) => Type.Number({ minimum: 0, maximum: 1e18, description });

export const ScreeningQuery = Type.Object(
  {
    from: Type.Optional(moment('Only items screened at this time or later.')),
    until: Type.Optional(moment('Only items screened before this time.')),
    type: Type.Optional(Type.Enum(SUBJECT_TYPES, { description: 'Only transactions, or only events.' })),
    event_type: Type.Optional(Type.Enum(EVENT_TYPES, { description: 'Only events of this type.' })),
    outcome: Type.Optional(Type.Enum(OUTCOMES, { description: 'Only events with this outcome.' })),
    decision: Type.Optional(Type.Enum(DECISIONS, { description: 'The decision that applies now, after any reviews.' })),
    label: Type.Optional(
      Type.Enum([...LABELS, 'none'] as const, { description: 'The label that applies now; `none`: without a label.' }),
    ),
    score_min: Type.Optional(score('Only items with this risk score or a higher one.')),
    score_max: Type.Optional(score('Only items with this risk score or a lower one.')),
    usd_min: Type.Optional(dollars('Only transactions of this amount or more, in US dollars.')),
    usd_max: Type.Optional(dollars('Only transactions of this amount or less, in US dollars.')),
    user_id: Type.Optional(userId),
    device_token: Type.Optional(deviceName),
    ip_address: Type.Optional(ipAddress),
    network: Type.Optional(
      withCardRule(
        Type.Refine(
          text(2, 49, {
            description:
              'The network of the IP address: an IPv4 network with 24 bits, an IPv6 network with 48, or any address in it.',
            examples: ['198.51.100.0/24'],
          }),
          isNetwork,
          () => 'must be a network such as 198.51.100.0/24 or 2001:db8:7::/48, or an address in it',
        ),
        'exact',
      ),
    ),
    email: Type.Optional(email),
    payment_fingerprint: Type.Optional(paymentFingerprint('Your token of the card, account or wallet.')),
    counterparty_id: Type.Optional(callerId('The payee: merchant, terminal or account.', 'shop_77')),
    country: Type.Optional(
      Type.Refine(
        text(2, 2, { description: 'Country of the IP address, ISO 3166-1 alpha-2, in either case.', examples: ['NG'] }),
        isCountry,
        () => 'must be a two-letter ISO 3166-1 code, such as NG',
      ),
    ),
    signal: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9_.]{1,128}$',
        description: 'Only items with this active signal.',
        examples: ['new_device'],
      }),
    ),
    rule: Type.Optional(id('rule', 'Only items that this live rule matched.')),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Page size.' })),
    before: Type.Optional(
      Type.String({
        pattern: SUBJECT_ID,
        description: 'Cursor: `next_before` of the previous page.',
        examples: [SUBJECT_ID_EXAMPLE],
      }),
    ),
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
    screened_at: timestamp('When the item was screened.'),
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
