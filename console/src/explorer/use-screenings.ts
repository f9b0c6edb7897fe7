import type { Screening, ScreeningQuery } from '@portcullis/client';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { lastFeedEvent } from '../api/last-feed-event.ts';
import { useStore } from '../api/store.ts';
import { moveEnd } from './range.ts';

const PAGE = 100;
const ASK_AGAIN_MS = 10_000;
const NEVER = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, refetchOnMount: false } as const;

/** The items of the list, as far as they are loaded. They stay as they are until somebody asks for new ones. */
export const useScreenings = (query: ScreeningQuery, isOn: boolean) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const queryKey = [environment, 'screenings', query];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      client.screenings.list({ ...query, limit: PAGE, ...(pageParam !== '' && { before: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
    enabled: isOn,
    retry: false,
    ...NEVER,
  });
  const rows = useMemo(() => (list.data?.pages ?? []).flatMap(({ screenings }) => screenings), [list.data]);
  const last = list.data?.pages.at(-1);
  /** Reads the list from its begin. */
  const renew = async (): Promise<void> => {
    moveEnd();
    await queries.invalidateQueries({ queryKey: [environment, 'screening-series'] });
    await queries.resetQueries({ queryKey });
  };
  return { ...list, rows, lookedBackTo: list.hasNextPage ? (last?.looked_back_to ?? undefined) : undefined, renew };
};

/** How many items arrived since the list was read. */
export const useNewCount = (query: ScreeningQuery, first: Screening | undefined, isOn: boolean): number => {
  const client = useClient();
  const environment = useEnvironment();
  const event = useStore(lastFeedEvent);
  const { data, refetch } = useQuery({
    queryKey: [environment, 'screenings-new', query],
    queryFn: ({ signal }) => client.screenings.list({ ...query, limit: PAGE }, { signal }),
    enabled: isOn,
    refetchInterval: ASK_AGAIN_MS,
    retry: false,
  });
  // Held and blocked items are heard of at once, others when the page asks again.
  useEffect(() => {
    if (event !== undefined && isOn) void refetch({ cancelRefetch: false });
  }, [event, isOn, refetch]);
  if (data === undefined || !isOn) return 0;
  const at = data.screenings.findIndex(({ subject_id }) => subject_id === first?.subject_id);
  return at === -1 ? data.screenings.length : at;
};
export const MOST_NEW = PAGE;
