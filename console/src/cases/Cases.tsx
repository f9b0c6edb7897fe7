import type { Case } from '@portcullis/client';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useMay } from '../api/environment.tsx';
import { heard } from '../api/heard.ts';
import { useStore } from '../api/store.ts';
import { Button } from '../parts/Button.tsx';
import { FilterBar } from '../parts/FilterBar.tsx';
import { formatCount, formatUsd, plural } from '../parts/format.ts';
import { Bones, Failed, State, useWhyNot } from '../parts/State.tsx';
import { useNow } from '../parts/Time.tsx';
import { Views } from '../parts/Views.tsx';
import { useSettings } from '../settings/use-settings.ts';
import { useKeys } from '../shell/keys.ts';
import {
  type Chosen,
  ORDER_TITLES,
  ORDERS,
  type Order,
  readChosen,
  readTerms,
  suggestTerms,
  VIEW_TITLES,
  VIEWS,
  writeChosen,
} from './filters.ts';
import { List } from './List.tsx';
import { Peek } from './Peek.tsx';
import { rememberQueue } from './queue.ts';
import { RejectBox } from './RejectBox.tsx';
import { type Outcome, useResolve } from './resolve.ts';
import { SnoozeBox } from './SnoozeBox.tsx';
import { useNextCase, useTake } from './take.ts';
import { useCases } from './use-cases.ts';
import './cases.css';

/** The cases that others resolved, and how many are new, since the list was read. */
const useNews = (readAt: number) => {
  const event = useStore(heard);
  const [news, setNews] = useState({ created: 0, resolved: new Set<string>() as ReadonlySet<string> });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that was read again has no news
  useEffect(() => setNews({ created: 0, resolved: new Set() }), [readAt]);
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

const Empty = ({ chosen, clear }: { chosen: Chosen; clear: () => void }) => {
  if (chosen.terms.length > 0)
    return (
      <State icon="filter" title="No case matches" more={<Button onClick={clear}>Clear the filters</Button>}>
        {chosen.terms.join('  ')}
      </State>
    );
  if (chosen.view === 'snoozed')
    return (
      <State icon="clock" title="Nothing is set aside">
        Press s on a case that cannot be decided yet. It comes back at the time that you choose.
      </State>
    );
  if (chosen.view === 'resolved')
    return (
      <State icon="cases" title="No resolved cases yet">
        Cases that people approved or rejected, or that expired, are listed here.
      </State>
    );
  return (
    <State icon="check" title={chosen.view === 'mine' ? 'You have no cases' : 'Nothing waits'}>
      {chosen.view === 'mine'
        ? 'Press n to take the next one.'
        : 'A case opens when a payment or event gets the decision review. It appears here at once.'}
    </State>
  );
};

/** The queue: take work in the right order. */
export default function Cases() {
  const [, go] = useLocation();
  const chosen = readChosen(useSearch());
  const list = useCases(chosen);
  const { rows, total } = list;
  const [at, setAt] = useState(0);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<{ status: Outcome; rows: readonly Case[] } | undefined>();
  const [aside, setAside] = useState<readonly Case[] | undefined>();
  const [isPeeking, setPeeking] = useState(false);
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

  const change = (next: Partial<Chosen>): void => {
    setAt(0);
    setPicked(new Set());
    go(`/cases${writeChosen({ ...chosen, ...next })}`, { replace: true });
  };
  const open = (row: Case | undefined): void => {
    if (row !== undefined) go(`/cases/${row.case_id}`);
  };
  useEffect(() => rememberQueue(rows, writeChosen(chosen)));

  const pick = (id: string, isRange: boolean): void => {
    const to = rows.findIndex(({ case_id }) => case_id === id);
    const ids = isRange ? rows.slice(Math.min(index, to), Math.max(index, to) + 1).map(({ case_id }) => case_id) : [id];
    const isOn = isRange || !picked.has(id);
    setPicked(isOn ? picked.union(new Set(ids)) : picked.difference(new Set(ids)));
    if (to !== -1) setAt(to);
  };
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
    { keys: 'k', label: 'Row before', run: () => setAt(Math.max(0, index - 1)) },
    { keys: 'Enter', label: 'Open', run: () => open(current) },
    { keys: 'x', label: 'Pick', run: () => current && pick(current.case_id, false), disabled: !mayReview },
    { keys: 'X', label: 'Pick up to here', run: () => pickRange(), disabled: !mayReview },
    { keys: 'a', label: 'Approve', run: () => decide('approved'), disabled: cannot },
    { keys: 'r', label: 'Reject', run: () => decide('rejected'), disabled: cannot },
    { keys: 't', label: 'Take', run: () => chosenRows.forEach((one) => void take(one)), disabled: cannot },
    { keys: 's', label: 'Set aside', run: () => setAside(chosenRows), disabled: cannot },
    { keys: ' ', label: 'Peek', run: () => setPeeking(!isPeeking) },
    { keys: '/', label: 'Filter', run: () => filterRef.current?.focus() },
    { keys: 'n', label: 'Next case', run: () => void takeNext(chosen), disabled: !mayReview },
    { keys: 'Escape', label: 'Clear', run: () => (isPeeking ? setPeeking(false) : setPicked(new Set())) },
  ]);
  const pickRange = (): void => {
    const first = rows.findIndex(({ case_id }) => picked.has(case_id));
    if (first === -1 || current === undefined) return;
    const ids = rows.slice(Math.min(first, index), Math.max(first, index) + 1).map(({ case_id }) => case_id);
    setPicked(picked.union(new Set(ids)));
  };

  return (
    <div className={`cases ${isPeeking && current ? 'has-peek' : ''}`}>
      <div className="page-head">
        <h1>Cases {total !== undefined && <span className="dim num">{formatCount(total)}</span>}</h1>
        <nav className="segments" aria-label="Views">
          {VIEWS.map((view) => (
            <button key={view} type="button" aria-current={view === chosen.view} onClick={() => change({ view })}>
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
          {chosen.view !== 'resolved' && (
            <label className="order">
              <span className="dim">Order</span>
              <select value={chosen.sort} onChange={(event) => change({ sort: event.currentTarget.value as Order })}>
                {ORDERS.map((order) => (
                  <option key={order} value={order}>
                    {ORDER_TITLES[order]}
                  </option>
                ))}
              </select>
            </label>
          )}
          <Views page="cases" query={writeChosen(chosen)} />
          <Button look="primary" hint="N" why={why} onClick={() => void takeNext(chosen)}>
            Next case
          </Button>
        </div>
      </div>
      <FilterBar
        terms={chosen.terms}
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
              <Bones rows={10} height={26} />
            </div>
          ) : rows.length === 0 ? (
            <Empty chosen={chosen} clear={() => change({ terms: [] })} />
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
        {isPeeking && current !== undefined && <Peek one={current} close={() => setPeeking(false)} />}
      </div>
      {pickedRows.length > 0 && (
        <section className="bulk" aria-label="Picked cases">
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
}
