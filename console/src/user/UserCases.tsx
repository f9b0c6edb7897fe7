import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { whatOf } from '../cases/Row.tsx';
import { ScoreChip, StatusBadge } from '../parts/Badge.tsx';
import { Card } from '../parts/Card.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatDayTime, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import '../parts/table.css';

const MOST = 100;

/** The cases of the user, the newest first. */
export const UserCases = ({ userId }: { userId: string }) => {
  const client = useClient();
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'cases', 'of-user', userId],
    queryFn: ({ signal }) => client.cases.list({ user_id: userId, sort: 'newest', limit: MOST }, { signal }),
  });
  if (query.data === undefined)
    return query.isError ? (
      <Failed error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Skeleton rows={4} height={26} />
    );
  const { cases, total } = query.data;
  return (
    <Card title="Cases" note={total > MOST ? `the newest ${MOST} of ${total}` : plural(total, 'case')}>
      {cases.length === 0 ? (
        <p className="dim">No item of this user was held for review.</p>
      ) : (
        <div className="table-box">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Opened</th>
                <th scope="col">Score</th>
                <th scope="col">What</th>
                <th scope="col">Status</th>
                <th scope="col" className="used-first">
                  Why
                </th>
              </tr>
            </thead>
            <tbody>
              {cases.map((one) => (
                <tr key={one.case_id}>
                  <td className="num dim">
                    <Time at={one.created_at} as={formatDayTime} />
                  </td>
                  <td>
                    <ScoreChip score={one.risk_score} decision="review" />
                  </td>
                  <td className="num">
                    <Link href={`/cases/${one.case_id}`}>{whatOf(one)}</Link>
                  </td>
                  <td>
                    <StatusBadge status={one.status} />
                  </td>
                  <td className="dim used-first">{one.summary}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
};
