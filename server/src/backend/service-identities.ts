import { maskIdentifier } from '@portcullis/contract/values';
import { type Identify, type IdentitiesOf, kindIndex, makeIdentities } from '@portcullis/engine/stored';
import { makeIdentifierTags } from '../runtime/identifier-tags.ts';

/** Kinds whose names the caller chose. */
const { user, device, email, counterparty, domain } = kindIndex;
const NAMED: ReadonlySet<number> = new Set([user, device, email, counterparty, domain]);

/**
 * Identities for reading stored screenings. Those of release 0.1.0 can hold names that look like card numbers, which are
 * masked since: both spellings have the identity of the masked name, so that the history goes on.
 */
export const makeServiceIdentities = (identityKey: Uint8Array): IdentitiesOf => {
  const identities = makeIdentities(identityKey);
  const tags = makeIdentifierTags(identityKey);
  const masking = (tenant: number): Identify => {
    const identify = identities(tenant);
    const tagOf = tags(tenant);
    return (kind, name, keys, checks) =>
      identify(kind, NAMED.has(kind) ? maskIdentifier(name, tagOf) : name, keys, checks);
  };
  const tenants = new Map<number, Identify>();
  return (tenant) => {
    const known = tenants.get(tenant) ?? masking(tenant);
    tenants.set(tenant, known);
    return known;
  };
};
