import type { Screening } from '@portcullis/client';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useMay } from '../api/environment.tsx';
import { StackedChart } from '../overview/StackedChart.tsx';
import { Button } from '../parts/Button.tsx';
import { Failed } from '../parts/Failed.tsx';
import { FilterBar } from '../parts/FilterBar.tsx';
import { formatCount, formatName } from '../parts/format.ts';
import { loadLater } from '../parts/load-later.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { useAddressQuery } from '../parts/use-address.ts';
import { useEverOn } from '../parts/use-ever-on.ts';
import { Views } from '../parts/Views.tsx';
import { VirtualTable } from '../parts/VirtualTable.tsx';
import { useKeys } from '../shell/keys.ts';
import { userPath } from '../users/path.ts';
import type { ColumnId } from './column-ids.ts';
import { cardOf, columnsOf } from './columns.tsx';
import { Empty } from './Empty.tsx';
import { ExportMenu } from './ExportMenu.tsx';
import { Groups } from './Groups.tsx';
import { formatMoment } from './moment.ts';
import { RangePicker } from './RangePicker.tsx';
import { RowDrawer } from './RowDrawer.tsx';
import { spanOf, zoomOut } from './range.ts';
import { readTerms } from './terms.ts';
import {
  GROUPINGS,
  type Grouping,
  PERSONAL_GROUPINGS,
  queryOf,
  readUrlState,
  type UrlState,
  writeUrlState,
} from './url-state.ts';
import { MOST_NEW, useNewCount, useScreenings } from './use-screenings.ts';
import { useSeries } from './use-series.ts';
import { useSuggestions } from './use-suggestions.ts';
import './explorer.css';

const ColumnsBox = loadLater(() => import('./ColumnsBox.tsx'));

const TABS = [
  [undefined, 'All'],
  ['transaction', 'Payments'],
  ['event', 'Events'],
] as const;
const keyOf = ({ subject_id }: Screening): string => subject_id;

/** The decisions of the items that match. A search by text reads each request, so it has no chart. */
const Chart = ({ urlState, change }: { urlState: UrlState; change: (next: Partial<UrlState>) => void }) => {
  const series = useSeries(urlState);
  if (urlState.terms.some((term) => term.startsWith('text:')))
    return <p className="dim explorer-note">Text search reads each request, so it has no chart and no groups.</p>;
  if (series.data === undefined)
    return series.isError ? null : (
      <div className="explorer-chart">
        <Skeleton rows={4} height={24} />
      </div>
    );
  const { points, step, items, lookedBackTo } = series.data;
  return (
    <section className="card explorer-chart" aria-label="Decisions over time">
      <p className="explorer-count" role="status">
        <strong className="num">{formatCount(items)}</strong> {items === 1 ? 'item' : 'items'}
        {lookedBackTo !== null && (
          <span className="dim">
            {' '}
            since <Time at={lookedBackTo} as={formatMoment} />; older items are not counted
          </span>
        )}
      </p>
      <StackedChart
        points={points}
        step={step}
        height={120}
        onRange={(from, until) => change({ range: { preset: undefined, from, until } })}
      />
    </section>
  );
};

/** The items that match, the newest first. */
const List = ({
  urlState,
  change,
}: {
  urlState: UrlState;
  change: (next: Partial<UrlState>, isStep?: boolean) => void;
}) => {
  const [, go] = useLocation();
  const query = queryOf(urlState);
  const list = useScreenings(query, true);
  const { rows } = list;
  const opened = rows.findIndex(({ subject_id }) => subject_id === urlState.row);
  const [cursor, setCursor] = useState(Math.max(0, opened));
  const at = opened === -1 ? Math.min(cursor, rows.length - 1) : opened;
  const current = rows[at];
  const news = useNewCount(query, rows[0], spanOf(urlState.range).isOpen && !list.isPending && !list.isFetching);
  const shown = urlState.columns.join();
  const columns = useMemo(() => columnsOf(shown.split(',') as ColumnId[]), [shown]);
  const open = (row: Screening | undefined, isStep = false): void => {
    if (row !== undefined) change({ row: row.subject_id }, isStep);
  };
  const moveTo = (index: number): void => {
    const to = Math.max(0, Math.min(index, rows.length - 1));
    setCursor(to);
    // An open item follows the cursor.
    if (urlState.row !== undefined) open(rows[to], true);
  };
  useKeys('Explorer', [
    { keys: 'j', label: 'Next row', run: () => moveTo(at + 1) },
    { keys: 'k', label: 'Previous row', run: () => moveTo(at - 1) },
    { keys: 'Enter', label: 'Open beside the list', run: () => open(current) },
    { keys: 'd', label: 'Decision', run: () => current && go(`/decisions/${current.decision_id}`) },
    { keys: 'u', label: 'User', run: () => current && go(userPath(current.user_id)) },
  ]);
  const end = list.isFetchingNextPage ? (
    'Searching further back…'
  ) : list.isFetchNextPageError ? (
    <>
      The next rows could not be loaded. <Button onClick={() => void list.fetchNextPage()}>Try again</Button>
    </>
  ) : list.lookedBackTo !== undefined ? (
    <>
      Searched back to <Time at={list.lookedBackTo} as={formatMoment} />.{' '}
      <Button small onClick={() => void list.fetchNextPage()}>
        Continue
      </Button>
    </>
  ) : list.hasNextPage ? (
    ''
  ) : (
    `All ${formatCount(rows.length)} items in this period`
  );
  return (
    <>
      {news > 0 && (
        <div className="explorer-new">
          <Button small icon="sparkle" onClick={() => void list.renew()}>
            {news >= MOST_NEW ? `${MOST_NEW} or more` : news} new
          </Button>
        </div>
      )}
      <div className="card explorer-card">
        {list.isError && rows.length === 0 ? (
          <Failed error={list.error} retry={() => void list.refetch()} />
        ) : list.isPending ? (
          <div style={{ padding: 20 }}>
            <Skeleton rows={10} height={24} />
          </div>
        ) : rows.length === 0 && !list.hasNextPage ? (
          <Empty urlState={urlState} onChange={change} />
        ) : (
          <VirtualTable
            name="Items"
            rows={rows}
            columns={columns}
            card={cardOf}
            keyOf={keyOf}
            at={at}
            onAt={(index) => {
              setCursor(index);
              open(rows[index], urlState.row !== undefined);
            }}
            onEnd={() => {
              if (list.hasNextPage && !list.isFetchingNextPage && list.lookedBackTo === undefined)
                void list.fetchNextPage();
            }}
            foot={end}
            address={JSON.stringify(query)}
          />
        )}
      </div>
      {urlState.row !== undefined && (
        <RowDrawer
          key={urlState.row}
          subjectId={urlState.row}
          decisionId={rows[opened]?.decision_id}
          close={() => {
            setCursor(at);
            change({ row: undefined }, true);
          }}
        />
      )}
    </>
  );
};

