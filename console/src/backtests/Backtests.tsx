import type { Backtest } from '@portcullis/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useParams } from '../admin/use-params.ts';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatDay, formatDayTime, formatShare } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { useKeys } from '../shell/keys.ts';
import { signed } from './Outcome.tsx';
import { kindOf, requestWords } from './request.ts';
import { useRuleNames } from './use-names.ts';
import '../parts/table.css';
import '../rules/tune.css';

const PAGE = 50;
const EVERY_MS = 1500;
/** The chosen backtests in the address. */
const PICKED = 'picked';
const LOOKS = { running: 'accent', done: 'allow', failed: 'block' } as const;

const useList = () => {
  const client = useClient();
  const environment = useEnvironment();
  return useInfiniteQuery({
    queryKey: [environment, 'backtests', 'pages'],
    queryFn: ({ pageParam, signal }) =>
      client.backtests.list({ limit: PAGE, ...(pageParam !== '' && { before: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ has_more, backtests }) => (has_more ? backtests.at(-1)?.backtest_id : undefined),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ backtests }) => backtests.some(({ status }) => status === 'running')) === true
        ? EVERY_MS
        : false,
  });
};

export const StatusBadge = ({ backtest }: { backtest: Backtest }) => (
  <span className={`badge badge-${LOOKS[backtest.status]}`}>
    {backtest.status === 'running' ? `running, ${formatShare(backtest.progress)}` : backtest.status}
  </span>
);

interface RowProps {
  readonly one: Backtest;
  readonly words: string;
  readonly isAt: boolean;
  readonly isPicked: boolean;
  readonly onPick: () => void;
}
const Row = ({ one, words, isAt, isPicked, onPick }: RowProps) => {
  const { outcome } = one;
  const more =
    outcome === null
      ? undefined
      : outcome.after.review + outcome.after.block - outcome.before.review - outcome.before.block;
  return (
    <tr aria-current={isAt || undefined}>
      <td className="pick">
        <input
          type="checkbox"
          checked={isPicked}
          disabled={outcome === null}
          aria-label={`Compare ${words}, requested ${formatDayTime(one.created_at)}`}
          onChange={onPick}
        />
      </td>
      <td className="rule-name">
        <Link href={`/backtests/${one.backtest_id}`}>{words}</Link>
        <span className="dim cut">
          {kindOf(one)}, {formatDay(one.from)} to {formatDay(one.until)}
        </span>
      </td>
      <td>
        <StatusBadge backtest={one} />
      </td>
      <td className="num end is-wide">{outcome === null ? '–' : formatCount(outcome.items)}</td>
      <td className="num end nowrap">
        {outcome === null ? '–' : `${formatCount(outcome.fraud.hits)} / ${formatCount(outcome.fraud.items)}`}
      </td>
      <td className="num end nowrap is-wide">
        {outcome === null ? '–' : `${formatCount(outcome.legitimate.hits)} / ${formatCount(outcome.legitimate.items)}`}
      </td>
      <td className="num end">{more === undefined ? '–' : signed(more)}</td>
      <td className="dim nowrap is-wide end">
        <Time at={one.created_at} as={formatDayTime} />
      </td>
    </tr>
  );
};

/** Every backtest of a rule or a policy. */
export default function Backtests() {
  const [, go] = useLocation();
  const list = useList();
  const names = useRuleNames();
  const [at, setAt] = useState(0);
  const rows = list.data?.pages.flatMap(({ backtests }) => backtests) ?? [];
  const index = Math.min(at, Math.max(0, rows.length - 1));
  const [params, change] = useParams();
  const picked = (params.get(PICKED) ?? '').split(',').filter((id) => id !== '');
  /** The newest two choices: a third replaces the first. */
  const pick = ({ backtest_id: id, outcome }: Backtest): void => {
    if (outcome === null) return;
    const next = picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id].slice(-2);
    change({ [PICKED]: next.join(',') });
  };
  const whyNot = picked.length === 2 ? undefined : 'Select two finished backtests.';
  const compare = (): void => go(`/backtests/compare?a=${picked[0]}&b=${picked[1]}`);
  useEffect(() => {
    document.title = 'Backtests · Portcullis';
  }, []);
  useKeys('Backtests', [
    { keys: 'j', label: 'Next row', run: () => setAt(Math.min(index + 1, rows.length - 1)) },
    { keys: 'k', label: 'Previous row', run: () => setAt(Math.max(0, index - 1)) },
    { keys: 'Enter', label: 'Open', run: () => rows[index] && go(`/backtests/${rows[index].backtest_id}`) },
    { keys: 'x', label: 'Select to compare', run: () => rows[index] && pick(rows[index]) },
    { keys: 'c', label: 'Compare the selected two', run: compare, disabled: whyNot !== undefined },
  ]);
  return (
    <div className="tune">
      <div className="page-head">
        <h1>Backtests</h1>
        {rows.length > 1 && (
          <div className="page-more">
            <Button hint="C" why={whyNot} onClick={compare}>
              Compare
            </Button>
          </div>
        )}
      </div>
      <div className="card">
        {list.data === undefined ? (
          list.isError ? (
            <Failed error={list.error} retry={() => void list.refetch()} />
          ) : (
            <div style={{ padding: 20 }}>
              <Skeleton rows={8} height={26} />
            </div>
          )
        ) : rows.length === 0 ? (
          <EmptyState
            icon="backtests"
            title="No backtests yet"
            more={
              <>
                <Link href="/rules">Go to the rules</Link> · <Link href="/policy">Go to the policy</Link>
              </>
            }
          >
            A backtest decides past screenings again with a changed rule or policy. Start one on the page of a rule or
            of the policy.
          </EmptyState>
        ) : (
          <table className="table rows">
            <thead>
              <tr>
                <td />
                <th scope="col">Tested</th>
                <th scope="col">Status</th>
                <th scope="col" className="end is-wide">
                  Screened
                </th>
                <th scope="col" className="end">
                  Fraud
                </th>
                <th scope="col" className="end is-wide">
                  Legitimate
                </th>
                <th scope="col" className="end">
                  Held
                </th>
                <th scope="col" className="end is-wide">
                  Requested
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((one, place) => (
                <Row
                  key={one.backtest_id}
                  one={one}
                  words={requestWords(one, names)}
                  isAt={place === index}
                  isPicked={picked.includes(one.backtest_id)}
                  onPick={() => pick(one)}
                />
              ))}
            </tbody>
          </table>
        )}
      </div>
      {list.hasNextPage && (
        <p style={{ marginTop: 12 }}>
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show older backtests
          </Button>
        </p>
      )}
    </div>
  );
}
