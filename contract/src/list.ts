import Type from 'typebox';
import { id } from './ids.ts';
import { deviceName, email, ipAddress, userId } from './subject.ts';
import { callerId, moment, nullable, text, timestamp } from './text.ts';
import { DecisionValue, Warnings } from './verdict.ts';

/** What a list may hold. The order is kept in memory only. */
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

/** What an account can have, in one environment. */
export const MAX_LISTS = 100;
export const MAX_LIST_ENTRIES = 1_000_000;
export const MAX_ENTRIES_AT_ONCE = 1000;
/** Trust ends: an entry of a list that is trusted expires, at the latest after this many days. */
export const MAX_TRUSTED_DAYS = 365;

const NAME_PATTERN = '^[a-z][a-z0-9_]{0,63}$';
const name = Type.Refine(
  Type.String({
    pattern: NAME_PATTERN,
    description: 'Small letters, digits and `_`, up to 64 characters. It names the list in paths, rules and signals.',
    examples: ['stolen_cards'],
  }),
  (value) => new RegExp(NAME_PATTERN).test(value),
  () => 'must begin with a letter a to z and have up to 64 small letters, digits and underscores',
);
const description = text(0, 500, { description: 'For people.', examples: ['Cards reported as stolen.'] });
const treatment = Type.Enum(TREATMENTS, {
  description:
    'What being on it means: `block`, `review`, or `trusted` for `allow`. With `none` it means nothing by itself, and rules may ask for it.',
  examples: ['block'],
});

export const ListRequest = Type.Object(
  {
    name,
    description: Type.Optional(description),
    treatment: Type.Optional(Type.Enum(TREATMENTS, { default: 'none', examples: ['block'] })),
  },
  { $id: 'ListRequest' },
);
export type ListRequest = Type.Static<typeof ListRequest>;

export const ListChange = Type.Object(
  { description: Type.Optional(description), treatment: Type.Optional(treatment) },
  { $id: 'ListChange', description: 'What is left out stays as it is.' },
);
export type ListChange = Type.Static<typeof ListChange>;

export const List = Type.Object(
  {
    list_id: Type.String({ description: 'The name.', examples: ['stolen_cards'] }),
    name: Type.String({ examples: ['stolen_cards'] }),
    description: Type.String({ examples: ['Cards reported as stolen.'] }),
    treatment,
    built_in: Type.Boolean({ description: 'Built-in lists cannot be changed or deleted.', examples: [false] }),
    entry_count: Type.Integer({ description: 'Without those that are expired.', examples: [214] }),
    entries: Type.Optional(
      Type.Array(Type.Object({ ip_address: Type.String({ examples: ['203.0.113.2'] }), decision: DecisionValue }), {
        description: 'Of `test_addresses` alone. Those of other lists have a path of their own.',
      }),
    ),
    created_at: nullable(timestamp('When it was made; `null` when it is built in.')),
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

const kind = Type.Enum(LIST_KINDS, { description: 'What the value is.', examples: ['ip_address'] });
const EntryRequest = Type.Object(
  {
    kind,
    value: text(1, 4096, {
      description:
        'An `ip_address` may be a network such as 198.51.100.0/24. An `email_domain` stands for its subdomains too.',
      examples: ['198.51.100.24'],
    }),
    reason: Type.Optional(text(0, 500, { description: 'For people.', examples: ['Card testing on 12 November.'] })),
    author: Type.Optional(callerId('Who put it there. Absent: the key.', 'analyst_7')),
    expires_at: Type.Optional(
      moment(
        `From this millisecond on the entry counts for nothing. Required on a list that is \`trusted\`, at most ${MAX_TRUSTED_DAYS} days ahead.`,
        '2027-02-14T00:00:00Z',
      ),
    ),
  },
  { $id: 'ListEntryRequest' },
);
export type ListEntryRequest = Type.Static<typeof EntryRequest>;

export const ListEntriesRequest = Type.Object(
  { entries: Type.Array(EntryRequest, { minItems: 1, maxItems: MAX_ENTRIES_AT_ONCE }) },
  { $id: 'ListEntriesRequest', description: 'All of them are taken, or none.' },
);
export type ListEntriesRequest = Type.Static<typeof ListEntriesRequest>;

export const ListEntriesAdded = Type.Object(
  {
    list_id: Type.String({ examples: ['stolen_cards'] }),
    added: Type.Integer({ description: 'Those that were not there.', examples: [1] }),
    replaced: Type.Integer({ description: 'Those that were there: reason, author and expiry are new.', examples: [0] }),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'ListEntriesAdded' },
);
export type ListEntriesAdded = Type.Static<typeof ListEntriesAdded>;

const entryMembers = {
  entry_id: id('entry', 'The entry, as it is now: one that is replaced gets another.'),
  kind,
  value: Type.String({ description: 'In the spelling that screening compares.', examples: ['198.51.100.24'] }),
  reason: nullable(Type.String({ examples: ['Card testing on 12 November.'] })),
  author: Type.String({ examples: ['analyst_7'] }),
  expires_at: nullable(timestamp('From this millisecond on it counts for nothing.')),
  created_at: timestamp('When it was added or replaced.'),
};
export const ListEntry = Type.Object(entryMembers, { $id: 'ListEntry' });
export type ListEntry = Type.Static<typeof ListEntry>;

export const ListEntryQuery = Type.Object({
  kind: Type.Optional(Type.Enum(LIST_KINDS, { description: 'Only entries of this kind.' })),
  value: Type.Optional(text(1, 4096, { description: 'Only entries with this value, in any spelling.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many to return.' })),
  before: Type.Optional(id('entry', 'Only older ones: the last `entry_id` of the page before.')),
});
export type ListEntryQuery = Type.Static<typeof ListEntryQuery>;

export const ListEntryRemoval = Type.Object({
  kind,
  value: text(1, 4096, { description: 'The value to take off the list, in any spelling.' }),
});
export type ListEntryRemoval = Type.Static<typeof ListEntryRemoval>;

export const ListEntryList = Type.Object(
  { entries: Type.Array(ListEntry), has_more: Type.Boolean({ examples: [false] }) },
  { $id: 'ListEntryList', description: 'Newest first, without those that are expired.' },
);
export type ListEntryList = Type.Static<typeof ListEntryList>;

export const ListCheckRequest = Type.Object(
  {
    user_id: Type.Optional(userId),
    ip_address: Type.Optional(ipAddress),
    device_token: Type.Optional(deviceName),
    email: Type.Optional(email),
    payment_fingerprint: Type.Optional(callerId('Your token of the payment instrument.', 'pm_6d41aa')),
    counterparty_id: Type.Optional(callerId('Who is paid.', 'shop_77')),
    country: Type.Optional(
      text(2, 2, { description: 'ISO 3166-1 alpha-2: of the address, of billing or of shipping.', examples: ['DE'] }),
    ),
  },
  { $id: 'ListCheckRequest', description: 'Members as of a transaction. Nothing is stored or counted.' },
);
export type ListCheckRequest = Type.Static<typeof ListCheckRequest>;

export const ListCheck = Type.Object(
  {
    matches: Type.Array(
      Type.Object({ list_id: Type.String({ examples: ['stolen_cards'] }), treatment, ...entryMembers }),
    ),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'ListCheck', description: 'The entries that it meets, on any list.' },
);
export type ListCheck = Type.Static<typeof ListCheck>;
