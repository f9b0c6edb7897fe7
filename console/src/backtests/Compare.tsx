import type { Backtest, BacktestOutcome } from '@portcullis/client';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useParams } from '../admin/use-params.ts';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatDayTime } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { Time } from '../parts/Time.tsx';
import { useKeys } from '../shell/keys.ts';
import { decisionPairs, differenceOf, moneyPairs, type Pair, qualityPairs, signalPairs } from './difference.ts';
import { kindOf, requestWords } from './request.ts';
import { useBacktest } from './use-backtest.ts';
import { useRuleNames } from './use-names.ts';
import '../parts/table.css';
import '../rules/tune.css';
import './compare.css';

const Value = ({ pair, of }: { pair: Pair; of: 'a' | 'b' }) => {
  const value = pair[of];
  const note = pair.notes?.[of === 'a' ? 0 : 1] ?? '';
  return (
    <td className="num end">
      {value === null ? '–' : pair.format(value)}
      {note !== '' && <span className="dim compare-note">{note}</span>}
    </td>
  );
};

const Pairs = ({ label, pairs }: { label: string; pairs: readonly Pair[] }) => (
  <TableBox label={label}>
    <table className="table compare">
      <thead>
        <tr>
          <th scope="col">Figure</th>
          <th scope="col" className="end">
            A
          </th>
          <th scope="col" className="end">
            B
          </th>
          <th scope="col" className="end">
            B minus A
          </th>
        </tr>
      </thead>
      <tbody>
        {pairs.map((pair) => (
          <tr key={pair.name}>
            <th scope="row">{pair.name}</th>
            <Value pair={pair} of="a" />
            <Value pair={pair} of="b" />
            <td className="num end nowrap">{differenceOf(pair)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableBox>
);

const Side = ({ letter, backtest, words }: { letter: string; backtest: Backtest; words: string }) => (
  <div className="card compare-side">
    <span className="compare-letter" aria-hidden="true">
      {letter}
    </span>
    <div className="rule-name">
      <Link href={`/backtests/${backtest.backtest_id}`} aria-label={`${letter}: ${words}`}>
        {words}
      </Link>
      <span className="dim">
        {kindOf(backtest)}, <Time at={backtest.from} as={formatDayTime} /> to{' '}
        <Time at={backtest.until} as={formatDayTime} />
      </span>
    </div>
  </div>
);

const Tables = ({ a, b }: { a: BacktestOutcome; b: BacktestOutcome }) => {
  const signals = signalPairs(a, b);
  return (
    <>
      {a.items !== b.items && (
        <p className="compare-time">
          The two backtests cover different periods, so their counts also differ for that reason.
        </p>
      )}
      <div className="compare-grid">
        <Card title="Decisions" note="With the change in force">
          <Pairs label="Decisions, A and B" pairs={decisionPairs(a, b)} />
        </Card>
        <Card title="Quality of the score" note="Items without a label count as legitimate">
          <Pairs label="Quality, A and B" pairs={qualityPairs(a, b)} />
        </Card>
        <Card title="Money" note="Matched amounts in US dollars">
          <Pairs label="Amounts, A and B" pairs={moneyPairs(a, b)} />
        </Card>
        {signals.length > 0 && (
          <Card title="Precision of signals" note="Known fraud among the items where the signal was active">
            <Pairs label="Signals, A and B" pairs={signals} />
          </Card>
        )}
      </div>
    </>
  );
};

/** The figures of two backtests side by side. The address names both. */
export default function Compare() {
  const [params, change] = useParams();
  const [idA, idB] = [params.get('a') ?? undefined, params.get('b') ?? undefined];
  const [a, b] = [useBacktest(idA), useBacktest(idB)];
  const names = useRuleNames();
  const swap = (): void => change({ a: idB, b: idA });
  useEffect(() => {
    document.title = 'Compare backtests · Portcullis';
  }, []);
  useKeys('Compare', [{ keys: 's', label: 'Swap A and B', run: swap }]);
  if (idA === undefined || idB === undefined)
    return (
      <EmptyState icon="backtests" title="Nothing to compare" more={<Link href="/backtests">Go to the backtests</Link>}>
        Select two finished backtests in the list.
      </EmptyState>
    );
  const failed = [a, b].find(({ isError }) => isError);
  if (failed !== undefined) return <Failed error={failed.error} retry={() => void failed.refetch()} />;
  if (a.data === undefined || b.data === undefined) return <Skeleton rows={8} height={30} />;
  return (
    <div className="tune rule">
      <div className="crumbs">
        <Link href={`/backtests?picked=${idA},${idB}`}>Backtests</Link>
      </div>
      <div className="page-head">
        <h1>Compare</h1>
        <div className="page-more">
          <Button hint="S" onClick={swap}>
            Swap
          </Button>
        </div>
      </div>
      <div className="compare-sides">
        <Side letter="A" backtest={a.data} words={requestWords(a.data, names)} />
        <Side letter="B" backtest={b.data} words={requestWords(b.data, names)} />
      </div>
      {a.data.outcome === null || b.data.outcome === null ? (
        <EmptyState icon="backtests" title="Not finished">
          A running or failed backtest has no figures. They appear when both backtests are finished.
        </EmptyState>
      ) : (
        <Tables a={a.data.outcome} b={b.data.outcome} />
      )}
    </div>
  );
}
