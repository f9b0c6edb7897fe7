import type { Screening, Timeline } from '@portcullis/client';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { DecisionBadge } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatClock, formatCount, formatCountry, formatDayTime, formatMoney, formatName } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { userPath } from '../users/path.ts';
import { type Mark, momentsOf } from './moments.ts';

const DAY_MS = 86_400_000;

export type TimelineQuery = UseInfiniteQueryResult<InfiniteData<Timeline>>;
/** What the user did, the newest first. With the time of an item: up to a day after it. */
export const useTimeline = (userId: string, at?: string): TimelineQuery => {
  const client = useClient();
  const environment = useEnvironment();
  const until = at === undefined ? {} : { until: new Date(Date.parse(at) + DAY_MS).toISOString() };
  return useInfiniteQuery({
    queryKey: [environment, 'timeline', userId, at],
    queryFn: ({ pageParam, signal }) =>
      client.users.listTimeline(
        userId,
        { ...until, limit: at === undefined ? 50 : 12, ...(pageParam !== '' && { before: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
    enabled: useMay('read_personal'),
    retry: false,
  });
};

const wordsOf = ({ amount, currency, event_type, outcome, country, signals }: Screening) => {
  const title =
    amount !== null && currency !== null
      ? `Payment of ${formatMoney(amount, currency)}`
      : `${formatName(event_type ?? 'event')}${outcome === 'failed' ? ', failed' : ''}`;
  const from = country === null ? [] : [formatCountry(country)];
  return { title, detail: [...from, ...signals.slice(0, 4).map((signal) => signal.replaceAll('_', ' '))].join(' · ') };
};

const When = ({ at, day }: { at: string; day: string }) => (
  <span className="moment-at dim num">
    <Time at={at} as={new Date(at).toDateString() === new Date(day).toDateString() ? formatClock : formatDayTime} />
  </span>
);

/** What people said about items, in one line. */
const Marks = ({ marks, at, day }: { marks: readonly Mark[]; at: string; day: string }) => (
  <li className="moment is-marks">
    <span className="moment-dot" />
    <When at={at} day={day} />
    <span className="moment-what dim">
      {marks.map(({ text, isBad, count }) => (
        <span key={text} className={isBad ? 'is-bad' : ''}>
          {count === 1 ? formatName(text) : `${formatCount(count)} ${text}`}
        </span>
      ))}
    </span>
  </li>
);

const Entry = ({ screening, at, isThis, day }: { screening: Screening; at: string; isThis: boolean; day: string }) => {
  const { title, detail } = wordsOf(screening);
  return (
    <li className={`moment ${isThis ? 'is-this' : ''}`}>
      <span className={`moment-dot is-${screening.automated_decision}`} />
      <When at={at} day={day} />
      <span className="moment-what">
        {isThis ? <strong>{title}</strong> : <Link href={`/decisions/${screening.decision_id}`}>{title}</Link>}
        {isThis && <span className="badge badge-accent">this case</span>}
        {screening.label === 'fraud' && <span className="badge badge-block">fraud</span>}
        {detail !== '' && <span className="dim">{detail}</span>}
      </span>
      <DecisionBadge decision={screening.automated_decision}>
        {screening.risk_score} {screening.automated_decision}
      </DecisionBadge>
    </li>
  );
};

interface MomentsProps {
  readonly timeline: TimelineQuery;
  /** The item of the page, which is marked. */
  readonly subjectId?: string;
  /** Times of this day are shown without the day. */
  readonly day: string;
}
/** What the user did and what people said about it, the newest first. */
export const Moments = ({ timeline, subjectId, day }: MomentsProps) => {
  if (timeline.isPending) return <Skeleton rows={5} height={34} />;
  if (timeline.isError) return <Failed error={timeline.error} gone="No activity of this user is stored any more." />;
  const moments = momentsOf(timeline.data.pages.flatMap((page) => page.entries));
  if (moments.length === 0) return <p className="dim">No activity of this user is stored any more.</p>;
  return (
    <>
      <ol className="moments">
        {moments.map(({ key, at, entry, marks }) =>
          entry?.screening == null ? (
            <Marks key={key} marks={marks ?? []} at={at} day={day} />
          ) : (
            <Entry
              key={key}
              screening={entry.screening}
              at={at}
              day={day}
              isThis={entry.screening.subject_id === subjectId}
            />
          ),
        )}
      </ol>
      {timeline.hasNextPage && (
        <Button small busy={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()}>
          Earlier
        </Button>
      )}
    </>
  );
};

interface CardProps {
  readonly timeline: TimelineQuery;
  readonly userId: string;
  readonly subjectId: string;
  readonly at: string;
}
export const TimelineCard = ({ timeline, userId, subjectId, at }: CardProps) => (
  <Card title="What the user did" note="Up to a day later" more={<Link href={userPath(userId)}>All activity</Link>}>
    <Moments timeline={timeline} subjectId={subjectId} day={at} />
  </Card>
);
