import type { List, ListEntryQuery } from '@portcullis/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, plural } from '../parts/format.ts';
import { Menu } from '../parts/Menu.tsx';
import { problemOf } from '../parts/problem.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { notify } from '../shell/notices.ts';
import { remember } from '../shell/recent.ts';
import { AddForm } from './AddForm.tsx';
import { Entries, TestAddresses } from './Entries.tsx';
import { ListForm } from './ListForm.tsx';
import { Treatment } from './Lists.tsx';
import { KINDS, type Kind } from './rows.ts';
import { useChanged, useList, useRules } from './use-lists.ts';
import { kindWords, rulesWith } from './words.ts';
import '../cases/reject.css';
import '../parts/table.css';
import '../rules/tune.css';
import './lists.css';

const PAGE = 50;

/** The kind and the value of the address. */
const useFilter = (id: string) => {
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const kind = KINDS.find((one) => one === search.get('kind'));
  const value = search.get('value') ?? '';
  const change = (next: { kind?: Kind | undefined; value?: string }): void => {
    const wanted = { kind, value, ...next };
    const query = new URLSearchParams();
    if (wanted.kind !== undefined) query.set('kind', wanted.kind);
    if (wanted.value !== '') query.set('value', wanted.value);
    go(query.size === 0 ? `/lists/${id}` : `/lists/${id}?${query}`, { replace: true });
  };
  return { kind, value, change };
};

