import type { Screening } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { DecisionBadge, ScoreChip } from '../parts/Badge.tsx';
import { Card } from '../parts/Card.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatClock, formatMoney, formatName } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';

const SHOWN = 8;

const whatOf = ({ amount, currency, event_type }: Screening): string =>
  amount !== null && currency !== null ? formatMoney(amount, currency) : formatName(event_type ?? 'event');

/** The newest requests. Those that came since the page was opened are marked. */
export const ArrivingRequests = () => {
  const client = useClient();
  const environment = useEnvironment();
  const [opened] = useState(Date.now);
  const query = useQuery({
    queryKey: [environment, 'integration', 'arriving'],
    queryFn: ({ signal }) => client.screenings.list({ limit: SHOWN }, { signal }),
    refetchInterval: 2000,
  });
  return (
    <Card title="Arriving now" note="The newest requests, as they come">
      {query.data === undefined ? (
        query.isError ? (
          <Failed error={query.error} retry={() => void query.refetch()} />
        ) : (
          <Skeleton rows={5} height={28} />
        )
      ) : query.data.screenings.length === 0 ? (
        <EmptyState icon="integration" title="Nothing has arrived yet">
          Send the request, and it appears here.
        </EmptyState>
      ) : (
        <ul className="arriving" aria-live="polite">
          {query.data.screenings.map((one) => (
            <li key={one.subject_id} className={Date.parse(one.screened_at) >= opened ? 'is-new' : ''}>
              <ScoreChip score={one.risk_score} decision={one.automated_decision} />
              <Link href={`/decisions/${one.decision_id}`} className="num">
                {whatOf(one)}
              </Link>
              <span className="mono dim cut">{one.user_id}</span>
              <DecisionBadge decision={one.automated_decision} />
              <span className="num dim">
                <Time at={one.screened_at} as={formatClock} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};
