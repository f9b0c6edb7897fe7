import { useQuery } from '@tanstack/react-query';
import { useClient, useEnvironment, useMyId } from '../api/environment.tsx';

const EVERY_MS = 20_000;

/** Shows that this person has the case open, and returns who else does. */
export const useOthers = (caseId: string): readonly string[] => {
  const client = useClient();
  const environment = useEnvironment();
  const myId = useMyId();
  const { data } = useQuery({
    queryKey: [environment, 'presence', caseId],
    queryFn: ({ signal }) => client.cases.setPresence(caseId, {}, { signal }),
    refetchInterval: EVERY_MS,
    staleTime: 0,
    retry: false,
  });
  return (data?.present ?? []).map(({ analyst_id }) => analyst_id).filter((id) => id !== myId);
};
