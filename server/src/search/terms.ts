import { hash53, type IdentitiesOf, kindIndex, type RelatedKind, type Subject } from '@portcullis/engine';

/**
 * A term is a number for one value that screenings can be looked up by. Values that belong to a person are their keyed
 * identities. Names of signals, rules and countries are no secret and not chosen by a sender.
 */

/** The kinds of entities that can be looked up. */
export const ENTITY_TERMS = ['user', 'fingerprint', 'device', 'email', 'ip', 'counterparty', 'network'] as const;
export type EntityTerm = (typeof ENTITY_TERMS)[number] & RelatedKind;
export type NameTerm = 'rule' | 'signal' | 'country';

export const nameTerm = (kind: NameTerm, name: string): number => hash53(`${kind} ${name}`);

/** The term of a tenant's entity, in the spelling in which it is counted. */
export const entityTerm = (identities: IdentitiesOf, tenant: number, kind: EntityTerm, name: string): number => {
  const keys: number[] = [];
  identities(tenant)(kindIndex[kind], name, keys, []);
  return keys[kindIndex[kind]] as number;
};

/** The terms of a screening, each once. */
export const termsOf = (
  { hashes }: Pick<Subject, 'hashes'>,
  names: Readonly<Record<NameTerm, readonly string[]>>,
): number[] => {
  const terms = new Set<number>();
  // 0 means that the subject has no such entity.
  for (const kind of ENTITY_TERMS) if (hashes[kindIndex[kind]] !== 0) terms.add(hashes[kindIndex[kind]] as number);
  for (const kind of ['rule', 'signal', 'country'] as const)
    for (const name of names[kind]) terms.add(nameTerm(kind, name));
  return [...terms];
};

/** Terms as the bytes of an item, from which they are read again when the item is removed. */
export const packTerms = (terms: readonly number[]): Uint8Array => new Uint8Array(Float64Array.from(terms).buffer);
export const unpackTerms = (bytes: Uint8Array): number[] => [...new Float64Array(Uint8Array.from(bytes).buffer)];
