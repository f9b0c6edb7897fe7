import type { Answer, Call } from '../http/route.ts';
import { makeExports } from './export.ts';
import { find } from './find.ts';
import { groupScreenings } from './groups.ts';
import { getLinks } from './links.ts';
import { listScreenings } from './list.ts';
import type { SearchDeps } from './look.ts';
import { makeSumReader } from './sum-reader.ts';
import { listTimeline } from './timeline.ts';
import { listUsers } from './users.ts';
import { getUsual } from './usual.ts';

export const makeSearch = (deps: SearchDeps) => ({
  list: (call: Call<'listScreenings'>): Promise<Answer> => listScreenings(deps, call),
  group: (call: Call<'groupScreenings'>): Promise<Answer> => groupScreenings(deps, call),
  export: makeExports(deps),
  find: (call: Call<'search'>): Promise<Answer> => find(deps, call),
  users: (call: Call<'listUsers'>): Promise<Answer> => listUsers(deps, call),
  timeline: (call: Call<'listTimeline'>): Promise<Answer> => listTimeline(deps, call),
  usual: (call: Call<'getUsual'>): Promise<Answer> => getUsual(deps, call),
  links: (call: Call<'getLinks'>): Promise<Answer> => getLinks(deps, call),
  /** For statistics. */
  sums: makeSumReader(deps),
});
export type Search = ReturnType<typeof makeSearch>;
