import type { DatabaseSync } from 'node:sqlite';
import { numbersChecksum } from '../checksum.ts';
import type { BloomFilter } from './bloom-filter.ts';
import { GROUP_COLUMNS, type GroupRow, isIntact, isMisplaced } from './group-row.ts';

const ENTITIES_AT_ONCE = 1000;
const GROUPS_AT_ONCE = 200;
const PAUSE_MS = 10;
/** The service becomes ready first: each step of the scan would delay that by some milliseconds. */
const STARTS_AFTER_MS = 500;

type EntityRow = [tenant: number, key: number, check: number, id: number, checksum: number];
const NEXT_ENTITIES = `SELECT tenant, key, "check", shelf, checksum FROM entities WHERE (tenant, key, "check") > (?, ?, ?)
  ORDER BY tenant, key, "check" LIMIT ${ENTITIES_AT_ONCE}`;
const NEXT_GROUPS = `SELECT ${GROUP_COLUMNS} FROM shelves s WHERE s.shelf > ? ORDER BY s.shelf LIMIT ${GROUPS_AT_ONCE}`;

const isBefore = (a: readonly number[], b: readonly number[]): boolean => {
  const differs = a.findIndex((number, i) => number !== b[i]);
  return differs !== -1 && (a[differs] as number) < (b[differs] as number);
};

export interface ScanHooks {
  readonly onDamaged: (row: GroupRow) => void;
  /** The index is damaged, so entities may not be found. */
  readonly onDamagedIndex: () => void;
  readonly onScanned: () => void;
  /** The file cannot be read at some place. The filter stays incomplete. */
  readonly onError: (error: unknown) => void;
}

/**
 * Reads the whole file in the background after the start: fills the Bloom filter, and finds damaged rows before an
 * entity needs them.
 */
export const scanGroups = (
  database: DatabaseSync,
  filter: BloomFilter,
  { onDamaged, onDamagedIndex, onScanned, onError }: ScanHooks,
) => {
  const nextEntities = database.prepare(NEXT_ENTITIES);
  const nextGroups = database.prepare(NEXT_GROUPS);
  nextEntities.setReturnArrays(true);
  nextGroups.setReturnArrays(true);
  let timer: NodeJS.Timeout | undefined;
  const later = (work: () => void, afterMs = PAUSE_MS): void => {
    timer = setTimeout(attempt, afterMs, work);
    timer.unref();
  };
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onError(error);
    }
  };
  const scanRows = (after: number): void => {
    const rows = nextGroups.all(after) as unknown as GroupRow[];
    let last = after;
    for (const row of rows) {
      const isSound = isIntact(row);
      // Out of order, or with another id, a row is not found by its id.
      if (!(row[0] > last) || (!isSound && isMisplaced(row))) {
        onDamagedIndex();
        return;
      }
      last = row[0];
      // The id of a group is the key of its first entity, unless another group has that id.
      if (row[0] > 0) filter.add(row[0]);
      if (!isSound) onDamaged(row);
    }
    if (rows.length < GROUPS_AT_ONCE) {
      filter.complete();
      onScanned();
    } else later(() => scanRows(last));
  };
  const scanEntities = (after: readonly [tenant: number, key: number, check: number]): void => {
    const rows = nextEntities.all(...after) as unknown as EntityRow[];
    let last = after;
    for (const [tenant, key, check, id, checksum] of rows) {
      const entity = [tenant, key, check] as const;
      if (checksum !== numbersChecksum(...entity, id) || !isBefore(last, entity)) {
        onDamagedIndex();
        return;
      }
      filter.add(key);
      last = entity;
    }
    if (rows.length < ENTITIES_AT_ONCE) later(() => scanRows(Number.MIN_SAFE_INTEGER));
    else later(() => scanEntities(last));
  };
  // The delay begins when the event loop is free: opening the store blocks it while histories are recovered.
  later(() => later(() => scanEntities([-1, -1, -1]), STARTS_AFTER_MS), 0);
  return { stop: (): void => clearTimeout(timer) };
};
