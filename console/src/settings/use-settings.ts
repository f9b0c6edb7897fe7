import { useQuery } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';

/** The settings of the account in the environment of the page. */
export const useSettings = () => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'settings'],
    queryFn: ({ signal }) => client.settings.get({ signal }),
    staleTime: 60_000,
  });
};
