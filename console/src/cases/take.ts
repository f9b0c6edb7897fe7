import type { Case, NextCase } from '@portcullis/client';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { PortcullisError } from '../api/client.ts';
import { useClient, useEnvironment, useMyId } from '../api/environment.tsx';
import { notify } from '../shell/notices.ts';
import { queryOf, type UrlState } from './filters.ts';

/** Takes a case for the person, or gives it back with `null`. */
export const useTake = () => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const myId = useMyId();
  return async ({ case_id }: Pick<Case, 'case_id'>, assignee: string | null = myId, force = false): Promise<void> => {
    try {
      const taken = await client.cases.assign(case_id, { assignee, ...(force && { force }) });
      queries.setQueriesData<Case>(
        { queryKey: [environment, 'case', case_id, 'case'] },
        (old) => old && { ...old, ...taken },
      );
    } catch (error) {
      const isTaken = error instanceof PortcullisError && error.is('case_taken');
      const owner = isTaken ? (await client.cases.get(case_id)).assignee : null;
      notify(owner === null ? (error as Error).message : `${owner} took this case first.`);
      await queries.invalidateQueries({ queryKey: [environment, 'case', case_id] });
    }
    await queries.invalidateQueries({ queryKey: [environment, 'cases'] });
  };
};

/** Takes the next waiting case that matches the filters of the list, and opens it. */
export const useNextCase = () => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [, go] = useLocation();
  return async (urlState: UrlState): Promise<void> => {
    const { status, assignee, user_id, attack_of, snoozed, ...filters } = queryOf({ ...urlState, view: 'open' });
    try {
      const next = await client.cases.takeNext(filters as NextCase);
      void queries.invalidateQueries({ queryKey: [environment, 'cases'] });
      go(`/cases/${next.case_id}`);
    } catch (error) {
      const isNone = error instanceof PortcullisError && error.is('none_waiting');
      notify(isNone ? 'There are no unassigned cases.' : (error as Error).message);
    }
  };
};
