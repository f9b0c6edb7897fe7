import type { Entity, List } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { notify } from '../shell/notices.ts';

/** What a list does with the items of a user. */
export type Effect = 'block' | 'trusted';

/** The lists that the user is on, those that the person may add to, and what either takes. */
export const useLists = (userId: string) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const mayTune = useMay('tune');
  const mayReview = useMay('review');
  const whyNot = useWhyNot('tune');
  const entityKey = [environment, 'entity', 'user', userId];
  const entity = useQuery({
    queryKey: entityKey,
    queryFn: ({ signal }) => client.links.getEntity('user', userId, { signal }),
    enabled: useMay('read_personal'),
    retry: false,
  });
  const all = useQuery({
    queryKey: [environment, 'lists'],
    queryFn: ({ signal }) => client.lists.list({ signal }),
    staleTime: 60_000,
  });
  const reload = (): Promise<unknown> => queries.invalidateQueries({ queryKey: entityKey });
  const mayAddTo = ({ open_to_analysts }: List): boolean => mayTune || (mayReview && open_to_analysts);
  const listsOf = (effect: Effect): readonly List[] =>
    (all.data?.lists ?? []).filter((list) => list.treatment === effect && mayAddTo(list));
  const on: Entity['lists'] = entity.data?.lists ?? [];
  return {
    on,
    listsOf,
    reload,
    /** Why the person cannot add the user to a list with this effect. */
    why: (effect: Effect): string | undefined => {
      if (all.data === undefined) return 'The lists are loading.';
      if (on.some(({ treatment }) => treatment === effect)) return 'The user is already on such a list.';
      return listsOf(effect).length > 0 ? undefined : (whyNot ?? 'There is no such list.');
    },
    whyNotRemove: whyNot,
    remove: async ({ list_id, kind, value }: Entity['lists'][number]): Promise<void> => {
      await client.lists
        .removeEntry(list_id, { kind, value })
        .catch((error: unknown) => notify((error as Error).message));
      await reload();
    },
  };
};
