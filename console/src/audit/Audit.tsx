import type { AuditEntry, AuditQuery } from '@portcullis/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { RoleRequired } from '../admin/RoleRequired.tsx';
import { useParams } from '../admin/use-params.ts';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount } from '../parts/format.ts';
import { Menu } from '../parts/Menu.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { notify } from '../shell/notices.ts';
import { Check } from './Check.tsx';
import { Entry } from './Entry.tsx';
import { csvOf, ndjsonOf } from './export.ts';
import { saveFile } from './save-file.ts';
import { actionOf, KINDS } from './words.ts';
import '../admin/admin.css';
import './audit.css';

const PAGE = 50;
const MAX_EXPORTED = 100_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const RANGES: Readonly<Record<string, readonly [days: number, text: string]>> = {
  '24h': [1, 'Last 24 hours'],
  '7d': [7, 'Last 7 days'],
  '30d': [30, 'Last 30 days'],
};

/** The filters of the address. A range begins at a whole hour, so that the requests of one hour are alike. */
const queryOf = (params: URLSearchParams): AuditQuery => {
  const text = (name: string): string | undefined => params.get(name)?.trim() || undefined;
  const range = RANGES[params.get('range') ?? ''];
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  return {
    ...(text('actor') !== undefined && { actor: text('actor') }),
    ...(text('action') !== undefined && { action: text('action') }),
    ...(text('target') !== undefined && { target: text('target') }),
    ...(range !== undefined && { from: new Date(now - range[0] * DAY_MS).toISOString() }),
  };
};

const useEntries = (query: AuditQuery, isAllowed: boolean) => {
  const client = useClient();
  const environment = useEnvironment();
  const list = useInfiniteQuery({
    queryKey: [environment, 'audit', query],
    queryFn: ({ pageParam, signal }) =>
      client.audit.list({ ...query, limit: PAGE, ...(pageParam > 0 && { before: pageParam }) }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ has_more, entries }) => (has_more ? entries.at(-1)?.number : undefined),
    placeholderData: (before) => before,
    enabled: isAllowed,
  });
  return { ...list, entries: (list.data?.pages ?? []).flatMap(({ entries }) => entries) };
};

/** Reads every entry of the filters, and saves them as a file. */
const useExport = (query: AuditQuery) => {
  const client = useClient();
  const environment = useEnvironment();
  const [count, setCount] = useState<number | undefined>();
  const run = async (format: 'csv' | 'ndjson'): Promise<void> => {
    setCount(0);
    try {
      const entries: AuditEntry[] = [];
      for await (const entry of client.audit.iterate({ ...query, limit: 100 })) {
        entries.push(entry);
        if (entries.length % 500 === 0) setCount(entries.length);
        if (entries.length === MAX_EXPORTED) break;
      }
      const text = format === 'csv' ? csvOf(entries) : ndjsonOf(entries);
      const day = new Date().toISOString().slice(0, 10);
      saveFile(`audit-${environment}-${day}.${format}`, text, format === 'csv' ? 'text/csv' : 'application/x-ndjson');
    } catch (error) {
      notify((error as Error).message);
    }
    setCount(undefined);
  };
  return { count, run };
};

/** A filter that is typed. It applies with Enter, or when it loses the focus. */
const TextFilter = ({ label, value, onSet }: { label: string; value: string; onSet: (value: string) => void }) => {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <input
      aria-label={label}
      placeholder={label}
      value={text}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => text !== value && onSet(text)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onSet(text);
      }}
    />
  );
};

