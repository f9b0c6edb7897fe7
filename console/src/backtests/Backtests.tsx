import type { Backtest } from '@portcullis/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { formatCount, formatDay, formatDayTime, formatShare } from '../parts/format.ts';
import { Bones, Failed, State } from '../parts/State.tsx';
import { Time } from '../parts/Time.tsx';
import { useKeys } from '../shell/keys.ts';
import { signed } from './Outcome.tsx';
import { kindOf, requestWords } from './request.ts';
import { useRuleNames } from './use-names.ts';
import '../parts/table.css';
import '../rules/tune.css';

const PAGE = 50;
const EVERY_MS = 1500;
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

const Row = ({ one, names, isAt }: { one: Backtest; names: ReadonlyMap<string, string>; isAt: boolean }) => {
  const { outcome } = one;
  const more =
    outcome === null
      ? undefined
      : outcome.after.review + outcome.after.block - outcome.before.review - outcome.before.block;
  return (
    <tr aria-current={isAt || undefined}>
      <td className="rule-name">
        <Link href={`/backtests/${one.backtest_id}`}>{requestWords(one, names)}</Link>
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

/** Every try of a rule or a policy on the past. */
export default function Backtests() {
  const [, go] = useLocation();
  const list = useList();
  const names = useRuleNames();
  const [at, setAt] = useState(0);
  const rows = list.data?.pages.flatMap(({ backtests }) => backtests) ?? [];
  const index = Math.min(at, Math.max(0, rows.length - 1));
  useEffect(() => {
    document.title = 'Backtests · Portcullis';
  }, []);
  useKeys('Backtests', [
    { keys: 'j', label: 'Next row', run: () => setAt(Math.min(index + 1, rows.length - 1)) },
    { keys: 'k', label: 'Row before', run: () => setAt(Math.max(0, index - 1)) },
    { keys: 'Enter', label: 'Open', run: () => rows[index] && go(`/backtests/${rows[index].backtest_id}`) },
  ]);
  return (
    <div className="tune">
      <div className="page-head">
        <h1>Backtests</h1>
      </div>
      <div className="card">
        {list.data === undefined ? (
          list.isError ? (
            <Failed error={list.error} retry={() => void list.refetch()} />
          ) : (
            <div style={{ padding: 20 }}>
              <Bones rows={8} height={26} />
            </div>
          )
        ) : rows.length === 0 ? (
          <State
            icon="backtests"
            title="No backtests yet"
            more={
              <>
                <Link href="/rules">To the rules</Link> · <Link href="/policy">To the policy</Link>
              </>
            }
          >
            A backtest decides past screenings again with a rule or a policy that is not in force. Start one on the page
            of a rule or of the policy.
          </State>
        ) : (
          <table className="table rows">
            <thead>
              <tr>
                <th scope="col">Tried</th>
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
                <Row key={one.backtest_id} one={one} names={names} isAt={place === index} />
              ))}
            </tbody>
          </table>
        )}
      </div>
      {list.hasNextPage && (
        <p style={{ marginTop: 12 }}>
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show older ones
          </Button>
        </p>
      )}
    </div>
  );
}
