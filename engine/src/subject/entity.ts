/**
 * The kinds of entities that take part in a subject. Everything stored per entity is in this order: append only. A
 * `device` is identified by the key it proves to hold, or by the caller's identifier for it. A `likeness` is a device
 * profile: the properties of the machine, which devices of one model share. A `shipping` is a postal address that goods are sent
 * to. The `account` is the caller's whole business in an environment: it takes part in every subject.
 */
export const ENTITY_KINDS = [
  'user',
  'ip',
  'network',
  'device',
  'fingerprint',
  'email',
  'counterparty',
  'asn',
  'domain',
  'likeness',
  'shipping',
  'account',
] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** An entity with windows and related entities. The account has only totals: a window of all its traffic would be large. */
export type DetailedKind = Exclude<EntityKind, 'account'>;
export const DETAILED_KINDS = ENTITY_KINDS.filter((kind): kind is DetailedKind => kind !== 'account');

/**
 * The kinds an entity can be related to: all entity kinds, and kinds without a history. A `recurring` is a payee with
 * an amount: the same one again and again is a subscription or a rent.
 */
export const RELATED_KINDS = [...ENTITY_KINDS, 'country', 'place', 'token', 'recurring'] as const;
export type RelatedKind = (typeof RELATED_KINDS)[number];

export const kindIndex = Object.fromEntries(RELATED_KINDS.map((kind, index) => [kind, index])) as Record<
  RelatedKind,
  number
>;

/** For each kind of entity, the related kinds that its history records. */
export const RELATIONS = {
  user: [
    'ip',
    'network',
    'device',
    'fingerprint',
    'email',
    'counterparty',
    'asn',
    'country',
    'place',
    'likeness',
    'shipping',
    'recurring',
  ],
  ip: ['user', 'fingerprint', 'email'],
  network: ['user'],
  device: ['user', 'fingerprint', 'token'],
  fingerprint: ['user', 'ip', 'device'],
  email: ['user'],
  counterparty: ['user', 'fingerprint'],
  asn: ['user'],
  domain: ['user'],
  likeness: ['user', 'device', 'token'],
  shipping: ['user', 'fingerprint'],
  account: [],
} as const satisfies Record<EntityKind, readonly RelatedKind[]>;

/** Related kinds whose distinct number is not counted: only whether they were seen together matters. */
const UNCOUNTED: readonly RelatedKind[] = ['likeness', 'token', 'recurring'];
/** The related kinds of an entity kind whose distinct number is counted. */
export const countedRelations = (kind: EntityKind): RelatedKind[] =>
  (RELATIONS[kind] as readonly RelatedKind[]).filter((other) => !UNCOUNTED.includes(other));
