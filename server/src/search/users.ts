import { type UserList, type UserSummary, writeTimestamp } from '@portcullis/contract';
import type { Answer, Call } from '../http/route.ts';
import { roundSum } from './figures.ts';
import { cursorAfter, pageOf, withRows } from './list.ts';
import { nameIn } from './names.ts';
import { cursorNumber, endOfBudget, findNewest, prepareSearch, type SearchDeps } from './prepare-search.ts';
import { summariesOf, type UserFigures } from './summary-store.ts';
import { findUsers } from './user-store.ts';
import { listUsersById } from './users-by-id.ts';

const DEFAULT_LIMIT = 50;
/** Each candidate is compared with newer items of its user, so fewer are looked at in one read. */
const SCAN = 4000;

const toSummary = (userId: string, figures: UserFigures): UserSummary => ({
  user_id: userId,
  first_seen_at: writeTimestamp(figures.first),
  last_seen_at: writeTimestamp(figures.last),
  risk_score: figures.score,
  decision: figures.decision,
  items: figures.items,
  amount_usd: roundSum(figures.usd),
  review: figures.review,
  block: figures.block,
  fraud: figures.fraud,
});

/** The two items of a cursor: the newest one of the first page, and the last one of the page before. */
const readCursor = async (deps: SearchDeps, tenant: number, before: string): Promise<[upTo: number, last: number]> => {
  const [first = '', last = ''] = before.split('~');
  return [await cursorNumber(deps, tenant, first), await cursorNumber(deps, tenant, last)];
};

export const listUsers = async (deps: SearchDeps, call: Call<'listUsers'>): Promise<Answer> => {
  const { q, limit = DEFAULT_LIMIT, before, ...filters } = call.query;
  if (q !== undefined) return listUsersById(deps, call, { ...call.query, q, limit }, toSummary);
  const { tenant } = call.caller;
  const prepared = await prepareSearch(deps, call.caller, filters);
  const { range } = prepared;
  const [upTo, last] = before === undefined ? [range.before - 1, range.before] : await readCursor(deps, tenant, before);
  const from = { ...prepared, range: { ...range, before: Math.min(last, range.before) } };
  const found = await findNewest(
    deps,
    from,
    limit,
    (part, scan, max) => findUsers(deps.search, tenant, prepared.filter, upTo, part, scan, max),
    endOfBudget(deps),
    SCAN,
  );
  const shown = await withRows(deps.backend, tenant, found.items.slice(0, limit));
  const terms = shown.map(([{ user_term }]) => user_term);
  const summaries = await summariesOf(deps.search, tenant, terms, range.first);
  const users = shown.flatMap(([{ user_term }, row]) => {
    const figures = summaries.get(user_term);
    return figures === undefined ? [] : [toSummary(nameIn(row, 'user', call.tagOf) as string, figures)];
  });
  const cursor = cursorAfter(found, limit);
  const page = await pageOf(deps.backend, tenant, cursor, found.stoppedAt);
  const first = before?.split('~')[0] ?? (await firstOf(deps, tenant, shown[0]?.[0].seq ?? cursor));
  const list: UserList = {
    users,
    ...page,
    next_before: page.next_before === null ? null : `${first}~${page.next_before}`,
    as_of: prepared.as_of,
  };
  return call.answer(list);
};

/** The id of the item that a following page begins to look at. Items that arrive later do not move a user. */
const firstOf = async ({ backend }: SearchDeps, tenant: number, seq: number | undefined): Promise<string | null> =>
  seq === undefined ? null : (await pageOf(backend, tenant, seq, undefined)).next_before;
