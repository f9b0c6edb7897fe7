import { ENTITY_KINDS, type EntityKind } from '@portcullis/engine';

/**
 * Kinds of entity that get a group of their own: users, and kinds that many users share. An entity that many users
 * share would keep the whole group of one user in memory. Entities of the other kinds mostly belong to one user.
 */
const SEPARATE: readonly EntityKind[] = ['user', 'network', 'counterparty', 'asn', 'domain', 'likeness', 'account'];
export const HAS_OWN_GROUP = ENTITY_KINDS.map((kind) => SEPARATE.includes(kind));
