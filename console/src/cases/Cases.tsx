import type { Case } from '@portcullis/client';
import { useEffect, useRef, useState } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { useMay } from '../api/environment.tsx';
import { lastFeedEvent } from '../api/last-feed-event.ts';
import { useStore } from '../api/store.ts';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { FilterBar } from '../parts/FilterBar.tsx';
import { formatCount, formatUsd, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useNow } from '../parts/Time.tsx';
import { useStable } from '../parts/use-stable.ts';
import { useViews } from '../parts/use-views.ts';
import { useWhyNot } from '../parts/use-why-not.ts';
import { Views } from '../parts/Views.tsx';
import { useSettings } from '../settings/use-settings.ts';
import { useKeys } from '../shell/keys.ts';
import {
  ORDER_TITLES,
  ORDERS,
  type Order,
  readTerms,
  readUrlState,
  suggestTerms,
  type UrlState,
  VIEW_TITLES,
  VIEWS,
  writeUrlState,
} from './filters.ts';
import { List } from './List.tsx';
import { Preview } from './Preview.tsx';
import { rememberQueue } from './queue.ts';
import { RejectBox } from './RejectBox.tsx';
import { type Outcome, useResolve } from './resolve.ts';
import { SnoozeBox } from './SnoozeBox.tsx';
import { useNextCase, useTake } from './take.ts';
import { useCases } from './use-cases.ts';
import './cases.css';

interface News {
  readonly created: number;
  readonly resolved: ReadonlySet<string>;
}
const NO_NEWS: News = { created: 0, resolved: new Set() };

