import type { AuditFinding } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import type { Seal } from '../secrets/seal.ts';
import { continues, NO_ENTRY, type Position } from './chain.ts';
import { type AuditRow, entriesAfter, hashesOfOthers } from './store.ts';

/** Neighbours on each side that are compared with a moved entry. */
const NEIGHBOURS = 16;

interface Context {
  readonly backend: Backend;
  readonly seal: Seal;
  readonly tenant: number;
}

/** Whether the log continues without the row. */
const isInserted = async (
  { backend, seal, tenant }: Context,
  row: AuditRow,
  last: Position,
  head: Position | undefined,
): Promise<boolean> => {
  if (head !== undefined && row.number > head.number) return true;
  const [next] = (await entriesAfter(backend, tenant, row.number, 1)).rows;
  return next !== undefined && continues(seal, tenant, last.hash, next);
};

/** Whether the row has the content of an entry with another number of the same log. */
const isMoved = async ({ backend, seal, tenant }: Context, row: AuditRow): Promise<boolean> => {
  const from = Math.max(0, row.number - NEIGHBOURS - 1);
  const { rows } = await entriesAfter(backend, tenant, from, 2 * NEIGHBOURS + 1);
  const previous = [NO_ENTRY, ...rows.map(({ hash }) => hash)];
  return rows
    .filter(({ number }) => number !== row.number)
    .some(({ number, hash }) => {
      const moved = { ...row, number };
      return previous.some((one) => [row.hash, hash].some((found) => continues(seal, tenant, one, moved, found)));
    });
};

/** Whether the row is an entry of another tenant. */
const isForeign = async ({ backend, seal, tenant }: Context, row: AuditRow, before: string): Promise<boolean> => {
  const others = await hashesOfOthers(backend, tenant, row.number);
  return others.some(({ tenant: other, previous, hash }) =>
    [previous ?? NO_ENTRY, before, NO_ENTRY].some((one) =>
      [row.hash, hash ?? ''].some((found) => continues(seal, other, one, row, found)),
    ),
  );
};

/**
 * Names why a row does not continue the chain after `last`. The name is a best guess at what was done; that the row
 * does not fit is certain.
 */
export const nameBreak = async (
  context: Context,
  row: AuditRow,
  last: Position,
  head: Position | undefined,
): Promise<AuditFinding> => {
  // Written by the service when it found the newest entries missing, or the head forged.
  const isUnlinked = continues(context.seal, context.tenant, NO_ENTRY, row);
  if (row.number > last.number + 1) {
    if (!isUnlinked) return 'removed';
    if (last.number === 0) return 'emptied';
    return head?.number === last.number ? 'rolled_back' : 'truncated';
  }
  if (isUnlinked) return 'head_forged';
  if (await isInserted(context, row, last, head)) return 'inserted';
  if (await isMoved(context, row)) return 'reordered';
  return (await isForeign(context, row, last.hash)) ? 'from_another_account' : 'changed';
};
