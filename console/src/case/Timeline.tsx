import type { Timeline, TimelineEntry } from '@portcullis/client';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { DecisionBadge } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { formatClock, formatCountry, formatDayTime, formatMoney, formatName } from '../parts/format.ts';
import { Bones, Failed } from '../parts/State.tsx';
import { Time } from '../parts/Time.tsx';

const DAY_MS = 86_400_000;

export type TimelineQuery = UseInfiniteQueryResult<InfiniteData<Timeline>>;
/** What the user did up to a day after the item, the newest first. */
export const useTimeline = (userId: string, at: string): TimelineQuery => {
  const client = useClient();
  const environment = useEnvironment();
  const until = new Date(Date.parse(at) + DAY_MS).toISOString();
  return useInfiniteQuery({
    queryKey: [environment, 'timeline', userId, at],
    queryFn: ({ pageParam, signal }) =>
      client.users.listTimeline(
        userId,
        { until, limit: 12, ...(pageParam !== '' && { before: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
    enabled: useMay('read_personal'),
    retry: false,
  });
};

const wordsOf = ({ kind, screening, label, decision }: TimelineEntry): { title: string; detail: string } => {
  if (screening !== null) {
    const { amount, currency, event_type, outcome, country, signals } = screening;
    const title =
      amount !== null && currency !== null
        ? `Payment of ${formatMoney(amount, currency)}`
        : `${formatName(event_type ?? 'event')}${outcome === 'failed' ? ', failed' : ''}`;
    const from = country === null ? [] : [formatCountry(country)];
    return {
      title,
      detail: [...from, ...signals.slice(0, 4).map((signal) => signal.replaceAll('_', ' '))].join(' · '),
    };
  }
  if (kind === 'label')
    return { title: label === 'fraud' ? 'Confirmed as fraud' : 'Confirmed as legitimate', detail: '' };
  return { title: decision === 'block' ? 'A person rejected it' : 'A person approved it', detail: '' };
};

const Entry = ({ entry, isThis, day }: { entry: TimelineEntry; isThis: boolean; day: string }) => {
  const { screening, at, kind, label, decision } = entry;
  const { title, detail } = wordsOf(entry);
  const colour = screening?.automated_decision ?? (label === 'fraud' || decision === 'block' ? 'block' : 'allow');
  const isSameDay = new Date(at).toDateString() === new Date(day).toDateString();
  return (
    <li className={`moment ${isThis ? 'is-this' : ''} is-${kind}`}>
      <span className={`moment-dot is-${colour}`} />
      <span className="moment-at dim num">
        <Time at={at} as={isSameDay ? formatClock : formatDayTime} />
      </span>
      <span className="moment-what">
        {screening === null || isThis ? (
          <strong>{title}</strong>
        ) : (
          <Link href={`/decisions/${screening.decision_id}`}>{title}</Link>
        )}
        {isThis && <span className="badge badge-accent">this case</span>}
        {detail !== '' && <span className="dim">{detail}</span>}
      </span>
      {screening !== null && (
        <DecisionBadge decision={screening.automated_decision}>
          {screening.risk_score} {screening.automated_decision}
        </DecisionBadge>
      )}
    </li>
  );
};

export const TimelineCard = ({
  timeline,
  subjectId,
  at,
}: {
  timeline: TimelineQuery;
  subjectId: string;
  at: string;
}) => {
  const entries = timeline.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Card title="What the user did" note="Up to a day later">
      {timeline.isPending ? (
        <Bones rows={5} height={34} />
      ) : timeline.isError ? (
        <Failed error={timeline.error} />
      ) : entries.length === 0 ? (
        <p className="dim">Nothing is stored about this user any more.</p>
      ) : (
        <ol className="moments">
          {entries.map((entry) => (
            <Entry
              key={`${entry.kind}${entry.subject_id}${entry.at}`}
              entry={entry}
              day={at}
              isThis={entry.subject_id === subjectId && entry.screening !== null}
            />
          ))}
        </ol>
      )}
      {timeline.hasNextPage && (
        <Button small busy={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()}>
          Earlier
        </Button>
      )}
    </Card>
  );
};
