import type { Address } from '@portcullis/contract';
import { EVENT_TYPES, isCurrency, OUTCOMES, PAYMENT_METHODS, SUBJECT_TYPES } from '@portcullis/contract/values';
import { MODEL_SIGNAL, type RuleInput, SIGNALS } from '@portcullis/engine';
import {
  always,
  flag,
  inCapitals,
  inSmall,
  isCountryCode,
  number,
  once,
  oneOf,
  readCountry,
  readKnown,
  text,
  type Variable,
} from './define-variable.ts';
import { DEVICE_VARIABLES } from './variables-device.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1 January 1970 was a Thursday. */
const THURSDAY = 4;

const payment = ({ subject }: RuleInput) => (subject.type === 'transaction' ? subject.request : undefined);
const event = ({ subject }: RuleInput) => (subject.type === 'event' ? subject.request : undefined);

const emailOf = once(({ subject }) => subject.request.email?.toLowerCase() ?? '');
const domainOf = once((input) => {
  const email = emailOf(input);
  return email.slice(email.lastIndexOf('@') + 1);
});

const ADDRESS_FIELDS: readonly (readonly [field: keyof Address, meaning: string])[] = [
  ['line1', 'First line'],
  ['line2', 'Second line'],
  ['city', 'City'],
  ['state', 'State or province'],
  ['postal_code', 'Postal code'],
  ['country', 'Country (two capitals)'],
];
const address = (name: 'billing_address' | 'shipping_address', of: string): Variable[] =>
  ADDRESS_FIELDS.map(([field, meaning]) =>
    text(
      `${name}.${field}`,
      `${meaning} of the ${of} address.`,
      'transaction',
      (input) => payment(input)?.[name]?.[field] ?? '',
      field === 'country' ? isCountryCode : undefined,
    ),
  );

const NO_METADATA: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

export const METADATA = 'metadata';
export const FEATURES = 'features';

export const VARIABLES: readonly Variable[] = [
  always(
    text(
      'type',
      'Type of the request: `transaction` or `event`.',
      'both',
      ({ subject }) => subject.type,
      oneOf('type', SUBJECT_TYPES),
    ),
  ),
  always(text('user_id', 'Your identifier of the user.', 'both', ({ subject }) => subject.request.user_id)),
  number(
    'amount',
    'The amount in units of `currency`.',
    'transaction',
    (input) => payment(input)?.amount ?? Number.NaN,
  ),
  number(
    'amount_usd',
    'The amount in US dollars. Unknown for currencies without a market rate.',
    'transaction',
    ({ subject }) => subject.dollars,
  ),
  text(
    'currency',
    'Currency, as an ISO 4217 code in capitals.',
    'transaction',
    (input) => payment(input)?.currency ?? '',
    inCapitals('currency code', isCurrency),
  ),
  text(
    'payment_method',
    `Payment method: ${PAYMENT_METHODS.map((method) => `\`${method}\``).join(', ')}.`,
    'transaction',
    (input) => payment(input)?.payment_method ?? '',
    oneOf('payment method', PAYMENT_METHODS),
  ),
  text(
    'payment_fingerprint',
    'Your token of the card, bank account or wallet.',
    'transaction',
    (input) => payment(input)?.payment_fingerprint ?? '',
  ),
  text(
    'counterparty_id',
    'Your identifier of the payee.',
    'transaction',
    (input) => payment(input)?.counterparty_id ?? '',
  ),
  ...address('billing_address', 'billing'),
  ...address('shipping_address', 'shipping'),
  text(
    'event_type',
    'Type of the event, such as `login`.',
    'event',
    (input) => event(input)?.type ?? '',
    oneOf('event type', EVENT_TYPES),
  ),
  text(
    'outcome',
    'Outcome of the event: `succeeded` or `failed`.',
    'event',
    (input) => {
      const request = event(input);
      return request === undefined ? '' : (request.outcome ?? 'succeeded');
    },
    oneOf('outcome', OUTCOMES),
  ),
  text(
    'ip_address',
    "The user's IP address, in normalized form.",
    'both',
    ({ subject }) => subject.request.ip_address ?? '',
  ),
  {
    name: 'device_token',
    meaning: 'Your identifier of the device. For a token of the device SDK, the device id, such as `dvk_…`.',
    on: 'both',
    term: { type: 'string', isLong: true, run: ({ subject }) => subject.request.device_token ?? '' },
    has: ({ subject }) => (subject.request.device_token ?? '') !== '',
  },
  text('email', 'E-mail address, in small letters.', 'both', emailOf, inSmall),
  text('email_domain', 'Domain of the e-mail address, in small letters.', 'both', domainOf, inSmall),
  {
    name: METADATA,
    meaning: 'Your own fields: `metadata.channel` or `metadata["channel"]`. A missing field is an empty text.',
    on: 'both',
    term: {
      type: 'map',
      run: ({ subject }) => (subject.request.metadata as Readonly<Record<string, string>> | undefined) ?? NO_METADATA,
    },
    has: ({ subject }) => subject.request.metadata !== undefined,
  },
  text(
    'ip_country',
    'Country of the IP address, two capitals. Empty if unknown.',
    'both',
    readCountry('ip_country'),
    isCountryCode,
  ),
  number('asn', 'Number of the autonomous system (network) of the IP address.', 'both', readKnown('asn')),
  flag('ip_hosting', 'The IP address belongs to a hosting provider.'),
  flag('ip_vpn', 'The IP address belongs to a VPN.'),
  flag('ip_proxy', 'The IP address is an open proxy.'),
  flag('ip_tor', 'The IP address is a Tor exit.'),
  flag('ip_reserved', 'The IP address is reserved: it cannot be on the public internet.'),
  ...DEVICE_VARIABLES,
  flag('email_disposable', 'The e-mail domain is for disposable addresses.'),
  flag('email_free', 'The e-mail domain is a free e-mail provider.'),
  always(
    number('hour', 'Hour of the day, 0 to 23, UTC.', 'both', ({ subject }) =>
      Math.floor((subject.at % DAY_MS) / HOUR_MS),
    ),
  ),
  always(
    number(
      'weekday',
      'Day of the week, UTC: 0 is Sunday, 6 is Saturday.',
      'both',
      ({ subject }) => (Math.floor(subject.at / DAY_MS) + THURSDAY) % 7,
    ),
  ),
  {
    name: 'signals',
    meaning: 'Names of the active signals: `"new_device" in signals`. Signals of rules and lists are not included.',
    on: 'both',
    term: {
      type: 'list',
      of: 'string',
      run: ({ signals }) => signals,
      check: oneOf('signal', [...SIGNALS.map(({ name }) => name), MODEL_SIGNAL]),
    },
  },
  {
    name: 'lists',
    meaning: 'Names of the lists that match the request: `"vip_users" in lists`.',
    on: 'both',
    term: { type: 'list', of: 'string', run: ({ lists }) => lists },
  },
  always(number('score', 'Score of model and signals, 0 to 100, before any rule.', 'both', ({ score }) => score)),
  always(number('model_score', 'Score of the model alone, 0 to 100.', 'both', ({ modelScore }) => modelScore)),
];
