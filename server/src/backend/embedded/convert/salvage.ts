import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type Arena, entityCount, makeArena, readEntityGroup } from '@portcullis/engine';
import { GROUP_COLUMNS, type GroupRow, isIntact, isMisplaced } from '../group-row.ts';
import type { NewFile } from './new-file.ts';

/** Rows read before the first error, from one end of the table. */
function* readUntilError(database: DatabaseSync, order: 'ASC' | 'DESC'): Generator<GroupRow> {
  try {
    const statement = database.prepare(`SELECT ${GROUP_COLUMNS} FROM shelves s ORDER BY s.shelf ${order}`);
    statement.setReturnArrays(true);
    const noParams: SQLInputValue[] = [];
    for (const row of statement.iterate(...noParams)) yield row as unknown as GroupRow;
  } catch {
    // The next page cannot be read. The other end of the table is read next.
  }
}

/** Puts a group in the layout of this version into an arena; 0 if it is damaged. */
export type ReadGroup = (arena: Arena, tenant: number, bytes: Uint8Array) => number;
export const readAsIs: ReadGroup = (arena, _, bytes) => readEntityGroup(arena, bytes);

/**
 * Copies the intact groups of a malformed file: those before the first page that cannot be read, and those after the
 * last one. Returns how many.
 */
export const salvage = (malformed: DatabaseSync, target: NewFile, readGroup: ReadGroup): number => {
  const arena = makeArena(2 ** 16);
  const seen = new Set<number>();
  for (const order of ['ASC', 'DESC'] as const)
    for (const row of readUntilError(malformed, order)) {
      const [id, tenant, through, bytes] = row;
      if (seen.has(id)) break;
      seen.add(id);
      if (!isIntact(row) && !isMisplaced(row)) continue;
      arena.clear();
      const group = readGroup(arena, tenant, bytes);
      if (group !== 0 && entityCount(arena, group) > 0) target.add(arena, group, tenant, through);
    }
  return seen.size;
};
