import type { RuleVariables } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';

/** Everything that an expression can name. */
export interface Words {
  readonly variables: RuleVariables['variables'];
  readonly functions: RuleVariables['functions'];
  readonly features: RuleVariables['features'];
  readonly signals: readonly string[];
  readonly lists: readonly string[];
}

const HOUR_MS = 3_600_000;

/** The words of expressions: of the service, and of this account. */
export const useWords = (): Words => {
  const client = useClient();
  const environment = useEnvironment();
  const known = useQuery({
    queryKey: [environment, 'rule-variables'],
    queryFn: ({ signal }) => client.rules.listVariables({ signal }),
    staleTime: HOUR_MS,
  }).data;
  const lists = useQuery({
    queryKey: [environment, 'lists'],
    queryFn: ({ signal }) => client.lists.list({ signal }),
  }).data;
  const signals = useQuery({
    queryKey: [environment, 'stats', 'signals', 'of-rules'],
    queryFn: ({ signal }) => client.stats.getSignals({}, { signal }),
    staleTime: HOUR_MS,
  }).data;
  return useMemo(
    () => ({
      variables: known?.variables ?? [],
      functions: known?.functions ?? [],
      features: known?.features ?? [],
      signals: signals?.signals.map(({ signal }) => signal).filter((name) => !/^(?:rule|list)\./.test(name)) ?? [],
      lists: lists?.lists.map(({ list_id }) => list_id) ?? [],
    }),
    [known, lists, signals],
  );
};
