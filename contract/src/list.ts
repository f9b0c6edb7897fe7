import Type from 'typebox';
import { withCardRule, withoutCardNumber } from './card-numbers/rule.ts';
import { HIDDEN } from './constants.ts';
import { id } from './ids.ts';
import { deviceName, email, ipAddress, paymentFingerprint, userId } from './subject.ts';
import { callerId, moment, nullable, text, timestamp } from './text.ts';
import { DecisionValue, Warnings } from './verdict.ts';

/** Kinds of values a list may hold. The order is not stored. */
export const LIST_KINDS = [
  'user',
  'ip_address',
  'device',
  'email',
  'email_domain',
  'payment_fingerprint',
  'counterparty',
  'country',
] as const;
export type ListKind = (typeof LIST_KINDS)[number];

export const TREATMENTS = ['block', 'review', 'trusted', 'none'] as const;

/** Limits of an account in one environment. */
export const MAX_LISTS = 100;
export const MAX_LIST_ENTRIES = 1_000_000;
export const MAX_ENTRIES_AT_ONCE = 1000;
/** Longest lifetime of an entry on a `trusted` list: trust must end. */
export const MAX_TRUSTED_DAYS = 365;
/** Longest lifetime of an entry that somebody without `tune` adds to a list that is open to analysts. */
export const MAX_ANALYST_DAYS = 90;

const NAME_PATTERN = '^[a-z][a-z0-9_]{0,63}$';
const name = withoutCardNumber(
  Type.Refine(
    Type.String({
      pattern: NAME_PATTERN,
      description:
        'Lower-case letters, digits and `_`, up to 64 characters. Names the list in paths, rules and signals.',
      examples: ['stolen_cards'],
    }),
    (value) => new RegExp(NAME_PATTERN).test(value),
    () => 'must begin with a letter a to z and have up to 64 small letters, digits and underscores',
  ),
);
const description = text(0, 500, { description: 'A description for people.', examples: ['Cards reported as stolen.'] });
const treatment = Type.Enum(TREATMENTS, {
  description:
    'Effect of a match: `block`, `review`, or `trusted` for `allow`. With `none` a match has no effect of its own, but rules can use the list.',
  examples: ['block'],
});

const openToAnalysts = Type.Boolean({
  default: false,
  description: `Whether the permission \`review\` is enough to add entries. They must end within ${MAX_ANALYST_DAYS} days.`,
  examples: [false],
});

export const ListRequest = Type.Object(
  {
    name,
    description: Type.Optional(description),
    treatment: Type.Optional(Type.Enum(TREATMENTS, { default: 'none', examples: ['block'] })),
    open_to_analysts: Type.Optional(openToAnalysts),
  },
  { $id: 'ListRequest' },
);
export type ListRequest = Type.Static<typeof ListRequest>;

export const ListChange = Type.Object(
  {
    description: Type.Optional(description),
    treatment: Type.Optional(treatment),
    open_to_analysts: Type.Optional(openToAnalysts),
  },
  { $id: 'ListChange', description: 'Omitted fields keep their value.' },
);
export type ListChange = Type.Static<typeof ListChange>;

export const List = Type.Object(
  {
    list_id: Type.String({ description: 'The name of the list.', examples: ['stolen_cards'] }),
    name: Type.String({ examples: ['stolen_cards'] }),
    description: Type.String({ examples: ['Cards reported as stolen.'] }),
    treatment,
    open_to_analysts: Type.Boolean({
      description: 'Whether the permission `review` is enough to add entries.',
      examples: [false],
    }),
    built_in: Type.Boolean({ description: 'Built-in lists cannot be changed or deleted.', examples: [false] }),
    entry_count: Type.Integer({ description: 'Number of entries that are not expired.', examples: [214] }),
    entries: Type.Optional(
      Type.Array(Type.Object({ ip_address: Type.String({ examples: ['203.0.113.2'] }), decision: DecisionValue }), {
        description: 'Only for `test_addresses`. Entries of other lists have their own path.',
      }),
    ),
    created_at: nullable(timestamp('When the list was created; `null` for built-in lists.')),
    updated_at: nullable(timestamp('When its description or treatment was last changed; `null` when it is built in.')),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'List', description: 'Values that mean something wherever they occur.' },
);
export type List = Type.Static<typeof List>;

export const Lists = Type.Object(
  { lists: Type.Array(List) },
  { $id: 'Lists', description: 'The built-in ones first, then in the order they were made.' },
);
export type Lists = Type.Static<typeof Lists>;

