import type { View } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { notify } from '../shell/held.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { Icon } from './icons.tsx';
import { Menu } from './Menu.tsx';
import { useWhyNot } from './State.tsx';
import '../cases/reject.css';

interface SaveProps {
  readonly page: string;
  readonly query: string;
  readonly close: () => void;
  readonly onSaved: () => Promise<unknown>;
}
/** Saves the address of the list under a name. */
const SaveForm = ({ page, query, close, onSaved }: SaveProps) => {
  const client = useClient();
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const why = useWhyNot('review');
  const id = useId();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await client.views.create({ page, name: name.trim(), query, shared: isShared });
      await onSaved();
      close();
    } catch (error) {
      notify((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="reject" onSubmit={(event) => void submit(event)}>
      <Field
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      <label htmlFor={id} className="check">
        <input
          id={id}
          type="checkbox"
          checked={isShared}
          disabled={why !== undefined}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
        Share it with everybody{why !== undefined && ` (${why})`}
      </label>
      <div className="row-buttons">
        <Button type="submit" look="primary" busy={isBusy}>
          Save
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
};

/** Saved views of a list: one's own, and those that others share. A view is the address of the list. */
export const Views = ({ page, query }: { page: 'cases' | 'explorer'; query: string }) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isSaving, setSaving] = useState(false);
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
      <Dialog opened={isSaving} onClose={() => setSaving(false)} title="Save this view" size={400}>
        <SaveForm page={page} query={query} close={() => setSaving(false)} onSaved={reload} />
      </Dialog>
    </>
  );
};
