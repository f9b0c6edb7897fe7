import type { Backtest, BacktestOutcome, ScoreQuality } from '@portcullis/client';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { DecisionBadge } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Copy } from '../parts/Copy.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatDay, formatMoney, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { Time } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { remember } from '../shell/recent.ts';
import { StatusBadge } from './Backtests.tsx';
import { MEASURES, type Measure } from './measures.ts';
import { Days, Examples, Figures, Overlap, signed } from './Outcome.tsx';
import { Progress } from './Progress.tsx';
import { kindOf, requestWords } from './request.ts';
import { useBacktest, useBacktests } from './use-backtest.ts';
import { useRuleNames } from './use-names.ts';
import '../parts/table.css';
import '../rules/tune.css';

const DECISIONS = ['allow', 'review', 'block'] as const;

const Decisions = ({ outcome }: { outcome: BacktestOutcome }) => (
  <table className="table">
    <thead>
      <tr>
        <th scope="col">Decision</th>
        <th scope="col" className="end">
          Before
        </th>
        <th scope="col" className="end">
          After
        </th>
        <th scope="col" className="end">
          Change
        </th>
      </tr>
    </thead>
    <tbody>
      {DECISIONS.map((decision) => (
        <tr key={decision}>
          <td>
            <DecisionBadge decision={decision} />
          </td>
          <td className="num end">{formatCount(outcome.before[decision])}</td>
          <td className="num end">{formatCount(outcome.after[decision])}</td>
          <td className="num end">{signed(outcome.after[decision] - outcome.before[decision])}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const shown = (quality: ScoreQuality | null, { of, format }: Measure): string => {
  const value = quality === null ? null : of(quality);
  return value === null ? '–' : format(value);
};

const Quality = ({ outcome }: { outcome: BacktestOutcome }) => {
  const { quality } = outcome;
  if (quality === null)
    return <p className="dim">An earlier version of the service ran this backtest, without these figures.</p>;
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Figure</th>
          <th scope="col" className="end">
            Before
          </th>
          <th scope="col" className="end">
            After
          </th>
          <th scope="col" className="end">
            Model alone
          </th>
        </tr>
      </thead>
      <tbody>
        {MEASURES.map((measure) => (
          <tr key={measure.name}>
            <td>{measure.name}</td>
            <td className="num end">{shown(quality.before, measure)}</td>
            <td className="num end">{shown(quality.after, measure)}</td>
            <td className="num end">{shown(quality.model, measure)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const Money = ({ outcome }: { outcome: BacktestOutcome }) => {
  const before = outcome.quality?.before.money ?? [];
  const after = outcome.quality?.after.money ?? [];
  if (after.length === 0) return <p className="dim">No payment in this period has an amount.</p>;
  const line = (currency: string, now: number, then: number | undefined) => (
    <td className="num end nowrap">
      {then !== undefined && then !== now && <span className="dim">{formatMoney(then, currency)} → </span>}
      {formatMoney(now, currency)}
    </td>
  );
  return (
    <TableBox label="Table of amounts">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Currency</th>
            <th scope="col" className="end">
              Fraud held
            </th>
            <th scope="col" className="end">
              Fraud missed
            </th>
            <th scope="col" className="end">
              Not fraud, held
            </th>
          </tr>
        </thead>
        <tbody>
          {after.map(({ currency, fraud_held, fraud_missed, legitimate_held }) => {
            const then = before.find((one) => one.currency === currency);
            return (
              <tr key={currency}>
                <td>{currency}</td>
                {line(currency, fraud_held, then?.fraud_held)}
                {line(currency, fraud_missed, then?.fraud_missed)}
                {line(currency, legitimate_held, then?.legitimate_held)}
              </tr>
            );
          })}
        </tbody>
      </table>
    </TableBox>
  );
};

const TestedChange = ({ backtest }: { backtest: Backtest }) => {
  const { rule, rule_id, policy } = backtest.request;
  if (rule_id !== undefined)
    return (
      <p>
        <Link href={`/rules/${rule_id}`}>The rule</Link> as it was at that time.
      </p>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus
    <pre className="mono tested-change" tabIndex={0}>
      {rule?.expression ?? JSON.stringify(policy, null, 2)}
    </pre>
  );
};

const Body = ({ backtest, outcome }: { backtest: Backtest; outcome: BacktestOutcome }) => {
  const isPolicy = backtest.request.policy !== undefined;
  return (
    <div className="stack">
      <Figures outcome={outcome} isPolicy={isPolicy} />
      <Card title="By day" note={plural(outcome.items, 'screening')}>
        <Days outcome={outcome} isPolicy={isPolicy} />
      </Card>
      <div className="rule-grid">
        <div className="stack">
          <Card title="Examples" note="Newest first. Click one to open its decision.">
            <Examples outcome={outcome} />
          </Card>
          <Card title="Money" note="Items without a label count as legitimate">
            <Money outcome={outcome} />
          </Card>
        </div>
        <div className="stack">
          <Card title="Before and after">
            <Decisions outcome={outcome} />
          </Card>
          <Card title="Quality of the score" note="Items without a label count as legitimate">
            <Quality outcome={outcome} />
          </Card>
          {outcome.overlap.length > 0 && (
            <Card title="Overlap with live rules">
              <Overlap outcome={outcome} />
            </Card>
          )}
          <Card title="What was tested">
            <TestedChange backtest={backtest} />
          </Card>
        </div>
      </div>
    </div>
  );
};

/** What a rule or a policy would have done. */
export default function BacktestPage({ id }: { id: string }) {
  const query = useBacktest(id);
  const names = useRuleNames();
  const { start, isBusy } = useBacktests();
  const why = useWhyNot('review');
  const [, go] = useLocation();
  const backtest = query.data;
  const title = backtest === undefined ? '' : requestWords(backtest, names);
  useEffect(() => {
    if (backtest === undefined) return;
    document.title = `${title} · Portcullis`;
    remember(`Backtest: ${title}`, `/backtests/${id}`);
  }, [backtest, title, id]);
  if (backtest === undefined)
    return query.isError ? (
      <Failed error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Skeleton rows={8} height={30} />
    );
  const { rule_id, rule, policy } = backtest.request;
  const again = async (): Promise<void> => {
    const begun = await start({
      ...(rule_id !== undefined && { rule_id }),
      ...(rule !== undefined && { rule }),
      ...(policy !== undefined && { policy }),
    });
    if (begun !== undefined) go(`/backtests/${begun.backtest_id}`);
  };
  return (
    <div className="tune rule">
      <div className="crumbs">
        <Link href="/backtests">Backtests</Link>
      </div>
      <div className="page-head">
        <h1 className="cut backtest-title">{title}</h1>
        <span className="rule-meta">
          <StatusBadge backtest={backtest} />
          <span className="dim">
            {kindOf(backtest)}, {formatDay(backtest.from)} to {formatDay(backtest.until)}, requested{' '}
            <Time at={backtest.created_at} />
          </span>
        </span>
        <div className="page-more">
          <Copy value={backtest.backtest_id} />
          {backtest.status !== 'running' && (
            <Button why={why} busy={isBusy} onClick={() => void again()}>
              Run again up to now
            </Button>
          )}
        </div>
      </div>
      {backtest.outcome === null ? (
        <div className="card card-body" style={{ paddingTop: 18 }}>
          <Progress backtest={backtest} />
        </div>
      ) : (
        <Body backtest={backtest} outcome={backtest.outcome} />
      )}
    </div>
  );
}
