import type { Screening } from '@portcullis/client';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useMay } from '../api/environment.tsx';
import { StackedChart } from '../overview/StackedChart.tsx';
import { Button } from '../parts/Button.tsx';
import { FilterBar } from '../parts/FilterBar.tsx';
import { formatCount, formatName } from '../parts/format.ts';
import { Bones, Failed } from '../parts/State.tsx';
import { Time } from '../parts/Time.tsx';
import { useAddressQuery } from '../parts/use-address.ts';
import { useOnce } from '../parts/use-once.ts';
import { Views } from '../parts/Views.tsx';
import { VirtualTable } from '../parts/VirtualTable.tsx';
import { useKeys } from '../shell/keys.ts';
import { userPath } from '../users/path.ts';
import {
  type Chosen,
  GROUPINGS,
  type Grouping,
  PERSONAL_GROUPINGS,
  queryOf,
  readChosen,
  writeChosen,
} from './chosen.ts';
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
import { MOST_NEW, useNewCount, useScreenings } from './use-screenings.ts';
import { useSeries } from './use-series.ts';
import { useSuggestions } from './use-suggestions.ts';
import './explorer.css';

const ColumnsBox = lazy(() => import('./ColumnsBox.tsx'));

const TABS = [
  [undefined, 'All'],
  ['transaction', 'Payments'],
  ['event', 'Events'],
] as const;
const keyOf = ({ subject_id }: Screening): string => subject_id;

/** The decisions of the items that match. A search by text reads each request, so it has no chart. */
const Chart = ({ chosen, change }: { chosen: Chosen; change: (next: Partial<Chosen>) => void }) => {
  const series = useSeries(chosen);
  if (chosen.terms.some((term) => term.startsWith('text:')))
    return <p className="dim explorer-note">A search by text has no chart and no groups: it reads each request.</p>;
  if (series.data === undefined)
    return series.isError ? null : (
      <div className="explorer-chart">
        <Bones rows={4} height={24} />
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
            since <Time at={lookedBackTo} as={formatMoment} />; older ones are not counted
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
const List = ({ chosen, change }: { chosen: Chosen; change: (next: Partial<Chosen>, isStep?: boolean) => void }) => {
  const [, go] = useLocation();
  const query = queryOf(chosen);
  const list = useScreenings(query, true);
  const { rows } = list;
  const opened = rows.findIndex(({ subject_id }) => subject_id === chosen.row);
  const [cursor, setCursor] = useState(Math.max(0, opened));
  const at = opened === -1 ? Math.min(cursor, rows.length - 1) : opened;
  const current = rows[at];
  const news = useNewCount(query, rows[0], spanOf(chosen.range).isOpen && !list.isPending && !list.isFetching);
  const shown = chosen.columns.join();
  const columns = useMemo(() => columnsOf(shown.split(',') as ColumnId[]), [shown]);
  const open = (row: Screening | undefined, isStep = false): void => {
    if (row !== undefined) change({ row: row.subject_id }, isStep);
  };
  const moveTo = (index: number): void => {
    const to = Math.max(0, Math.min(index, rows.length - 1));
    setCursor(to);
    // An open item follows the cursor.
    if (chosen.row !== undefined) open(rows[to], true);
  };
  useKeys('Explorer', [
    { keys: 'j', label: 'Next row', run: () => moveTo(at + 1) },
    { keys: 'k', label: 'Row before', run: () => moveTo(at - 1) },
    { keys: 'Enter', label: 'Open beside the list', run: () => open(current) },
    { keys: 'd', label: 'Decision', run: () => current && go(`/decisions/${current.decision_id}`) },
    { keys: 'u', label: 'User', run: () => current && go(userPath(current.user_id)) },
  ]);
  const end = list.isFetchingNextPage ? (
    'Looking further back…'
  ) : list.isFetchNextPageError ? (
    <>
      The next rows did not come. <Button onClick={() => void list.fetchNextPage()}>Try again</Button>
    </>
  ) : list.lookedBackTo !== undefined ? (
    <>
      Looked back to <Time at={list.lookedBackTo} as={formatMoment} />.{' '}
      <Button small onClick={() => void list.fetchNextPage()}>
        Go on
      </Button>
    </>
  ) : list.hasNextPage ? (
    ''
  ) : (
    `All ${formatCount(rows.length)} items of this time`
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
            <Bones rows={10} height={24} />
          </div>
        ) : rows.length === 0 && !list.hasNextPage ? (
          <Empty chosen={chosen} onChange={change} />
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
              open(rows[index], chosen.row !== undefined);
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
      {chosen.row !== undefined && (
        <RowDrawer
          key={chosen.row}
          subjectId={chosen.row}
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
  const chosen = readChosen(address);
  const filterRef = useRef<HTMLInputElement>(null);
  const [isChoosing, setChoosing] = useState(false);
  const hasChosen = useOnce(isChoosing);
  const suggestions = useSuggestions();
  const mayReadPersonal = useMay('read_personal');
  const hasText = chosen.terms.some((term) => term.startsWith('text:'));
  const by = hasText ? undefined : chosen.by;
  /** Steps that one would not go back through replace the address. */
  const change = (next: Partial<Chosen>, isStep = false): void =>
    go(`/explorer${writeChosen({ ...chosen, row: undefined, ...next })}`, { replace: isStep });
  useEffect(() => {
    document.title = 'Explorer · Portcullis';
  }, []);
  useKeys('Explorer', [
    { keys: '/', label: 'Filter', run: () => filterRef.current?.focus() },
    { keys: 'o', label: 'Zoom out ×2', run: () => change({ range: zoomOut(chosen.range) }) },
  ]);
  const query = queryOf(chosen);
  return (
    <div className="explorer">
      <div className="page-head">
        <h1>Explorer</h1>
        <nav className="segments" aria-label="Type">
          {TABS.map(([type, title]) => (
            <button key={title} type="button" aria-current={type === chosen.type} onClick={() => change({ type })}>
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
          <Views page="explorer" query={writeChosen({ ...chosen, row: undefined })} />
          <ExportMenu query={query} />
        </div>
      </div>
      <FilterBar
        terms={chosen.terms}
        onChange={(terms) => change({ terms })}
        inputRef={filterRef}
        read={readTerms}
        placeholder="Filter: decision:block  usd>500  country:NG  signal:new_device"
        example="decision:block"
        {...suggestions}
      />
      <RangePicker range={chosen.range} onChange={(range) => change({ range })} />
      <Chart chosen={chosen} change={change} />
      {by === undefined ? (
        <List key={JSON.stringify(query)} chosen={chosen} change={change} />
      ) : (
        <div className="card explorer-card">
          <Groups by={by} query={query} onTerm={(term) => change({ terms: [...chosen.terms, term], by: undefined })} />
        </div>
      )}
      {hasChosen && (
        <Suspense fallback={null}>
          <ColumnsBox
            isOpen={isChoosing}
            close={() => setChoosing(false)}
            columns={chosen.columns}
            onChange={(columns) => change({ columns }, true)}
          />
        </Suspense>
      )}
    </div>
  );
}
