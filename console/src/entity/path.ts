import type { Entity } from '@portcullis/client';
import { explorerPath } from '../explorer/path.ts';

export type EntityKind = Entity['kind'];

/** The filter of screenings for each kind. */
export const ENTITY_FILTERS: Readonly<Record<EntityKind, string>> = {
  user: 'user_id',
  device: 'device_token',
  ip_address: 'ip_address',
  email: 'email',
  payment_fingerprint: 'payment_fingerprint',
  counterparty: 'counterparty_id',
  network: 'network',
  email_domain: 'email_domain',
};
export const isEntityKind = (kind: string): kind is EntityKind => kind in ENTITY_FILTERS;

/** All items with a value; undefined if nothing is found by this kind. */
export const entityItemsPath = (kind: string, value: string): string | undefined =>
  isEntityKind(kind) ? explorerPath({ terms: [`${ENTITY_FILTERS[kind]}:${value}`], range: '90d' }) : undefined;

/** The address of the page with an entity open beside it, or none. */
export const withEntity = (search: string, entity: string | undefined): string => {
  const params = new URLSearchParams(search);
  if (entity === undefined) params.delete('entity');
  else params.set('entity', entity);
  return params.size === 0 ? '' : `?${params}`;
};
