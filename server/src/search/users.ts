import { type UserList, type UserSummary, writeTimestamp } from '@portcullis/contract';
import type { Answer, Call } from '../http/route.ts';
import { roundSum } from './figures.ts';
import { cursorAfter, pageOf, withRows } from './list.ts';
import { cursorNumber, endOfBudget, findNewest, lookFor, type SearchDeps } from './look.ts';
import { nameIn } from './names.ts';
import { figuresOf, findUsers, newestOf } from './user-store.ts';

const DEFAULT_LIMIT = 50;
/** Each candidate is compared with newer items of its user, so fewer are looked at in one read. */
const SCAN = 4000;
/** Items of a user that are counted, at most. */
const COUNTED = 1000;

const summaryOf = async (
  { search }: SearchDeps,
  tenant: number,
  userId: string,
  term: number,
  first: number,
): Promise<UserSummary | undefined> => {
  const range = { first, before: Number.MAX_SAFE_INTEGER };
  const of = { tenant, term, range, limit: COUNTED };
  const [figures, newest] = await Promise.all([figuresOf(search, of), newestOf(search, of)]);
  if (figures === undefined || newest === undefined) return undefined;
  return {
    user_id: userId,
    first_seen_at: writeTimestamp(figures.first),
    last_seen_at: writeTimestamp(figures.last),
    risk_score: newest.score,
    decision: newest.decision,
    items: figures.items,
    amount_usd: roundSum(figures.usd),
    review: figures.review,
    block: figures.block,
    fraud: figures.fraud,
  };
};

/** The two items of a cursor: the newest one of the first page, and the last one of the page before. */
const readCursor = async (deps: SearchDeps, tenant: number, before: string): Promise<[upTo: number, last: number]> => {
  const [first = '', last = ''] = before.split('~');
  return [await cursorNumber(deps, tenant, first), await cursorNumber(deps, tenant, last)];
};

export const listUsers = async (deps: SearchDeps, call: Call<'listUsers'>): Promise<Answer> => {
  const { limit = DEFAULT_LIMIT, before, ...filters } = call.query;
  const { tenant } = call.caller;
  const look = await lookFor(deps, call.caller, filters);
  const [upTo, last] =
    before === undefined ? [Number.MAX_SAFE_INTEGER, look.range.before] : await readCursor(deps, tenant, before);
  const from = { ...look, range: { ...look.range, before: Math.min(last, look.range.before) } };
  const found = await findNewest(
    deps,
    from,
    limit,
    (range, scan, most) => findUsers(deps.search, tenant, look.filter, upTo, range, scan, most),
    endOfBudget(deps),
    SCAN,
  );
  const shown = await withRows(deps.backend, tenant, found.items.slice(0, limit));
  const users = await Promise.all(
    shown.map(([{ user_term }, row]) =>
      summaryOf(deps, tenant, nameIn(row, 'user', call.tagOf) as string, user_term, look.range.first),
    ),
  );
  const cursor = cursorAfter(found, limit);
  const page = await pageOf(deps.backend, tenant, cursor, found.stoppedAt);
  const first = before?.split('~')[0] ?? (await firstOf(deps, tenant, shown[0]?.[0].seq ?? cursor));
  const list: UserList = {
    users: users.filter((user) => user !== undefined),
    ...page,
    next_before: page.next_before === null ? null : `${first}~${page.next_before}`,
    as_of: look.as_of,
  };
  return call.answer(list);
};

/** The id of the item that a following page begins to look at. Items that arrive later do not move a user. */
const firstOf = async ({ backend }: SearchDeps, tenant: number, seq: number | undefined): Promise<string | null> =>
  seq === undefined ? null : (await pageOf(backend, tenant, seq, undefined)).next_before;