/** Every change of the account: who, what, before and after. */
export default function Audit() {
  const [params, change] = useParams();
  const why = useWhyNot('administer');
  const query = queryOf(params);
  const { entries, ...list } = useEntries(query, why === undefined);
  const saving = useExport(query);
  const kindRef = useRef<HTMLSelectElement>(null);
  const open = Number(params.get('entry') ?? 0);
  const [cursor, setCursor] = useState(-1);
  const at = Math.min(cursor, entries.length - 1);
  const toggle = (number: number | undefined): void => {
    if (number !== undefined) change({ entry: number === open ? undefined : String(number) });
  };
  useEffect(() => {
    document.title = 'Audit · Portcullis';
  }, []);
  useKeys('Audit', [
    { keys: 'j', label: 'Next entry', run: () => setCursor(Math.min(at + 1, entries.length - 1)) },
    { keys: 'k', label: 'Previous entry', run: () => setCursor(Math.max(0, at - 1)) },
    { keys: 'Enter', label: 'Open', run: () => toggle(entries[at]?.number) },
    { keys: '/', label: 'Filter', run: () => kindRef.current?.focus() },
    { keys: 'Escape', label: 'Close', run: () => change({ entry: undefined }) },
  ]);
  const hasFilter = Object.keys(query).length > 0;
  const clear = (): void =>
    change({ actor: undefined, action: undefined, target: undefined, range: undefined, entry: undefined });
  return (
    <>
      <div className="page-head">
        <h1>Audit</h1>
        <div className="page-more actions">
          {why === undefined && saving.count === undefined ? (
            <Menu
              width={180}
              position="bottom-end"
              button={<Button>Export</Button>}
              items={[
                { id: 'csv', label: 'CSV', run: () => void saving.run('csv') },
                { id: 'ndjson', label: 'NDJSON', run: () => void saving.run('ndjson') },
              ]}
            />
          ) : (
            <Button why={why} busy={saving.count !== undefined}>
              {saving.count ? `${formatCount(saving.count)} read` : 'Export'}
            </Button>
          )}
        </div>
      </div>
      {why !== undefined ? (
        <RoleRequired why={why}>The audit log records every change to the account and who made it.</RoleRequired>
      ) : (
        <div className="sheet">
          <Check />
          <search className="filter-row">
            <select
              ref={kindRef}
              aria-label="Action"
              value={query.action ?? ''}
              onChange={(event) => change({ action: event.currentTarget.value, entry: undefined })}
            >
              <option value="">Any action</option>
              {[...new Set([...KINDS, ...(query.action === undefined ? [] : [query.action])])].map((kind) => (
                <option key={kind} value={kind}>
                  {actionOf(kind)}
                </option>
              ))}
            </select>
            <select
              aria-label="Time"
              value={params.get('range') ?? ''}
              onChange={(event) => change({ range: event.currentTarget.value, entry: undefined })}
            >
              <option value="">Any time</option>
              {Object.entries(RANGES).map(([value, [, text]]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
            <TextFilter
              label="Actor: e-mail or key"
              value={query.actor ?? ''}
              onSet={(actor) => change({ actor, entry: undefined })}
            />
            <TextFilter
              label="Target"
              value={query.target ?? ''}
              onSet={(target) => change({ target, entry: undefined })}
            />
            {hasFilter && (
              <Button small look="ghost" onClick={clear}>
                Clear
              </Button>
            )}
          </search>
          <section className="card table-card" aria-label="Entries">
            {list.isPending ? (
              <div style={{ padding: 20 }}>
                <Skeleton rows={8} />
              </div>
            ) : list.isError && entries.length === 0 ? (
              <Failed error={list.error} retry={() => void list.refetch()} />
            ) : entries.length === 0 ? (
              <EmptyState
                icon="audit"
                title={hasFilter ? 'No entry matches' : 'Nothing has changed yet'}
                more={hasFilter && <Button onClick={clear}>Clear the filters</Button>}
              >
                {hasFilter
                  ? 'Actor and target must match exactly.'
                  : 'Every change to the account appears here, with its author.'}
              </EmptyState>
            ) : (
              <ol>
                {entries.map((entry, index) => (
                  <Entry
                    key={entry.number}
                    entry={entry}
                    isAt={index === at}
                    isOpen={entry.number === open}
                    onToggle={() => {
                      setCursor(index);
                      toggle(entry.number);
                    }}
                  />
                ))}
              </ol>
            )}
            {list.hasNextPage && (
              <div className="rows-foot">
                <Button small busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  Show older entries
                </Button>
              </div>
            )}
          </section>
        </div>
      )}
    </>
  );
}
