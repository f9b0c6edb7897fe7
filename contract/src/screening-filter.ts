import Type from 'typebox';
import { withCardRule } from './card-numbers/rule.ts';
import { EVENT_TYPES, OUTCOMES, SUBJECT_TYPES } from './constants.ts';
import { isCountry } from './countries.ts';
import { isCurrency } from './currencies.ts';
import { id } from './ids.ts';
import { isNetwork } from './ip.ts';
import { LABELS } from './label.ts';
import { deviceName, email, ipAddress, paymentFingerprint, userId } from './subject.ts';
import { callerId, moment, text } from './text.ts';
import { DECISIONS } from './verdict.ts';

const score = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });
const dollars = (description: string) => Type.Number({ minimum: 0, maximum: 1e18, description });

/** What a search over screenings can ask for. All of it must match. */
export const SCREENING_FILTERS = {
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
  currency: Type.Optional(
    Type.Refine(
      text(3, 3, {
        description: 'Only transactions in this currency: ISO 4217 code, in either case.',
        examples: ['EUR'],
      }),
      isCurrency,
      () => 'must be a current three-letter ISO 4217 code, such as EUR',
    ),
  ),
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
  email_domain: Type.Optional(
    withCardRule(
      Type.Refine(
        text(1, 253, { description: 'The domain of the e-mail address, in either case.', examples: ['example.com'] }),
        (value) => /^[^\s@]+$/.test(value),
        () => 'must be a domain such as example.com',
      ),
      'identifier',
    ),
  ),
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
  model_version: Type.Optional(
    Type.String({
      pattern: '^mdl_[0-9a-z_]{1,60}$',
      description: 'Only items that this model scored.',
      examples: ['mdl_base'],
    }),
  ),
};
/** Only for lists of items: it reads the request of each. */
export const textFilter = Type.Optional(
  text(2, 200, {
    description:
      'Only items with this text in a value of the request, in either case, such as a part of an e-mail address or of a `metadata` value. A search by text alone may take several pages: see `looked_back_to`. Requires the permission `read_personal`.',
    examples: ['gift card'],
  }),
);
export const ScreeningFilter = Type.Object(SCREENING_FILTERS, {
  $id: 'ScreeningFilter',
  description: 'What a search over screenings can ask for. All of it must match.',
});
export type ScreeningFilter = Type.Static<typeof ScreeningFilter>;
