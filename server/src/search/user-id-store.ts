import type { Statement } from '../backend/backend.ts';
import type { Projection } from '../backend/projection.ts';
import { firstSeqAt } from '../runtime/ids.ts';
import { makeInsert } from './insert-rows.ts';
import type { SearchItem } from './item.ts';
import type { SearchReader } from './query-store.ts';
import { DAY_MS } from './sums.ts';

/** The SQL of the ids of users: the only text of a person in the projection. A user has a row while there are items. */

/** Numbers of one day. Days are counted from the first number on. */
const NUMBERS_A_DAY = firstSeqAt(DAY_MS) - firstSeqAt(0);
const dayOf = (seq: number): number => Math.floor(seq / NUMBERS_A_DAY);

/** A user who acts all day changes the row once a day. */
const putRows = makeInsert(
  'INSERT INTO search_users (tenant, user_id, user_term, newest_day)',
  '(?, ?, ?, ?)',
  `ON CONFLICT (tenant, user_id) DO UPDATE SET newest_day = excluded.newest_day
    WHERE search_users.newest_day < excluded.newest_day`,
);

interface UserRow {
  readonly tenant: number;
  readonly userId: string;
  readonly userTerm: number;
  readonly day: number;
}

/** Writes the users of items, each once and in the order of the table. */
export const putUsers = (items: readonly SearchItem[]): Statement[] => {
  const users = new Map<string, UserRow>();
  for (const { tenant, userId, userTerm, seq } of items) {
    if (userId === null) continue;
    const key = `${tenant} ${userId}`;
    const day = Math.max(dayOf(seq), users.get(key)?.day ?? 0);
    users.set(key, { tenant, userId, userTerm, day });
  }
  const inOrder = [...users.values()].sort((a, b) => a.tenant - b.tenant || (a.userId < b.userId ? -1 : 1));
  return putRows(inOrder.flatMap(({ tenant, userId, userTerm, day }) => [tenant, userId, userTerm, day]));
};

const ITEMS_OF = 'FROM search_terms t WHERE t.tenant = search_users.tenant AND t.term = search_users.user_term';
const OF_USER = 'WHERE tenant = ? AND user_id = ?';
const SETTLE = [
  `DELETE FROM search_users ${OF_USER} AND NOT EXISTS (SELECT 1 ${ITEMS_OF})`,
  `UPDATE search_users SET newest_day = COALESCE((SELECT d.seq / ${NUMBERS_A_DAY}
    FROM (SELECT t.seq ${ITEMS_OF} ORDER BY t.seq DESC LIMIT 1) d), newest_day) ${OF_USER}`,
];

/** Removes users who have no item any more, after items were erased. Others get the day of their newest one. */
export const settleUsers = async (
  { write }: Pick<Projection, 'write'>,
  tenant: number,
  users: readonly string[],
): Promise<void> => {
  const statements = users.flatMap((user) => SETTLE.map((sql) => ({ sql, params: [tenant, user] })));
  if (statements.length > 0) await write(statements);
};

/** A place in the order of the table. */
interface Place {
  readonly tenant: number;
  readonly user_id: string;
}
const START: Place = { tenant: 0, user_id: '' };
/** Users of one step. An index by day would cost every new user more than this walk does. */
const STEP = 20_000;
const AFTER = 'WHERE (tenant, user_id) > (?, ?)';
const STEP_END = `SELECT tenant, user_id FROM search_users ${AFTER} ORDER BY tenant, user_id LIMIT 1 OFFSET ${STEP - 1}`;
const DELETE_REST = `DELETE FROM search_users ${AFTER} AND newest_day < ?`;
const DELETE_STEP = `${DELETE_REST} AND (tenant, user_id) <= (?, ?)`;

/**
 * Deletes users whose newest item was of a day that ended before a number: nothing of that day can be found any more.
 * Each call looks at some users, and the next one continues after them.
 */
export const makeUserSweep = ({ read, write }: Pick<Projection, 'read' | 'write'>) => {
  let from = START;
  return async (before: number): Promise<void> => {
    const [end] = await read<Place>(STEP_END, from.tenant, from.user_id);
    const old = [from.tenant, from.user_id, dayOf(before)];
    await write([
      end === undefined
        ? { sql: DELETE_REST, params: old }
        : { sql: DELETE_STEP, params: [...old, end.tenant, end.user_id] },
    ]);
    from = end ?? START;
  };
};

export interface FoundUser {
  readonly user_id: string;
  readonly user_term: number;
}

/**
 * Up to `limit` users whose id begins with a text, in the order of bytes, after a user. Ids with the same start follow
 * each other from that start on, so the first other id ends them.
 */
export const usersFrom = async (
  search: SearchReader,
  tenant: number,
  start: string,
  after: string | undefined,
  limit: number,
): Promise<FoundUser[]> => {
  const rows = await search.readLong<FoundUser>(
    tenant,
    'SELECT user_id, user_term FROM search_users WHERE tenant = ? AND user_id >= ? ORDER BY user_id LIMIT ?',
    tenant,
    after ?? start,
    limit + 1,
  );
  const end = rows.findIndex(({ user_id }) => !user_id.startsWith(start));
  return (end < 0 ? rows : rows.slice(0, end)).filter(({ user_id }) => user_id !== after).slice(0, limit);
};
