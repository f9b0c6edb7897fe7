import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { GROUP_COLUMNS, type GroupRow } from './group-row.ts';
import { readError } from './open-database.ts';

/** Finds the group whose first entity has a key, by its id. */
const FIND_BY_ID = `SELECT ${GROUP_COLUMNS} FROM shelves s WHERE s.shelf = ?`;
/** Finds the group of any other entity, through the index. The group is missing if its row was damaged and replaced. */
const FIND_INDEXED = `SELECT ${GROUP_COLUMNS} FROM entities e LEFT JOIN shelves s ON s.shelf = e.shelf
  WHERE e.tenant = ? AND e.key = ? AND e."check" = ?`;
const LOWEST_ID = 'SELECT MIN(shelf) AS lowest FROM shelves';
const HAS_ID = 'SELECT 1 AS found FROM shelves WHERE shelf = ?';

const NO_BYTES = new Uint8Array(0);

/** A row whose numbers cannot be read counts as damaged. */
const readRow = (statement: StatementSync, id: number, ...params: number[]): GroupRow | undefined => {
  try {
    return statement.get(...params) as unknown as GroupRow | undefined;
  } catch (error) {
    // A number beyond 2⁵³ was never saved: a bit of it was flipped.
    if ((error as { code?: string }).code === 'ERR_OUT_OF_RANGE') return [id, 0, 0, NO_BYTES, 0, -1];
    throw readError(error);
  }
};

/**
 * Lets the reads of a task share one transaction, which begins with the first of them. A read by itself takes and gives
 * back a lock of the file, a fifth of its time.
 */
const makeSharedRead = (database: DatabaseSync) => {
  const begin = database.prepare('BEGIN');
  const commit = database.prepare('COMMIT');
  let isShared = false;
  return {
    beforeRead: (): void => {
      if (isShared && !database.isTransaction) begin.run();
    },
    inOneRead: <T>(task: () => T): T => {
      isShared = true;
      try {
        return task();
      } finally {
        isShared = false;
        if (database.isTransaction) commit.run();
      }
    },
  };
};

/** Reads groups from disk, and chooses the ids of new ones. */
export const makeGroupFinder = (database: DatabaseSync) => {
  const { beforeRead, inOneRead } = makeSharedRead(database);
  const byId = database.prepare(FIND_BY_ID);
  const indexed = database.prepare(FIND_INDEXED);
  const hasId = database.prepare(HAS_ID);
  byId.setReturnArrays(true);
  indexed.setReturnArrays(true);
  let lowest = Math.min(0, Number(database.prepare(LOWEST_ID).get()?.lowest ?? 0));
  return {
    byId: (id: number): GroupRow | undefined => {
      beforeRead();
      return readRow(byId, id, id);
    },
    indexed: (tenant: number, key: number, check: number): GroupRow | undefined => {
      beforeRead();
      return readRow(indexed, 0, tenant, key, check);
    },
    hasId: (id: number): boolean => hasId.get(id) !== undefined,
    /** Runs a task that reads groups. */
    inOneRead,
    /** An id that is the key of no entity, for a group whose own id is taken. */
    spareId: (): number => --lowest,
  };
};
export type GroupFinder = ReturnType<typeof makeGroupFinder>;
