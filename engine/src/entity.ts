/**
 * Who and what takes part in a subject. The order is the order of everything stored per entity: append only. A `device` is known by the key it
 * proves to hold, or by the caller's own name for it; its `likeness` by what the machine looks like, which many of one make share.
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
] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** What an entity can be seen with: the other entities, and what has no history of its own. */
export const RELATED_KINDS = [...ENTITY_KINDS, 'country', 'place', 'token'] as const;
export type RelatedKind = (typeof RELATED_KINDS)[number];

export const kindIndex = Object.fromEntries(RELATED_KINDS.map((kind, index) => [kind, index])) as Record<
  RelatedKind,
  number
>;

/** For each kind of entity, the kinds it is seen together with. */
export const RELATIONS = {
  user: ['ip', 'network', 'device', 'fingerprint', 'email', 'counterparty', 'asn', 'country', 'place', 'likeness'],
  ip: ['user', 'fingerprint', 'email'],
  network: ['user'],
  device: ['user', 'fingerprint', 'token'],
  fingerprint: ['user', 'ip', 'device'],
  email: ['user'],
  counterparty: ['user', 'fingerprint'],
  asn: ['user'],
  domain: ['user'],
  likeness: ['user', 'device', 'token'],
} as const satisfies Record<EntityKind, readonly RelatedKind[]>;

/** Of these is asked whether they were seen together, and never how many there were. */
const UNCOUNTED: readonly RelatedKind[] = ['likeness', 'token'];
/** For each kind of entity, the kinds whose distinct number is counted. */
export const countedRelations = (kind: EntityKind): RelatedKind[] =>
  RELATIONS[kind].filter((other) => !UNCOUNTED.includes(other));

/** As much of a hash as a number holds exactly. */
const HIGH_BITS = 21;
export const TWO_32 = 2 ** 32;

/**
 * 53 bits of a string: an entity is known by them alone, so that no name has to be kept or compared. Two of a kind that
 * collide would count as one; among ten million, the chance that any two do is one in two hundred.
 */
export const hash53 = (value: string): number => {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13);
  }
  low = Math.imul(low ^ (low >>> 16), 0x7feb352d);
  high = Math.imul(high ^ (high >>> 15) ^ low, 0x846ca68b);
  low ^= low >>> 15;
  high ^= high >>> 16;
  return (high >>> (32 - HIGH_BITS)) * TWO_32 + (low >>> 0);
};

const LONGEST_DEVICE_ID = 128;

/** A device token may be kilobytes long; a history is kept under a name of bounded length, and never half a character. */
export const deviceId = (token: string): string =>
  token.length <= LONGEST_DEVICE_ID
    ? token
    : `${token.slice(0, 64).toWellFormed()}~${hash53(token).toString(36)}~${token.length}`;
