import type { View } from '@portcullis/client';
import { Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import { Icon } from './icons.tsx';
import { loadLater } from './load-later.ts';
import { Menu } from './Menu.tsx';
import { useEverOn } from './use-ever-on.ts';
import { useViews, type ViewPage } from './use-views.ts';

const SaveView = loadLater(() => import('./SaveView.tsx'));

/** Saved views of a list: one's own, and those that others share. A view is the address of the list. */
export const Views = ({ page, query }: { page: ViewPage; query: string }) => {
  const [, go] = useLocation();
  const [isSaving, setSaving] = useState(false);
  const hasSaved = useEverOn(isSaving);
  const { views, first, reload, remove, openFirst, openNoneFirst } = useViews(page);
  const current = views.find((view) => view.query === query && query !== '');
  const isFirst = current !== undefined && current.view_id === first?.view_id;
  const labelOf = ({ view_id, mine, name, owner }: View): string =>
    `${mine ? name : `${name}, by ${owner}`}${view_id === first?.view_id ? ' (default)' : ''}`;
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
            label: labelOf(view),
            isChecked: view.view_id === current?.view_id,
            run: () => open(view),
          })),
          {
            id: 'save',
            label: 'Save this view…',
            isDisabled: query === '' || current !== undefined,
            run: () => setSaving(true),
          },
          ...(page === 'cases' && current !== undefined && !isFirst
            ? [{ id: 'first', label: `Open ${current.name} by default`, run: () => void openFirst(current) }]
            : []),
          ...(page === 'cases' && first !== undefined
            ? [{ id: 'none-first', label: `Stop opening ${first.name} by default`, run: () => void openNoneFirst() }]
            : []),
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
