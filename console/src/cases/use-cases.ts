import type { Case } from '@portcullis/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { useStore } from '../api/store.ts';
import { queryOf, type UrlState } from './filters.ts';
import { gone } from './resolve.ts';

const PAGE = 100;

/** The cases of the list, as far as they are loaded. */
export const useCases = (urlState: UrlState) => {
  const client = useClient();
  const environment = useEnvironment();
  const query = queryOf(urlState);
  const isOpen = query.status === 'open';
  const hidden = useStore(gone);
  const list = useInfiniteQuery({
    queryKey: [environment, 'cases', 'list', query],
    queryFn: ({ pageParam, signal }) => client.cases.list({ ...query, limit: PAGE, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ has_more, offset }) => (has_more ? offset + PAGE : undefined),
    refetchOnWindowFocus: false,
  });
  const all = useMemo(() => (list.data?.pages ?? []).flatMap(({ cases }) => cases), [list.data]);
  const rows = useMemo(
    (): readonly Case[] => all.filter((one) => (isOpen ? !hidden.has(one.case_id) : one.status !== 'open')),
    [all, hidden, isOpen],
  );
  const total = list.data?.pages[0]?.total;
  return { ...list, rows, total: isOpen && total !== undefined ? total - (all.length - rows.length) : undefined };
};
