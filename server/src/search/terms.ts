import { hash53, type IdentitiesOf, kindIndex, type RelatedKind, type Subject } from '@portcullis/engine/stored';
import { domainOf } from '../knowledge/email-domains.ts';

/**
 * A term is a number for one value that screenings can be looked up by. Values that belong to a person are their keyed
 * identities. Names of signals, rules and countries are no secret and not chosen by a sender.
 */

/** The kinds of entities that can be looked up. */
export const ENTITY_TERMS = [
  'user',
  'fingerprint',
  'device',
  'email',
  'ip',
  'counterparty',
  'network',
  'domain',
] as const;
export type EntityTerm = (typeof ENTITY_TERMS)[number] & RelatedKind;
export type NameTerm = 'rule' | 'signal' | 'country' | 'model';

export const nameTerm = (kind: NameTerm, name: string): number => hash53(`${kind} ${name}`);

/** The term of a tenant's entity, in the spelling in which it is counted. */
export const entityTerm = (identities: IdentitiesOf, tenant: number, kind: EntityTerm, name: string): number => {
  const keys: number[] = [];
  identities(tenant)(kindIndex[kind], name, keys, []);
  return keys[kindIndex[kind]] as number;
};

/** The e-mail domain of a subject, which is an entity of its history only where it is no free provider's. */
const domainTerm = (
  identities: IdentitiesOf,
  tenant: number,
  { request: { email } }: Pick<Subject, 'request'>,
): number => (email === undefined ? NO_ENTITY : entityTerm(identities, tenant, 'domain', domainOf(email)));

export const NO_ENTITY = 0;
export const NO_ENTITIES: readonly number[] = ENTITY_TERMS.map(() => NO_ENTITY);
const DOMAIN_AT = ENTITY_TERMS.indexOf('domain');

/** The terms of a subject's entities, in the order of ENTITY_TERMS; `NO_ENTITY` where it has none. */
export const entityTermsOf = (identities: IdentitiesOf, tenant: number, subject: Subject): number[] => {
  const terms: number[] = [];
  for (const kind of ENTITY_TERMS) terms.push(subject.hashes[kindIndex[kind]] as number);
  terms[DOMAIN_AT] = domainTerm(identities, tenant, subject);
  return terms;
};

/** The terms of signals and other names, each once. */
export const nameTermsOf = (names: Readonly<Partial<Record<NameTerm, readonly string[]>>>): number[] => {
  const terms: number[] = [];
  for (const kind in names)
    for (const name of names[kind as NameTerm] as readonly string[]) {
      const term = nameTerm(kind as NameTerm, name);
      if (!terms.includes(term)) terms.push(term);
    }
  return terms;
};

/**
 * Terms as the bytes of an item: the entities, each in a place of its own, then the names. Groups and links read the
 * places, and everything is read again when the item is removed.
 */
export const packTerms = (entities: readonly number[], names: readonly number[]): Uint8Array => {
  const terms = new Float64Array(entities.length + names.length);
  terms.set(entities);
  terms.set(names, entities.length);
  return new Uint8Array(terms.buffer);
};
export const unpackTerms = (bytes: Uint8Array): number[] => [...new Float64Array(Uint8Array.from(bytes).buffer)];

export const splitTerms = (bytes: Uint8Array): { readonly entities: number[]; readonly names: number[] } => {
  const terms = unpackTerms(bytes);
  return { entities: terms.slice(0, ENTITY_TERMS.length), names: terms.slice(ENTITY_TERMS.length) };
};

const TERM_BYTES = Float64Array.BYTES_PER_ELEMENT;
/** SQL expression: the bytes of the term of one kind. */
export const placeOf = (kind: EntityTerm): string =>
  `substr(i.terms, ${1 + TERM_BYTES * ENTITY_TERMS.indexOf(kind)}, ${TERM_BYTES})`;
