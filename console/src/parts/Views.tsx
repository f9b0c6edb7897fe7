import type { View } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { notify } from '../shell/held.ts';
import { Icon } from './icons.tsx';
import { Menu } from './Menu.tsx';
import { useOnce } from './use-once.ts';

const SaveView = lazy(() => import('./SaveView.tsx'));

/** Saved views of a list: one's own, and those that others share. A view is the address of the list. */
export const Views = ({ page, query }: { page: 'cases' | 'explorer'; query: string }) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isSaving, setSaving] = useState(false);
  const hasSaved = useOnce(isSaving);
  const key = [environment, 'views', page];
  const { data } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.views.list({ page }, { signal }),
    staleTime: 60_000,
  });
  const views = data?.views ?? [];
  const current = views.find((view) => view.query === query && query !== '');
  const reload = (): Promise<unknown> => queries.invalidateQueries({ queryKey: key });
  const remove = async ({ view_id }: View): Promise<void> => {
    await client.views.delete(view_id).catch((error: unknown) => notify((error as Error).message));
    await reload();
  };
  const open = (view: View): void => go(`/${page}${view.query}`, { replace: true });
  return (
    <>
      <Menu
        width={240}
        position="bottom-end"
        button={
          <button type="button" className="button">
            <Icon name="table" size={17} />
            <span className="cut view-name">{current?.name ?? 'Views'}</span>
            <Icon name="down" size={15} />
          </button>
        }
        items={[
          ...(views.length === 0 ? [{ id: 'none', label: 'No saved views yet' }] : []),
          ...views.map((view) => ({
            id: view.view_id,
            label: view.mine ? view.name : `${view.name}, by ${view.owner}`,
            isChecked: view.view_id === current?.view_id,
            run: () => open(view),
          })),
          {
            id: 'save',
            label: 'Save this view…',
            isDisabled: query === '' || current !== undefined,
            run: () => setSaving(true),
          },
          ...(current?.mine === true
            ? [{ id: 'delete', label: `Delete ${current.name}`, run: () => void remove(current) }]
            : []),
        ]}
      />
      {hasSaved && (
        <Suspense fallback={null}>
          <SaveView isOpen={isSaving} page={page} query={query} close={() => setSaving(false)} onSaved={reload} />
        </Suspense>
      )}
    </>
  );
};
