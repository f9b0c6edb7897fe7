import { type Series, type SeriesPoint, writeTimestamp } from '@portcullis/contract';
import type { Answer, Call } from '../http/route.ts';
import { notFound } from '../validation/errors.ts';
import { roundSum } from './figures.ts';
import { prepareSearch, type SearchDeps } from './prepare-search.ts';
import { stepsOf } from './range.ts';
import { entityTerm } from './terms.ts';
import { countItems, seriesOf } from './user-store.ts';

/** Items of a user that are counted, at most. */
const COUNTED = 20_000;
const NOTHING = { items: 0, amount_usd: 0, max_score: null, review: 0, block: 0, fraud: 0 };

export const getSeries = async (deps: SearchDeps, call: Call<'getSeries'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const { step = '1d' } = call.query;
  const { from, until, stepMs } = stepsOf(call.query, step, deps.clock());
  const { range, as_of } = await prepareSearch(deps, call.caller, {});
  const term = entityTerm(deps.identities, tenant, 'user', call.params.user_id);
  const of = { tenant, term, range, limit: COUNTED };
  const counted = await countItems(deps.search, { ...of, limit: COUNTED + 1 });
  if (counted === undefined) throw notFound('user');
  const points: SeriesPoint[] = Array.from({ length: (until - from) / stepMs }, (_, index) => ({
    at: writeTimestamp(from + index * stepMs),
    ...NOTHING,
  }));
  for (const { start, items, usd, max_score, review, block, fraud } of await seriesOf(
    deps.search,
    of,
    from,
    until,
    stepMs,
  )) {
    const index = (start - from) / stepMs;
    const { at } = points[index] as SeriesPoint;
    points[index] = { at, items, amount_usd: roundSum(usd), max_score, review, block, fraud };
  }
  const series: Series = {
    user_id: call.params.user_id,
    from: writeTimestamp(from),
    until: writeTimestamp(until),
    step,
    points,
    cut: counted.items > COUNTED,
    as_of,
  };
  return call.answer(series);
};
