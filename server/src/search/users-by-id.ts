import type { UserList, UserQuery, UserSummary } from '@portcullis/contract';
import type { Answer, Call } from '../http/route.ts';
import { invalidRequest } from '../validation/errors.ts';
import { prepareSearch, type SearchDeps } from './prepare-search.ts';
import { summariesOf, type UserFigures } from './summary-store.ts';
import { usersFrom } from './user-id-store.ts';

/** `GET /v1/users?q=…`: users by the start of their id. */

const CURSOR = 'id~';
const writeCursor = (userId: string): string => CURSOR + Buffer.from(userId).toString('base64url');

/** The last user of the page before. */
const readCursor = (before: string, start: string): string => {
  const userId = Buffer.from(before.slice(CURSOR.length), 'base64url').toString();
  if (writeCursor(userId) === before && userId.startsWith(start) && !userId.includes('\0')) return userId;
  throw invalidRequest([{ field: 'before', message: 'is not `next_before` of a page with the same `q`' }]);
};

/** Filters are about items, and a user of a start may have a million that do not match. */
const refuseFilters = (filters: object): void => {
  const set = Object.entries(filters).filter(([, value]) => value !== undefined);
  if (set.length > 0)
    throw invalidRequest(
      set.map(([field]) => ({ field, message: 'cannot be combined with `q`; leave one of them out' })),
    );
};

type ToSummary = (userId: string, figures: UserFigures) => UserSummary;

export const listUsersById = async (
  deps: SearchDeps,
  call: Call<'listUsers'>,
  { q, limit, before, ...filters }: UserQuery & { readonly q: string; readonly limit: number },
  toSummary: ToSummary,
): Promise<Answer> => {
  refuseFilters(filters);
  const { tenant } = call.caller;
  const after = before === undefined ? undefined : readCursor(before, q);
  const { range, as_of } = await prepareSearch(deps, call.caller, {});
  const found = await usersFrom(deps.search, tenant, q, after, limit + 1);
  const shown = found.slice(0, limit);
  const terms = shown.map(({ user_term }) => user_term);
  const summaries = await summariesOf(deps.search, tenant, terms, range.first);
  const users = shown.flatMap(({ user_id, user_term }) => {
    const figures = summaries.get(user_term);
    return figures === undefined ? [] : [toSummary(user_id, figures)];
  });
  const has_more = found.length > limit;
  const next_before = has_more ? writeCursor((shown.at(-1) as { user_id: string }).user_id) : null;
  return call.answer({ users, has_more, next_before, looked_back_to: null, as_of } satisfies UserList);
};
