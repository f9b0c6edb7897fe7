import { type Address, EVENT_TYPES, isCurrency, OUTCOMES, PAYMENT_METHODS, SUBJECT_TYPES } from '@portcullis/contract';
import { MODEL_SIGNAL, type RuleInput, SIGNALS } from '@portcullis/engine';
import {
  always,
  flag,
  inCapitals,
  inSmall,
  isCountryCode,
  knownCountry,
  knownOf,
  number,
  once,
  oneOf,
  text,
  type Variable,
} from './variable.ts';
import { DEVICE_VARIABLES } from './variables-device.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The first of January 1970 was a Thursday. */
const THURSDAY = 4;

const payment = ({ subject }: RuleInput) => (subject.type === 'transaction' ? subject.request : undefined);
const act = ({ subject }: RuleInput) => (subject.type === 'event' ? subject.request : undefined);

const emailOf = once(({ subject }) => subject.request.email?.toLowerCase() ?? '');
const domainOf = once((input) => {
  const email = emailOf(input);
  return email.slice(email.lastIndexOf('@') + 1);
});

const ADDRESS_MEMBERS: readonly (readonly [member: keyof Address, meaning: string])[] = [
  ['line1', 'First line'],
  ['line2', 'Second line'],
  ['city', 'City'],
  ['state', 'State or province'],
  ['postal_code', 'Postal code'],
  ['country', 'Country, as two capitals,'],
];
const address = (name: 'billing_address' | 'shipping_address', of: string): Variable[] =>
  ADDRESS_MEMBERS.map(([member, meaning]) =>
    text(
      `${name}.${member}`,
      `${meaning} of the ${of} address.`,
      'transaction',
      (input) => payment(input)?.[name]?.[member] ?? '',
      member === 'country' ? isCountryCode : undefined,
    ),
  );

const NO_METADATA: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

export const METADATA = 'metadata';
export const FEATURES = 'features';

export const VARIABLES: readonly Variable[] = [
  always(
    text(
      'type',
      'What is screened: `transaction` or `event`.',
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
    'The amount in US dollars. Not known for currencies without a market rate.',
    'transaction',
    ({ subject }) => subject.dollars,
  ),
  text(
    'currency',
    'ISO 4217 code, in capitals.',
    'transaction',
    (input) => payment(input)?.currency ?? '',
    inCapitals('currency code', isCurrency),
  ),
  text(
    'payment_method',
    `${PAYMENT_METHODS.map((method) => `\`${method}\``).join(', ')}.`,
    'transaction',
    (input) => payment(input)?.payment_method ?? '',
    oneOf('payment method', PAYMENT_METHODS),
  ),
  text(
    'payment_fingerprint',
    'Your token of the card, account or wallet.',
    'transaction',
    (input) => payment(input)?.payment_fingerprint ?? '',
  ),
  text('counterparty_id', 'Who is paid.', 'transaction', (input) => payment(input)?.counterparty_id ?? ''),
  ...address('billing_address', 'billing'),
  ...address('shipping_address', 'shipping'),
  text(
    'event_type',
    'What the user did, such as `login`.',
    'event',
    (input) => act(input)?.type ?? '',
    oneOf('event type', EVENT_TYPES),
  ),
  text(
    'outcome',
    '`succeeded` or `failed`.',
    'event',
    (input) => {
      const request = act(input);
      return request === undefined ? '' : (request.outcome ?? 'succeeded');
    },
    oneOf('outcome', OUTCOMES),
  ),
  text(
    'ip_address',
    "The user's address, in the one form the service writes it.",
    'both',
    ({ subject }) => subject.request.ip_address ?? '',
  ),
  {
    name: 'device_token',
    meaning: "Your identifier of the device; of a token of the device SDK, the device's id, such as `dvk_…`.",
    on: 'both',
    term: { type: 'string', isLong: true, run: ({ subject }) => subject.request.device_token ?? '' },
    has: ({ subject }) => (subject.request.device_token ?? '') !== '',
  },
  text('email', 'E-mail address, in small letters.', 'both', emailOf, inSmall),
  text('email_domain', 'What stands behind the @, in small letters.', 'both', domainOf, inSmall),
  {
    name: METADATA,
    meaning: 'Your own members: `metadata.channel` or `metadata["channel"]`. One that is missing is an empty text.',
    on: 'both',
    term: {
      type: 'map',
      run: ({ subject }) => (subject.request.metadata as Readonly<Record<string, string>> | undefined) ?? NO_METADATA,
    },
    has: ({ subject }) => subject.request.metadata !== undefined,
  },
  text(
    'ip_country',
    'Country of the address, two capitals. Empty where it is not known.',
    'both',
    knownCountry('ip_country'),
    isCountryCode,
  ),
  number('asn', 'Number of the autonomous system of the address.', 'both', knownOf('asn')),
  flag('ip_hosting', 'The address belongs to servers for rent.'),
  flag('ip_vpn', 'The address belongs to a virtual private network.'),
  flag('ip_proxy', 'The address is an open proxy.'),
  flag('ip_tor', 'The address is an exit of Tor.'),
  flag('ip_reserved', 'The address cannot be on the public internet.'),
  ...DEVICE_VARIABLES,
  flag('email_disposable', 'The e-mail domain is for throw-away addresses.'),
  flag('email_free', 'The e-mail domain gives addresses to anybody.'),
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
    meaning:
      'Names of the signals that are active: `"new_device" in signals`. Those of rules and lists are not among them.',
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
    meaning: 'Names of your lists that something of the request is on: `"vip_users" in lists`.',
    on: 'both',
    term: { type: 'list', of: 'string', run: ({ lists }) => lists },
  },
  always(
    number('score', 'The score so far, 0 to 100: of model and signals, before any rule.', 'both', ({ score }) => score),
  ),
  always(number('model_score', 'The part of the model alone, 0 to 100.', 'both', ({ modelScore }) => modelScore)),
];
