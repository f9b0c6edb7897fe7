import Type from 'typebox';
import { withCardRule } from './card-numbers/rule.ts';
import { text, timestamp } from './text.ts';

export const LINK_KINDS = ['user', 'device', 'ip_address', 'email', 'payment_fingerprint', 'counterparty'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

export const LinkQuery = Type.Object(
  {
    of: withCardRule(
      text(3, 4200, {
        description: `Where to begin: a kind, a colon and a value. Kinds: ${LINK_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
        examples: ['user:user_1842'],
      }),
      'identifier',
    ),
    hops: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2,
        default: 1,
        description: '1: what the entity was used with. 2: what those were used with, too.',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 2, maximum: 150, default: 50, description: 'Number of nodes.' })),
  },
  { $id: 'LinkQuery' },
);
export type LinkQuery = Type.Static<typeof LinkQuery>;

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] });

export const LinkNode = Type.Object(
  {
    id: Type.String({ description: 'Kind, colon and value.', examples: ['device:dvc_8f14e45f'] }),
    kind: Type.Enum(LINK_KINDS, { examples: ['device'] }),
    value: Type.String({ examples: ['dvc_8f14e45f'] }),
    hops: Type.Integer({ minimum: 0, maximum: 2, description: 'Distance from the first node.', examples: [1] }),
    items: count('Its newest items of the last 90 days, up to 300. The other figures are about these.', 12),
    users: count('Number of different users. 1 for a user.', 2),
    confirmed_fraud: count('Items with the label `fraud`.', 1),
    first_seen_at: timestamp('The oldest of them.'),
    last_seen_at: timestamp('The newest of them.'),
    hub: Type.Boolean({
      description:
        'Whether more than 20 users share it, such as the address of a mobile network or a large shop. Sharing a hub means little, so the users of a hub are not followed.',
      examples: [false],
    }),
  },
  { $id: 'LinkNode' },
);
export type LinkNode = Type.Static<typeof LinkNode>;

export const LinkEdge = Type.Object(
  {
    from: Type.String({ description: 'The `id` of a user.', examples: ['user:user_1842'] }),
    to: Type.String({ description: 'The `id` of what the user used.', examples: ['device:dvc_8f14e45f'] }),
    items: count('Items with both.', 3),
    last_seen_at: timestamp('The newest of them.'),
  },
  { $id: 'LinkEdge' },
);
export type LinkEdge = Type.Static<typeof LinkEdge>;

export const LINK_CUTS = ['nodes', 'items', 'hubs', 'time'] as const;

export const Links = Type.Object(
  {
    nodes: Type.Array(LinkNode, { description: 'The first node comes first, then by distance.' }),
    edges: Type.Array(LinkEdge),
    cut: Type.Array(Type.Enum(LINK_CUTS), {
      description:
        'What was left out. `nodes`: more than `limit`. `items`: a node has more than its newest 300 items. `hubs`: users of a hub. `time`: the search stopped at its time limit; with no nodes at all, the store is busy, and a later request may find more.',
      examples: [['hubs']],
    }),
    as_of: timestamp('Everything that was stored before this time is included.'),
  },
  { $id: 'Links', description: 'Users and what they share. Empty if the first value is unknown.' },
);
export type Links = Type.Static<typeof Links>;
