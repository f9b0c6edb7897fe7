import type { DecisionValue, FeedType, SubjectType } from '@portcullis/contract';
import type { Statement } from '../backend/backend.ts';
import type { Projection } from '../backend/projection.ts';
import type { SearchReader } from './query-store.ts';

/** The SQL of the events of the live feed. */

/** An event, with the id of its screening. */
export interface FeedRow {
  readonly number: number;
  readonly type: Exclude<FeedType, 'feed.gap'>;
  readonly at: number;
  readonly id: string;
  readonly subject_type: SubjectType;
  readonly has_case: 0 | 1;
  readonly score: number;
  readonly decision: DecisionValue;
}
/**
 * An event that is not numbered yet. `seq` is the number of the screening, label or change of a case that it comes from,
 * and `entry` identifies it: the number of a change, which another entry may have, is negative there.
 */
export interface NewEvent extends Omit<FeedRow, 'number'> {
  readonly tenant: number;
  readonly seq: number;
  readonly entry: number;
}

const COLUMNS = 'number, type, at, id, subject_type, has_case, score, decision';

/** Writes nothing if the entry has its event already: a rebuild reads every entry again. */
export const insertEvent = (number: number, event: NewEvent): Statement => ({
  sql: `INSERT INTO search_feed (${COLUMNS}, tenant, entry) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (entry) DO NOTHING`,
  params: [
    ...[number, event.type, event.at, event.id, event.subject_type, event.has_case, event.score, event.decision],
    ...[event.tenant, event.entry],
  ],
});

/** The number of the newest event of all tenants; 0 without one. */
export const newestNumber = async ({ read }: Pick<Projection, 'read'>): Promise<number> =>
  (await read<{ number: number }>('SELECT COALESCE(MAX(number), 0) AS number FROM search_feed'))[0]?.number ?? 0;

export const deleteOldEvents = async ({ write }: Pick<Projection, 'write'>, before: number): Promise<void> => {
  await write([{ sql: 'DELETE FROM search_feed WHERE number < ?', params: [before] }]);
};

/** Events of a tenant after a position, the oldest first. */
export const eventsAfter = (search: SearchReader, tenant: number, after: number, limit: number): Promise<FeedRow[]> =>
  search.readLong(
    tenant,
    `SELECT ${COLUMNS} FROM search_feed WHERE tenant = ? AND number > ? ORDER BY number LIMIT ?`,
    tenant,
    after,
    limit,
  );

/** The position of a tenant's newest event; 0 without one. */
export const newestEvent = async (search: SearchReader, tenant: number): Promise<number> =>
  (
    await search.readLong<{ number: number }>(
      tenant,
      'SELECT number FROM search_feed WHERE tenant = ? ORDER BY number DESC LIMIT 1',
      tenant,
    )
  )[0]?.number ?? 0;

/** Whether a tenant has more than `max` events after a position. */
export const hasMoreAfter = async (
  search: SearchReader,
  tenant: number,
  after: number,
  max: number,
): Promise<boolean> => {
  const sql = 'SELECT number FROM search_feed WHERE tenant = ? AND number > ? ORDER BY number LIMIT 1 OFFSET ?';
  return (await search.readLong(tenant, sql, tenant, after, max)).length > 0;
};
