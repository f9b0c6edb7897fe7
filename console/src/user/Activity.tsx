import type { RiskProfile } from '@portcullis/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { explorerPath } from '../explorer/path.ts';
import { StackedChart } from '../overview/StackedChart.tsx';
import { Card } from '../parts/Card.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatUsd } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';

const DAY_MS = 86_400_000;
const DAYS = 89;
const SPANS = [
  ['1h', 'Last hour'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
] as const;

/** How much the user did on each day, and how fast lately. */
export const Activity = ({ userId, profile }: { userId: string; profile: RiskProfile }) => {
  const client = useClient();
  const environment = useEnvironment();
  const [, go] = useLocation();
  const until = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  const series = useQuery({
    queryKey: [environment, 'user-series', userId, until],
    queryFn: ({ signal }) =>
      client.users.getSeries(userId, { from: new Date(until - DAYS * DAY_MS).toISOString(), step: '1d' }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  return (
    <Card title="Activity" note="Payments and events by day, 90 days">
      {series.data === undefined ? (
        series.isError ? (
          <Failed
            error={series.error}
            retry={() => void series.refetch()}
            gone="No activity of this user is stored any more."
          />
        ) : (
          <Skeleton rows={5} height={26} />
        )
      ) : (
        <StackedChart
          points={series.data.points.map(({ at, items, review, block }) => ({
            at,
            allow: items - review - block,
            review,
            block,
          }))}
          step="1d"
          height={150}
          onRange={(from, to) => go(explorerPath({ terms: [`user_id:${userId}`], from, until: to }))}
        />
      )}
      <dl className="velocity">
        {SPANS.map(([span, name]) => (
          <div key={span}>
            <dt>{name}</dt>
            <dd className="num">
              {formatCount(profile.velocity[span].count)}{' '}
              <span className="dim">{formatUsd(profile.velocity[span].amount)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
};
