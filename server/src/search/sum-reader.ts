import { firstSeqAt } from '../runtime/ids.ts';
import { readState, type SearchDeps } from './prepare-search.ts';
import { countSince, type NamedSum, type Span, type Sum, type SumFilter, sumSeries, sumTotals } from './sum-store.ts';
import { DAY_MS } from './sums.ts';

export type { NamedSum, Span, SumFilter } from './sum-store.ts';

const NOTHING: Span = { from: 0, until: 0 };

/** Splits whole hours into whole days and the hours around them. */
const splitDays = ({ from, until }: Span): Readonly<Record<'before' | 'days' | 'after', Span>> => {
  const [first, end] = [Math.ceil(from / DAY_MS) * DAY_MS, Math.floor(until / DAY_MS) * DAY_MS];
  if (first >= end) return { before: { from, until }, days: NOTHING, after: NOTHING };
  return { before: { from, until: first }, days: { from: first, until: end }, after: { from: end, until } };
};

/** Reads the sums of the projection, for statistics. */
export const makeSumReader = (deps: Pick<SearchDeps, 'backend' | 'search' | 'isCommittedInOrder'>) => ({
  /** The time before which everything stored is counted. To be read before the sums. */
  completeAt: async (tenant: number, now: number): Promise<number> => (await readState(deps, tenant, now)).complete,
  series: (of: SumFilter, hours: Sum['hours'], span: Span) => sumSeries(deps.search, of, hours, span),
  totals: (of: SumFilter, span: Span, limit: number): Promise<NamedSum[]> =>
    sumTotals(deps.search, of, splitDays(span), limit),
  /** The number of items since a time. */
  countSince: (tenant: number, time: number): Promise<number> => countSince(deps.search, tenant, firstSeqAt(time)),
});
export type SumReader = ReturnType<typeof makeSumReader>;
