/** Wires the operations of search, and the readers for statistics and the live feed. */
import type { Usual } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { Answer, AnyCall, Call } from '../http/route.ts';
import { getEntity } from './entity.ts';
import { makeExports } from './export.ts';
import { FEED_KEPT_MS } from './feed-events.ts';
import { eventsAfter, type FeedRow, hasMoreAfter, newestEvent } from './feed-store.ts';
import { groupScreenings } from './groups.ts';
import { getLinks } from './links.ts';
import { listScreenings } from './list.ts';
import type { SearchDeps } from './prepare-search.ts';
import { searchByValue } from './search-by-value.ts';
import { getSeries } from './series.ts';
import { makeSumReader } from './sum-reader.ts';
import { listTimeline } from './timeline.ts';
import { listUsers } from './users.ts';
import { getUsual, usualOf } from './usual.ts';

export const makeSearch = (deps: SearchDeps) => ({
  list: (call: Call<'listScreenings'>): Promise<Answer> => listScreenings(deps, call),
  group: (call: Call<'groupScreenings'>): Promise<Answer> => groupScreenings(deps, call),
  export: makeExports(deps),
  find: (call: Call<'search'>): Promise<Answer> => searchByValue(deps, call),
  users: (call: Call<'listUsers'>): Promise<Answer> => listUsers(deps, call),
  timeline: (call: Call<'listTimeline'>): Promise<Answer> => listTimeline(deps, call),
  usual: (call: Call<'getUsual'>): Promise<Answer> => getUsual(deps, call),
  /** What a user usually did before a time; undefined if there is nothing. */
  usualOf: (call: AnyCall, userId: string, until: number): Promise<Usual | undefined> =>
    usualOf(deps, call, userId, { until: writeTimestamp(until) }),
  links: (call: Call<'getLinks'>): Promise<Answer> => getLinks(deps, call),
  series: (call: Call<'getSeries'>): Promise<Answer> => getSeries(deps, call),
  entity: (call: Call<'getEntity'>): Promise<Answer> => getEntity(deps, call),
  /** For statistics. */
  sums: makeSumReader(deps),
  /** For the live feed. */
  feed: {
    keptMs: FEED_KEPT_MS,
    after: (tenant: number, position: number, limit: number): Promise<FeedRow[]> =>
      eventsAfter(deps.search, tenant, position, limit),
    newest: (tenant: number): Promise<number> => newestEvent(deps.search, tenant),
    hasMoreAfter: (tenant: number, position: number, max: number): Promise<boolean> =>
      hasMoreAfter(deps.search, tenant, position, max),
  },
});
export type { FeedRow } from './feed-store.ts';
export type Search = ReturnType<typeof makeSearch>;
