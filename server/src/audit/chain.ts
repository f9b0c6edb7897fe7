import { hash } from 'node:crypto';
import type { Seal } from '../secrets/seal.ts';
import type { AuditRow, Head, NewAuditRow } from './store.ts';

/** An entry by its number and hash. The hash covers all entries up to this one. */
export type Position = Pick<Head, 'number' | 'hash'>;

/**
 * `previous` of the first entry. Also of an entry that was written when the newest one could not be trusted: it stays
 * visible as an entry that continues nothing.
 */
export const NO_ENTRY = '';

/** The parts that the hash of an entry covers. */
const partsOf = (tenant: number, previous: string, row: Omit<NewAuditRow, 'hash'>): (string | number)[] => [
  'entry',
  tenant,
  previous,
  row.number,
  row.at,
  row.key_id,
  row.role,
  row.action,
  row.target,
  row.before,
  row.after,
];

/** Keyed, so that write access to the tables is not enough to forge a chain. */
export const hashOf = (seal: Seal, tenant: number, previous: string, row: Omit<NewAuditRow, 'hash'>): string =>
  seal.chain(partsOf(tenant, previous, row));

/**
 * The parts of an entry that a person was taken out of. Its hash is that of the values before, so the next entry still
 * continues it.
 */
const erasedParts = (tenant: number, previous: string, row: AuditRow): (string | number)[] => [
  'erased',
  ...partsOf(tenant, previous, row),
  row.hash,
];
/** Proves that the service replaced the values of an entry which continued `previous`. */
export const erasureOf = (seal: Seal, tenant: number, previous: string, row: AuditRow): string =>
  seal.chain(erasedParts(tenant, previous, row));

/** Whether the row, with the hash it has or another one, continues `previous`. */
export const continues = (seal: Seal, tenant: number, previous: string, row: AuditRow, found = row.hash): boolean =>
  row.erased === null
    ? seal.isChain(partsOf(tenant, previous, row), found)
    : found === row.hash && seal.isChain(erasedParts(tenant, previous, row), row.erased);

/**
 * The same for an entry that no head covers: signed with a retired key, it proves nothing. The holder of that key could
 * append it.
 */
export const continuesLive = (seal: Seal, tenant: number, previous: string, row: AuditRow): boolean =>
  row.erased === null
    ? seal.isLiveChain(partsOf(tenant, previous, row), row.hash)
    : seal.isLiveChain(erasedParts(tenant, previous, row), row.erased);

const headParts = (tenant: number, { number, hash: newest }: Position): (string | number)[] => [
  'head',
  tenant,
  number,
  newest,
];
/** Proves which entry is the newest. Without it, a chain with its end cut off would pass as complete. */
export const sealOf = (seal: Seal, tenant: number, head: Position): string => seal.chain(headParts(tenant, head));

/**
 * A head signed with a retired key proves nothing: the holder of that key could cut off the entries since and sign
 * another end. Entries before a genuine head may have been signed with a retired key, because its hash covers them.
 */
export const isGenuine = (seal: Seal, tenant: number, head: Head): boolean =>
  seal.isLiveChain(headParts(tenant, head), head.seal);

/**
 * Adds a row, as it was found, to a hash over rows that do not form a chain. It needs no key: the entry that accepts
 * the rows signs it.
 */
export const addAsFound = (tenant: number, found: string, row: AuditRow): string =>
  hash('sha256', JSON.stringify([...partsOf(tenant, found, row), row.hash]));

/** The action of an entry by which an operator accepts the log as it is. Its hash continues the rows as found. */
export const ACCEPTED = 'audit.accepted';
