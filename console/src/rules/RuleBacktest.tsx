import type { Backtest, Rule } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Days, Examples, Figures, Overlap } from '../backtests/Outcome.tsx';
import { Progress } from '../backtests/Progress.tsx';
import { useBacktest } from '../backtests/use-backtest.ts';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { formatDay } from '../parts/format.ts';
import { Ago } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { type Content, textSince, type Version } from './rule.ts';

const EXAMPLES = 8;

const isOfRule = ({ request }: Backtest, rule: Rule | undefined, { expression }: Content): boolean =>
  (rule !== undefined && request.rule_id === rule.rule_id) || request.rule?.expression === expression;

/** Whether a backtest is of exactly this text. */
export const isOfText = (
  { request, created_at }: Backtest,
  content: Content,
  isUnsaved: boolean,
  versions: readonly Version[],
): boolean => {
  if (request.rule !== undefined)
    return (
      request.rule.expression === content.expression &&
      request.rule.action.points === content.action.points &&
      request.rule.action.decision === content.action.decision
    );
  const since = textSince(content, versions);
  return !isUnsaved && since !== undefined && created_at >= since;
};

/** The backtest of the address, or the newest one of the rule. */
export const useRuleBacktest = (
  id: string | undefined,
  rule: Rule | undefined,
  content: Content,
): Backtest | undefined => {
  const client = useClient();
  const environment = useEnvironment();
  const all = useQuery({
    queryKey: [environment, 'backtests', 'newest'],
    queryFn: ({ signal }) => client.backtests.list({ limit: 100 }, { signal }),
  }).data?.backtests;
  const newest = all?.find((one) => isOfRule(one, rule, content) && one.status !== 'failed');
  return useBacktest(id ?? newest?.backtest_id).data;
};

interface Props {
  readonly backtest: Backtest | undefined;
  readonly isCurrent: boolean;
  readonly start: () => void;
  readonly isBusy: boolean;
  readonly whyNot: string | undefined;
}

/** What the rule would have done in the last 30 days. */
export const RuleBacktest = ({ backtest, isCurrent, start, isBusy, whyNot }: Props) => {
  const why = useWhyNot('review') ?? whyNot;
  const button = (
    <Button small busy={isBusy} why={why} onClick={start}>
      Run on the last 30 days
    </Button>
  );
  if (backtest === undefined)
    return (
      <Card title="Backtest" more={button}>
        <p className="dim">
          Decides past screenings again as if the rule were live, with the facts of their time. Stored decisions do not
          change.
        </p>
      </Card>
    );
  const { outcome } = backtest;
  return (
    <Card
      title="Backtest"
      note={
        <>
          {formatDay(backtest.from)} to {formatDay(backtest.until)}, <Ago at={backtest.created_at} /> ago
        </>
      }
      more={backtest.status === 'running' ? undefined : button}
    >
      <div className="stack">
        {!isCurrent && (
          <p className="notice is-plain">This backtest is of an earlier version. Run it again for the current one.</p>
        )}
        {outcome === null ? (
          <Progress backtest={backtest} />
        ) : (
          <>
            <Figures outcome={outcome} isPolicy={false} />
            <Days outcome={outcome} isPolicy={false} />
            {outcome.overlap.length > 0 && (
              <div>
                <h3 className="sub">Overlap with live rules</h3>
                <Overlap outcome={outcome} />
              </div>
            )}
            <div>
              <h3 className="sub">Examples</h3>
              <Examples outcome={outcome} first={EXAMPLES} />
            </div>
            <p>
              <Link href={`/backtests/${backtest.backtest_id}`}>All figures and examples of this backtest</Link>
            </p>
          </>
        )}
      </div>
    </Card>
  );
};