/** Find anything of 90 days. */
export default function Explorer() {
  const [, go] = useLocation();
  const address = useAddressQuery();
  const urlState = readUrlState(address);
  const filterRef = useRef<HTMLInputElement>(null);
  const [isChoosing, setChoosing] = useState(false);
  const hasChosen = useEverOn(isChoosing);
  const suggestions = useSuggestions();
  const mayReadPersonal = useMay('read_personal');
  const hasText = urlState.terms.some((term) => term.startsWith('text:'));
  const by = hasText ? undefined : urlState.by;
  /** Steps that one would not go back through replace the address. */
  const change = (next: Partial<UrlState>, isStep = false): void =>
    go(`/explorer${writeUrlState({ ...urlState, row: undefined, ...next })}`, { replace: isStep });
  useEffect(() => {
    document.title = 'Explorer · Portcullis';
  }, []);
  useKeys('Explorer', [
    { keys: '/', label: 'Filter', run: () => filterRef.current?.focus() },
    { keys: 'o', label: 'Zoom out ×2', run: () => change({ range: zoomOut(urlState.range) }) },
  ]);
  const query = queryOf(urlState);
  return (
    <div className="explorer">
      <div className="page-head">
        <h1>Explorer</h1>
        <nav className="segments" aria-label="Type">
          {TABS.map(([type, title]) => (
            <button key={title} type="button" aria-current={type === urlState.type} onClick={() => change({ type })}>
              {title}
            </button>
          ))}
        </nav>
        <div className="page-more">
          <label className="order">
            <span className="dim">Group by</span>
            <select
              value={by ?? ''}
              disabled={hasText}
              onChange={(event) => change({ by: (event.currentTarget.value || undefined) as Grouping | undefined })}
            >
              <option value="">none</option>
              {GROUPINGS.map((one) => (
                <option key={one} value={one} disabled={!mayReadPersonal && PERSONAL_GROUPINGS.includes(one)}>
                  {formatName(one)}
                </option>
              ))}
            </select>
          </label>
          <Button onClick={() => setChoosing(true)}>Columns</Button>
          <Views page="explorer" query={writeUrlState({ ...urlState, row: undefined })} />
          <ExportMenu query={query} />
        </div>
      </div>
      <FilterBar
        terms={urlState.terms}
        onChange={(terms) => change({ terms })}
        inputRef={filterRef}
        read={readTerms}
        placeholder="Filter: decision:block  usd>500  country:NG  signal:new_device"
        example="decision:block"
        {...suggestions}
      />
      <RangePicker range={urlState.range} onChange={(range) => change({ range })} />
      <Chart urlState={urlState} change={change} />
      {by === undefined ? (
        <List key={JSON.stringify(query)} urlState={urlState} change={change} />
      ) : (
        <div className="card explorer-card">
          <Groups
            by={by}
            query={query}
            onTerm={(term) => change({ terms: [...urlState.terms, term], by: undefined })}
          />
        </div>
      )}
      {hasChosen && (
        <Suspense fallback={null}>
          <ColumnsBox
            isOpen={isChoosing}
            close={() => setChoosing(false)}
            columns={urlState.columns}
            onChange={(columns) => change({ columns }, true)}
          />
        </Suspense>
      )}
    </div>
  );
}