/** A value of a list. Its kind decides what a card number in it means, so the lists mask or refuse it. */
const value = (description: string, options: { examples?: string[] } = {}) =>
  withCardRule(text(1, 4096, { description, ...options }), 'exact');
const kind = Type.Enum(LIST_KINDS, { description: 'Kind of the value.', examples: ['ip_address'] });
const EntryRequest = Type.Object(
  {
    kind,
    value: value(
      'An `ip_address` can be a network such as 198.51.100.0/24. An `email_domain` also matches its subdomains.',
      { examples: ['198.51.100.24'] },
    ),
    reason: Type.Optional(
      text(0, 500, { description: 'The reason, for people.', examples: ['Card testing on 12 November.'] }),
    ),
    author: Type.Optional(callerId('Who added the entry. Default: the API key.', 'analyst_7')),
    expires_at: Type.Optional(
      moment(
        `When the entry expires. Required on a \`trusted\` list, at most ${MAX_TRUSTED_DAYS} days ahead.`,
        '2027-02-14T00:00:00Z',
      ),
    ),
  },
  { $id: 'ListEntryRequest' },
);
export type ListEntryRequest = Type.Static<typeof EntryRequest>;

export const ListEntriesRequest = Type.Object(
  { entries: Type.Array(EntryRequest, { minItems: 1, maxItems: MAX_ENTRIES_AT_ONCE }) },
  { $id: 'ListEntriesRequest', description: 'Either all entries are added or none.' },
);
export type ListEntriesRequest = Type.Static<typeof ListEntriesRequest>;

export const ListEntriesAdded = Type.Object(
  {
    list_id: Type.String({ examples: ['stolen_cards'] }),
    added: Type.Integer({ description: 'Number of new entries.', examples: [1] }),
    replaced: Type.Integer({
      description: 'Number of existing entries that got a new reason, author and expiry.',
      examples: [0],
    }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'ListEntriesAdded' },
);
export type ListEntriesAdded = Type.Static<typeof ListEntriesAdded>;

const entryFields = {
  entry_id: id('entry', 'The entry. A replaced entry gets a new id.'),
  kind,
  value: Type.String({
    description: `The normalised value that screening compares. \`${HIDDEN}\` without the permission \`read_personal\`, if it is an address, device, e-mail address or payment instrument.`,
    examples: ['198.51.100.24'],
  }),
  reason: nullable(Type.String({ examples: ['Card testing on 12 November.'] })),
  author: Type.String({ examples: ['analyst_7'] }),
  expires_at: nullable(timestamp('When the entry expires.')),
  created_at: timestamp('When the entry was added or replaced.'),
};
export const ListEntry = Type.Object(entryFields, { $id: 'ListEntry' });
export type ListEntry = Type.Static<typeof ListEntry>;

export const ListEntryQuery = Type.Object({
  kind: Type.Optional(Type.Enum(LIST_KINDS, { description: 'Only entries of this kind.' })),
  value: Type.Optional(value('Only entries with this value, in any notation.')),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' })),
  before: Type.Optional(id('entry', 'Cursor: the last `entry_id` of the previous page.')),
});
export type ListEntryQuery = Type.Static<typeof ListEntryQuery>;

export const ListEntryRemoval = Type.Object({
  kind,
  value: value('The value to remove, in any notation.'),
});
export type ListEntryRemoval = Type.Static<typeof ListEntryRemoval>;

export const ListEntryList = Type.Object(
  { entries: Type.Array(ListEntry), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'ListEntryList', description: 'Newest first, without expired entries.' },
);
export type ListEntryList = Type.Static<typeof ListEntryList>;

export const ListCheckRequest = Type.Object(
  {
    user_id: Type.Optional(userId),
    ip_address: Type.Optional(ipAddress),
    device_token: Type.Optional(deviceName),
    email: Type.Optional(email),
    payment_fingerprint: Type.Optional(paymentFingerprint('Your token of the payment instrument.')),
    counterparty_id: Type.Optional(callerId('The payee.', 'shop_77')),
    country: Type.Optional(
      text(2, 2, {
        description: 'ISO 3166-1 alpha-2 code of the IP address, billing or shipping country.',
        examples: ['DE'],
      }),
    ),
  },
  { $id: 'ListCheckRequest', description: 'Fields as in a transaction. The check stores and counts nothing.' },
);
export type ListCheckRequest = Type.Static<typeof ListCheckRequest>;

export const ListCheck = Type.Object(
  {
    matches: Type.Array(
      Type.Object({ list_id: Type.String({ examples: ['stolen_cards'] }), treatment, ...entryFields }),
    ),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'ListCheck', description: 'The matching entries of all lists.' },
);
export type ListCheck = Type.Static<typeof ListCheck>;
