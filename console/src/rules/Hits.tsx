import type { Rule, RuleHits } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { LabelBadge } from '../backtests/Outcome.tsx';
import { DecisionBadge } from '../parts/Badge.tsx';
import { Card } from '../parts/Card.tsx';
import { DayBars } from '../parts/DayBars.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatDayTime, formatMoney, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { Time } from '../parts/Time.tsx';
import { StateBadge } from './StateBadge.tsx';

const EVERY_MS = 15_000;
const NEWEST = 10;

const Newest = ({ hits }: { hits: RuleHits['hits'] }) => (
  <TableBox label="Newest hits">
    <table className="table hits">
      <thead>
        <tr>
          <th scope="col">Screened</th>
          <th scope="col">Rule state</th>
          <th scope="col">User</th>
          <th scope="col" className="end">
            Amount
          </th>
          <th scope="col" className="end">
            Score
          </th>
          <th scope="col">With the rule</th>
          <th scope="col">Label</th>
        </tr>
      </thead>
      <tbody>
        {hits.map(({ decision_id, matched_at, state, version, decision, item }) => (
          <tr key={decision_id}>
            <td className="nowrap">
              <Link href={`/decisions/${decision_id}`}>
                <Time at={matched_at} as={formatDayTime} />
              </Link>
            </td>
            <td className="nowrap">
              <StateBadge state={state} /> <span className="dim">v{version}</span>
            </td>
            <td className="mono cut hit-user">{item?.user_id ?? '–'}</td>
            <td className="num end nowrap">
              {item?.amount == null ? '–' : formatMoney(item.amount, item.currency ?? '')}
            </td>
            <td className="num end">{item?.risk_score ?? '–'}</td>
            <td>
              <DecisionBadge decision={decision} />
            </td>
            <td>
              <LabelBadge label={item?.label ?? null} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableBox>
);

/** What the rule matches: by day with the labels of now, and the newest items. */
export const Hits = ({ rule }: { rule: Rule }) => {
  const client = useClient();
  const environment = useEnvironment();
  const key = [environment, 'rule', rule.rule_id];
  const series = useQuery({
    queryKey: [...key, 'series'],
    queryFn: ({ signal }) => client.rules.getSeries(rule.rule_id, {}, { signal }),
    refetchInterval: EVERY_MS,
  });
  const hits = useQuery({
    queryKey: [...key, 'hits'],
    queryFn: ({ signal }) => client.rules.listHits(rule.rule_id, { limit: NEWEST, include: 'item' }, { signal }),
    refetchInterval: EVERY_MS,
  });
  const days = series.data?.days ?? [];
  const total = days.reduce((sum, day) => sum + day.hits, 0);
  const shadow = days.reduce((sum, day) => sum + day.shadow, 0);
  return (
    <Card
      title="Hits"
      note={
        total === 0 ? 'Last 30 days' : `Last 30 days: ${plural(total, 'hit')}, ${formatCount(shadow)} of them in shadow`
      }
    >
      {series.isError ? (
        <Failed error={series.error} retry={() => void series.refetch()} />
      ) : series.data === undefined || hits.data === undefined ? (
        <Skeleton rows={5} />
      ) : hits.data.hits.length === 0 ? (
        <p className="dim">
          {rule.state === 'draft'
            ? 'A draft is not evaluated. Start shadow mode to see which items it matches, without an effect on decisions.'
            : 'Nothing has matched yet.'}
        </p>
      ) : (
        <div className="stack">
          <DayBars
            label="Hits by day"
            days={days.map((day) => ({
              at: day.at,
              values: [day.fraud, day.legitimate, day.hits - day.fraud - day.legitimate, day.shadow],
            }))}
            series={[
              { name: 'Fraud', color: '--raises' },
              { name: 'Legitimate', color: '--lowers' },
              { name: 'No label', color: '--base' },
              { name: 'In shadow', color: '--base', isHidden: true },
            ]}
          />
          <div>
            <h3 className="sub">Newest hits</h3>
            <Newest hits={hits.data.hits} />
          </div>
        </div>
      )}
    </Card>
  );
};
