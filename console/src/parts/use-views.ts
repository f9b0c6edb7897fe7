import type { View } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { notify } from '../shell/notices.ts';

export type ViewPage = 'cases' | 'explorer';

/**
 * The saved views of a list, and the one that opens first. The service keeps that choice for each person as a private
 * view of the page `cases_default`, whose query is the id of the chosen view.
 */
export const useViews = (page: ViewPage) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const key = [environment, 'views'];
  const { data, isPending } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.views.list({}, { signal }),
    staleTime: 60_000,
  });
  const all = data?.views ?? [];
  const views = all.filter((view) => view.page === page);
  const choice = all.find((view) => view.mine && view.page === `${page}_default`);
  const reload = (): Promise<unknown> => queries.invalidateQueries({ queryKey: key });
  const run = async (call: Promise<unknown>): Promise<void> => {
    await call.catch((error: unknown) => notify((error as Error).message));
    await reload();
  };
  const choose = ({ view_id: query }: View): Promise<unknown> =>
    choice === undefined
      ? client.views.create({ page: `${page}_default`, name: 'Default view', query })
      : client.views.change(choice.view_id, { query });
  return {
    views,
    isPending,
    /** The view that opens first. A view that was deleted no longer does. */
    first: views.find(({ view_id }) => view_id === choice?.query),
    reload,
    remove: ({ view_id }: View): Promise<void> => run(client.views.delete(view_id)),
    openFirst: (view: View): Promise<void> => run(choose(view)),
    openNoneFirst: (): Promise<void> => run(choice === undefined ? reload() : client.views.delete(choice.view_id)),
  };
};
