import { useQuery } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';

/** The names of rules by id. */
export const useRuleNames = (): ReadonlyMap<string, string> => {
  const client = useClient();
  const environment = useEnvironment();
  const { data } = useQuery({
    queryKey: [environment, 'rules', 'all'],
    queryFn: ({ signal }) => client.rules.list({}, { signal }),
  });
  return new Map(data?.rules.map(({ rule_id, name }) => [rule_id, name]));
};
