import Type from 'typebox';
import { withCardRule } from './card-numbers/rule.ts';
import { nullable, text, timestamp } from './text.ts';

/** What the search box can find. */
export const HIT_KINDS = [
  'transaction',
  'event',
  'decision',
  'case',
  'user',
  'device',
  'ip_address',
  'network',
  'email',
  'payment_fingerprint',
  'counterparty',
] as const;
export type HitKind = (typeof HIT_KINDS)[number];

export const SearchQuery = Type.Object(
  {
    q: withCardRule(
      text(1, 4096, {
        description:
          'An id of the service, an IP address or network, an e-mail address, or your id of a user, device, payment instrument or payee. Whole values are found, not parts of them.',
        examples: ['ada@example.com'],
      }),
      'identifier',
    ),
  },
  { $id: 'SearchQuery' },
);
export type SearchQuery = Type.Static<typeof SearchQuery>;

export const SearchHit = Type.Object(
  {
    kind: Type.Enum(HIT_KINDS, { examples: ['email'] }),
    id: Type.String({
      description: 'The id, or the value as screening counts it: an e-mail address as its mailbox.',
      examples: ['ada@example.com'],
    }),
    items: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Number of screenings with it, counted up to 1,000.',
      examples: [12],
    }),
    last_seen_at: timestamp('When the newest of them was screened.'),
    subject_id: nullable(Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] }), {
      description: 'The newest of them. `null` where only the case is still stored.',
    }),
  },
  { $id: 'SearchHit' },
);
export type SearchHit = Type.Static<typeof SearchHit>;

export const SearchResult = Type.Object(
  {
    hits: Type.Array(SearchHit),
    as_of: timestamp('Every item that was stored before this time is included.'),
  },
  { $id: 'SearchResult', description: 'Everything that the text may mean. Empty if nothing is known by it.' },
);
export type SearchResult = Type.Static<typeof SearchResult>;
