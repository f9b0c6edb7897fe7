import type { PortcullisClient, ScreeningFilter, ScreeningGroup } from '@portcullis/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';
import type { ChartPoint } from '../overview/StackedChart.tsx';
import { STEP_MS, spanOf, stepOf } from './range.ts';
import { filtersOf, type UrlState } from './url-state.ts';

/** Groups of one request. */
const MOST_GROUPS = 100;

export interface ScreeningSeries {
  readonly points: readonly ChartPoint[];
  readonly step: '1h' | '1d';
  readonly items: number;
  /** Set if older items were not counted. */
  readonly lookedBackTo: string | null;
}

const iso = (time: number): string => new Date(time).toISOString();
const sumOf = (points: readonly ChartPoint[]): number =>
  points.reduce((sum, { allow, review, block }) => sum + allow + review + block, 0);

/** Counts the items that match by hour or day, with as many requests as the number of groups takes. */
const count = async (client: PortcullisClient, urlState: UrlState, signal: AbortSignal): Promise<ScreeningSeries> => {
  const { from, until } = spanOf(urlState.range);
  const step = stepOf(urlState.range);
  const stepMs = STEP_MS[step];
  const first = Math.floor(from / stepMs) * stepMs;
  const starts = Array.from({ length: Math.ceil((until - first) / stepMs) }, (_, index) => first + index * stepMs);
  const found = new Map<number, ScreeningGroup>();
  let lookedBackTo: string | null = null;
  const { text: _, ...filters } = filtersOf(urlState);
  for (let at = starts.length; at > 0 && lookedBackTo === null; at -= MOST_GROUPS) {
    const part = starts.slice(Math.max(0, at - MOST_GROUPS), at);
    const times = {
      from: iso(Math.max(from, part[0] as number)),
      until: iso(Math.min(until, (part.at(-1) as number) + stepMs)),
    };
    const query = { ...(filters as ScreeningFilter), ...times, limit: MOST_GROUPS };
    const answer = await client.screenings.group({ ...query, by: step === '1h' ? 'hour' : 'day' }, { signal });
    for (const group of answer.groups) found.set(Date.parse(group.value ?? ''), group);
    lookedBackTo = answer.looked_back_to;
  }
  const points = starts.map((start): ChartPoint => {
    const { items, review, block } = found.get(start) ?? { items: 0, review: 0, block: 0 };
    return { at: iso(start), allow: items - review - block, review, block };
  });
  return { points, step, items: sumOf(points), lookedBackTo };
};

/** Decisions over time. Without filters the sums of the service have them, however many they are. */
export const useSeries = (urlState: UrlState) => {
  const client = useClient();
  const environment = useEnvironment();
  const { from, until } = spanOf(urlState.range);
  const step = stepOf(urlState.range);
  const { type, terms } = urlState;
  return useQuery({
    queryKey: [environment, 'screening-series', type, terms, from, until, step],
    queryFn: async ({ signal }): Promise<ScreeningSeries> => {
      if (terms.length > 0) return count(client, urlState, signal);
      const times = { from: iso(from), until: iso(until), step };
      const { points } = await client.stats.getDecisions({ ...times, ...(type !== undefined && { type }) }, { signal });
      return { points, step, items: sumOf(points), lookedBackTo: null };
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
};
