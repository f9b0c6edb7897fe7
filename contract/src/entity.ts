import Type from 'typebox';
import { LINK_KINDS } from './links.ts';
import { ListCheck } from './list.ts';
import { Knowledge } from './screened-subject.ts';
import { nullable, timestamp } from './text.ts';

export const ENTITY_KINDS = [...LINK_KINDS, 'network', 'email_domain'] as const;
export type EntityName = (typeof ENTITY_KINDS)[number];

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] });

export const Entity = Type.Object(
  {
    kind: Type.Enum(ENTITY_KINDS, { examples: ['device'] }),
    value: Type.String({ description: 'As the service counts it.', examples: ['dvc_8f14e45f'] }),
    items: count('Its newest items of the last 90 days, up to 5,000. The figures below are about these.', 12),
    first_seen_at: nullable(timestamp('The oldest of them.')),
    last_seen_at: nullable(timestamp('The newest of them.')),
    users: count('Number of different users among them.', 2),
    by_decision: Type.Object(
      { allow: count('Allowed.', 9), review: count('In review.', 2), block: count('Blocked.', 1) },
      { description: 'By the decision that applies now, after any reviews.' },
    ),
    amount_usd: Type.Number({ description: 'Sum of their amounts in US dollars.', examples: [412.5] }),
    confirmed_fraud: count('Items with the label `fraud` now.', 1),
    knowledge: nullable(Knowledge, {
      description:
        'What the service knows of an address, a network, an e-mail address or its domain now. Fields that do not apply are `null`. `null` for other kinds.',
    }),
    lists: Type.Array(ListCheck.properties.matches.items, { description: 'The entries of lists that match it now.' }),
    as_of: timestamp('Everything that was stored before this time is included.'),
  },
  { $id: 'Entity', description: 'A user, or something that users share, in figures.' },
);
export type Entity = Type.Static<typeof Entity>;