/** The cases that others resolved, and how many are new, since the list was read. */
const useNews = (readAt: number) => {
  const event = useStore(lastFeedEvent);
  const [news, setNews] = useState(NO_NEWS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that was read again has no news
  useEffect(() => setNews(NO_NEWS), [readAt]);
  useEffect(() => {
    if (event === undefined || Date.parse(event.at) < readAt - 2000) return;
    setNews(({ created, resolved }) => ({
      created: event.type === 'case.created' ? created + 1 : created,
      resolved:
        event.type === 'case.resolved' && event.case_id !== null ? new Set([...resolved, event.case_id]) : resolved,
    }));
  }, [event, readAt]);
  return news;
};

const sumOf = (rows: readonly Case[]): string | undefined => {
  const amounts = rows.map(({ amount_usd }) => amount_usd);
  return amounts.every((amount) => amount !== null) ? formatUsd(amounts.reduce((a, b) => a + b, 0)) : undefined;
};

const Empty = ({ urlState, clear }: { urlState: UrlState; clear: () => void }) => {
  if (urlState.terms.length > 0)
    return (
      <EmptyState icon="filter" title="No case matches" more={<Button onClick={clear}>Clear the filters</Button>}>
        {urlState.terms.join('  ')}
      </EmptyState>
    );
  if (urlState.view === 'snoozed')
    return (
      <EmptyState icon="clock" title="Nothing is set aside">
        Press s on a case that cannot be decided yet. It returns at the time you choose.
      </EmptyState>
    );
  if (urlState.view === 'resolved')
    return (
      <EmptyState icon="cases" title="No resolved cases yet">
        Cases that people approved or rejected, or that expired, are listed here.
      </EmptyState>
    );
  return (
    <EmptyState icon="check" title={urlState.view === 'mine' ? 'You have no cases' : 'No open cases'}>
      {urlState.view === 'mine'
        ? 'Press n to take the next one.'
        : 'A payment or event with the decision review opens a case, which appears here immediately.'}
    </EmptyState>
  );
};

/** The queue: take work in the right order. `plain` is the address of the list without filters. */
const Queue = ({ plain }: { plain: string }) => {
  const [, go] = useLocation();
  const urlState = readUrlState(useSearch());
  const list = useCases(urlState);
  const { rows, total } = list;
  const [at, setAt] = useState(0);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<{ status: Outcome; rows: readonly Case[] } | undefined>();
  const [aside, setAside] = useState<readonly Case[] | undefined>();
  const [isPreviewing, setPreviewing] = useState(false);
  const filterRef = useRef<HTMLInputElement>(null);
  const now = useNow();
  const target = useSettings().data?.review_target_minutes ?? undefined;
  const targetMs = target === undefined ? undefined : target * 60_000;
  const mayReview = useMay('review');
  const why = useWhyNot('review');
  const news = useNews(list.dataUpdatedAt);
  const resolve = useResolve();
  const take = useTake();
  const takeNext = useNextCase();
  const index = Math.min(at, Math.max(0, rows.length - 1));
  const current = rows[index];
  const pickedRows = rows.filter(({ case_id }) => picked.has(case_id));

  const change = (next: Partial<UrlState>): void => {
    setAt(0);
    setPicked(new Set());
    go(`/cases${writeUrlState({ ...urlState, ...next }) || plain}`, { replace: true });
  };
  const open = (row: Case | undefined): void => {
    if (row !== undefined) go(`/cases/${row.case_id}`);
  };
  useEffect(() => rememberQueue(rows, writeUrlState(urlState) || plain));

  const pick = useStable((id: string, isRange: boolean): void => {
    const to = rows.findIndex(({ case_id }) => case_id === id);
    const ids = isRange ? rows.slice(Math.min(index, to), Math.max(index, to) + 1).map(({ case_id }) => case_id) : [id];
    const isOn = isRange || !picked.has(id);
    setPicked(isOn ? picked.union(new Set(ids)) : picked.difference(new Set(ids)));
    if (to !== -1) setAt(to);
  });
  const openOnes = (of: readonly Case[]): readonly Case[] => of.filter(({ status }) => status === 'open');
  /** The picked rows, or the one that the cursor is at. */
  const chosenRows = openOnes(pickedRows.length > 0 ? pickedRows : current === undefined ? [] : [current]);
  const decide = (status: Outcome): void => {
    if (chosenRows.length === 0) return;
    if (status === 'approved' && chosenRows.length === 1) {
      setPicked(new Set());
      resolve(chosenRows, { status });
    } else setAsked({ status, rows: chosenRows });
  };
  const cannot = !mayReview || chosenRows.length === 0;
  useKeys('Cases', [
    { keys: 'j', label: 'Next row', run: () => setAt(Math.min(index + 1, rows.length - 1)) },
    { keys: 'k', label: 'Previous row', run: () => setAt(Math.max(0, index - 1)) },
    { keys: 'Enter', label: 'Open', run: () => open(current) },
    { keys: 'x', label: 'Select', run: () => current && pick(current.case_id, false), disabled: !mayReview },
    { keys: 'X', label: 'Select up to here', run: () => pickRange(), disabled: !mayReview },
    { keys: 'a', label: 'Approve', run: () => decide('approved'), disabled: cannot },
    { keys: 'r', label: 'Reject', run: () => decide('rejected'), disabled: cannot },
    { keys: 't', label: 'Take', run: () => chosenRows.forEach((one) => void take(one)), disabled: cannot },
    { keys: 's', label: 'Set aside', run: () => setAside(chosenRows), disabled: cannot },
    { keys: ' ', label: 'Preview', run: () => setPreviewing(!isPreviewing) },
    { keys: '/', label: 'Filter', run: () => filterRef.current?.focus() },
    { keys: 'n', label: 'Next case', run: () => void takeNext(urlState), disabled: !mayReview },
    { keys: 'Escape', label: 'Clear', run: () => (isPreviewing ? setPreviewing(false) : setPicked(new Set())) },
  ]);
  const pickRange = (): void => {
    const first = rows.findIndex(({ case_id }) => picked.has(case_id));
    if (first === -1 || current === undefined) return;
    const ids = rows.slice(Math.min(first, index), Math.max(first, index) + 1).map(({ case_id }) => case_id);
    setPicked(picked.union(new Set(ids)));
  };

  return (
    <div className={`cases ${isPreviewing && current ? 'has-preview' : ''}`}>
      <div className="page-head">
        <h1>Cases {total !== undefined && <span className="dim num">{formatCount(total)}</span>}</h1>
        <nav className="segments" aria-label="Views">
          {VIEWS.map((view) => (
            <button key={view} type="button" aria-current={view === urlState.view} onClick={() => change({ view })}>
              {VIEW_TITLES[view]}
            </button>
          ))}
        </nav>
        <div className="page-more">
          {news.created > 0 && (
            <Button small icon="sparkle" onClick={() => void list.refetch()}>
              {news.created} new
            </Button>
          )}
          {urlState.view !== 'resolved' && (
            <label className="order">
              <span className="dim">Order</span>
              <select value={urlState.sort} onChange={(event) => change({ sort: event.currentTarget.value as Order })}>
                {ORDERS.map((order) => (
                  <option key={order} value={order}>
                    {ORDER_TITLES[order]}
                  </option>
                ))}
              </select>
            </label>
          )}
          <Views page="cases" query={writeUrlState(urlState)} />
          <Button look="primary" hint="N" why={why} onClick={() => void takeNext(urlState)}>
            Next case
          </Button>
        </div>
      </div>
      <FilterBar
        terms={urlState.terms}
        onChange={(terms) => change({ terms })}
        inputRef={filterRef}
        read={readTerms}
        suggest={suggestTerms}
        placeholder="Filter: score>60  is:payment  signal:new_device"
        example="score>60"
      />
      <div className="cases-body">
        <div className="card cases-card">
          {list.isError && rows.length === 0 ? (
            <Failed error={list.error} retry={() => void list.refetch()} />
          ) : list.isPending ? (
            <div style={{ padding: 20 }}>
              <Skeleton rows={10} height={26} />
            </div>
          ) : rows.length === 0 ? (
            <Empty urlState={urlState} clear={() => change({ terms: [] })} />
          ) : (
            <List
              rows={rows}
              total={total ?? rows.length}
              at={index}
              picked={picked}
              resolved={news.resolved}
              now={now}
              targetMs={targetMs}
              mayReview={mayReview}
              onPick={pick}
              onAt={setAt}
              onEnd={() => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()}
            />
          )}
        </div>
        {isPreviewing && current !== undefined && <Preview one={current} close={() => setPreviewing(false)} />}
      </div>
      {pickedRows.length > 0 && (
        <section className="bulk" aria-label="Selected cases">
          <strong role="status">{plural(pickedRows.length, 'case')} picked</strong>
          <Button look="approve" hint="A" small why={why} onClick={() => decide('approved')}>
            Approve
          </Button>
          <Button look="reject" hint="R" small why={why} onClick={() => decide('rejected')}>
            Reject
          </Button>
          <Button hint="T" small why={why} onClick={() => chosenRows.forEach((one) => void take(one))}>
            Take
          </Button>
          <Button hint="S" small why={why} onClick={() => setAside(chosenRows)}>
            Set aside
          </Button>
          <Button look="ghost" small onClick={() => setPicked(new Set())}>
            Clear
          </Button>
        </section>
      )}
      <SnoozeBox
        cases={aside}
        close={() => {
          setAside(undefined);
          setPicked(new Set());
        }}
      />
      <RejectBox
        cases={asked?.rows}
        status={asked?.status ?? 'rejected'}
        sum={asked && sumOf(asked.rows)}
        close={() => setAsked(undefined)}
        onSend={(body) => {
          if (asked !== undefined) resolve(asked.rows, body);
          setAsked(undefined);
          setPicked(new Set());
        }}
      />
    </div>
  );
};

/** The queue, beginning with the view that the person wants to see first. */
export default function Cases() {
  const isBare = useSearch() === '';
  const { first, isPending } = useViews('cases');
  if (isBare && isPending) return <Skeleton rows={10} height={26} />;
  if (isBare && first !== undefined) return <Redirect to={`/cases${first.query}`} replace />;
  // Without filters the address would lead to the first view again.
  return <Queue plain={first === undefined ? '' : '?view=open'} />;
}
