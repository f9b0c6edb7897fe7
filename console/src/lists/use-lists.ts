import type { List } from '@portcullis/client';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';

export const useLists = () => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({ queryKey: [environment, 'lists'], queryFn: ({ signal }) => client.lists.list({ signal }) });
};
export const useList = (id: string): UseQueryResult<List> => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({ queryKey: [environment, 'list', id], queryFn: ({ signal }) => client.lists.get(id, { signal }) });
};
export const useRules = () => {
  const client = useClient();
  const environment = useEnvironment();
  return (
    useQuery({
      queryKey: [environment, 'rules', 'all'],
      queryFn: ({ signal }) => client.rules.list({}, { signal }),
    }).data?.rules ?? []
  );
};
/** Reads lists and entries again after a change. */
export const useChanged = () => {
  const environment = useEnvironment();
  const queries = useQueryClient();
  return async (): Promise<void> => {
    for (const key of ['lists', 'list']) await queries.invalidateQueries({ queryKey: [environment, key] });
  };
};