const useEntries = (id: string, filter: ListEntryQuery, isOn: boolean) => {
  const client = useClient();
  const environment = useEnvironment();
  return useInfiniteQuery({
    queryKey: [environment, 'list', id, 'entries', filter],
    queryFn: ({ pageParam, signal }) =>
      client.lists.listEntries(
        id,
        { ...filter, limit: PAGE, ...(pageParam !== '' && { before: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ has_more, entries }) => (has_more ? entries.at(-1)?.entry_id : undefined),
    placeholderData: keepPreviousData,
    enabled: isOn,
  });
};

/** Saves a text as a file of the browser. */
const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
};

const useWhyNotAdd = (list: List): string | undefined => {
  const why = useWhyNot('tune');
  const mayReview = useMay('review');
  const whyReview = useWhyNot('review');
  if (why === undefined || (mayReview && list.open_to_analysts)) return undefined;
  return list.open_to_analysts ? whyReview : why;
};

const Loaded = ({ list }: { list: List }) => {
  const client = useClient();
  const changed = useChanged();
  const [, go] = useLocation();
  const { kind, value, change } = useFilter(list.list_id);
  const [layer, setLayer] = useState<'add' | 'change' | 'delete' | undefined>();
  const filter = useRef<HTMLInputElement>(null);
  const isTest = list.list_id === 'test_addresses';
  const query = useEntries(list.list_id, { ...(kind && { kind }), ...(value !== '' && { value }) }, !isTest);
  const rules = rulesWith(useRules(), list.list_id);
  const why = useWhyNot('tune');
  const whyBuiltIn = why ?? (list.built_in ? 'Built-in lists cannot be changed.' : undefined);
  const whyAdd = useWhyNotAdd(list);
  const whyExport = useWhyNot('read_personal');
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? [];
  const close = (): void => setLayer(undefined);
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
      await changed();
    } catch (error) {
      notify(problemOf(error));
    }
  };
  useKeys('List', [
    { keys: '/', label: 'Search', run: () => filter.current?.focus() },
    { keys: 'n', label: 'Add entries', run: () => setLayer('add'), disabled: whyAdd !== undefined || isTest },
  ]);
  return (
    <div className="tune rule">
      <div className="crumbs">
        <Link href="/lists">Lists</Link>
      </div>
      <div className="page-head rule-head">
        <h1 className="cut mono">{list.list_id}</h1>
        <span className="rule-meta">
          <Treatment list={list} />
          <span className="dim">
            {plural(list.entry_count, 'entry', 'entries')}
            {list.description !== '' && ` · ${list.description}`}
          </span>
        </span>
        {!isTest && (
          <div className="page-more">
            <Button
              icon="download"
              why={whyExport}
              onClick={() =>
                void run(async () => download(`${list.list_id}.csv`, await client.lists.export(list.list_id)))
              }
            >
              CSV
            </Button>
            <Button look="primary" icon="plus" hint="N" why={whyAdd} onClick={() => setLayer('add')}>
              Add entries
            </Button>
            <Menu
              width={200}
              position="bottom-end"
              button={
                <button type="button" className="button" aria-label="More">
                  …
                </button>
              }
              items={[
                {
                  id: 'change',
                  label: 'Change the list…',
                  isDisabled: whyBuiltIn !== undefined,
                  run: () => setLayer('change'),
                },
                {
                  id: 'delete',
                  label: 'Delete the list…',
                  isDisabled: whyBuiltIn !== undefined,
                  run: () => setLayer('delete'),
                },
                ...(whyBuiltIn === undefined ? [] : [{ id: 'why', label: whyBuiltIn }]),
              ]}
            />
          </div>
        )}
      </div>
      {rules.length > 0 && (
        <p className="list-used">
          Used by{' '}
          {rules.map(({ rule_id, name }) => (
            <Link key={rule_id} href={`/rules/${rule_id}`} className="mono">
              {name}
            </Link>
          ))}
        </p>
      )}
      {!isTest && (
        <div className="list-filter">
          <select
            className="input"
            aria-label="Kind"
            value={kind ?? ''}
            onChange={(event) => change({ kind: KINDS.find((one) => one === event.currentTarget.value) })}
          >
            <option value="">All kinds</option>
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {kindWords(one)}
              </option>
            ))}
          </select>
          <input
            ref={filter}
            className="input mono"
            type="search"
            aria-label="Find a value"
            placeholder="Find a value"
            value={value}
            onChange={(event) => change({ value: event.currentTarget.value })}
            onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          />
        </div>
      )}
      <div className="card">
        {isTest ? (
          <TestAddresses list={list} />
        ) : query.data === undefined ? (
          query.isError ? (
            <Failed error={query.error} retry={() => void query.refetch()} />
          ) : (
            <div style={{ padding: 20 }}>
              <Skeleton rows={8} height={26} />
            </div>
          )
        ) : entries.length === 0 ? (
          kind !== undefined || value !== '' ? (
            <EmptyState
              icon="search"
              title="No matching entry"
              more={<Button onClick={() => change({ kind: undefined, value: '' })}>Show all</Button>}
            >
              Enter the complete value, in any notation.
            </EmptyState>
          ) : (
            <EmptyState
              icon="lists"
              title="No entries yet"
              more={
                <Button look="primary" why={whyAdd} onClick={() => setLayer('add')}>
                  Add the first entry
                </Button>
              }
            >
              An entry applies to every screening that starts after it is added.
            </EmptyState>
          )
        ) : (
          <Entries
            entries={entries}
            why={why}
            remove={({ kind, value }) => void run(() => client.lists.removeEntry(list.list_id, { kind, value }))}
          />
        )}
      </div>
      {query.hasNextPage && (
        <p style={{ marginTop: 12 }}>
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more of {formatCount(list.entry_count)}
          </Button>
        </p>
      )}
      <Dialog opened={layer === 'add'} onClose={close} title={`Add to ${list.list_id}`} size={600}>
        <AddForm list={list} close={close} />
      </Dialog>
      <Dialog opened={layer === 'change'} onClose={close} title={`Change ${list.list_id}`} size={460}>
        <ListForm list={list} close={close} />
      </Dialog>
      <Dialog opened={layer === 'delete'} onClose={close} title={`Delete ${list.list_id}`} size={440}>
        <div className="stack">
          <p>
            Deletes the list with {plural(list.entry_count, 'entry', 'entries')}. A list that a live or shadow rule uses
            cannot be deleted.
          </p>
          <div className="row-buttons">
            <Button
              look="reject"
              data-autofocus
              onClick={() =>
                void run(async () => {
                  await client.lists.delete(list.list_id);
                  go('/lists');
                }).finally(close)
              }
            >
              Delete
            </Button>
            <Button onClick={close}>Cancel</Button>
          </div>
        </div>
      </Dialog>
    </div>
  );
};

/** The entries of a list. */
export default function ListPage({ id }: { id: string }) {
  const query = useList(id);
  useEffect(() => {
    document.title = `${id} · Portcullis`;
    remember(`List: ${id}`, `/lists/${id}`);
  }, [id]);
  if (query.data === undefined)
    return query.isError ? (
      <Failed error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Skeleton rows={8} height={30} />
    );
  return <Loaded list={query.data} />;
}
