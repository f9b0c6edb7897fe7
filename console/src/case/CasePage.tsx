import type { Case, CaseResolution, PortcullisClient } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { PortcullisError } from '../api/client.ts';
import { useClient, useEnvironment, useMay, useMyId } from '../api/environment.tsx';
import { placeOf, queueSearch } from '../cases/queue.ts';
import { RejectBox } from '../cases/RejectBox.tsx';
import { whatOf } from '../cases/Row.tsx';
import { type Outcome, useResolve } from '../cases/resolve.ts';
import { SnoozeBox } from '../cases/SnoozeBox.tsx';
import { useTake } from '../cases/take.ts';
import { WhereCard } from '../map/WhereCard.tsx';
import { Card } from '../parts/Card.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useKeys } from '../shell/keys.ts';
import { remember } from '../shell/recent.ts';
import { userPath } from '../users/path.ts';
import { Head } from './Head.tsx';
import { LinkedCard } from './LinkedCard.tsx';
import { NotesCard } from './Notes.tsx';
import { SentCard } from './Sent.tsx';
import { titleOf } from './subject.ts';
import { TimelineCard, useTimeline } from './Timeline.tsx';
import { UsualCard } from './Usual.tsx';
import { useClaim } from './use-claim.ts';
import { useOthers } from './use-presence.ts';
import { Waterfall } from './Waterfall.tsx';
import './case.css';

/** Everything that is stored with a case, in one request. */
const STORED = 'subject,decision,notes,activity';

/** Reads a case with what is usual for its user. A fault of search, which knows that, leaves the case to decide. */
const readCase = async (client: PortcullisClient, id: string, options: { signal: AbortSignal }): Promise<Case> => {
  try {
    return await client.cases.get(id, { include: `${STORED},usual` }, options);
  } catch (error) {
    if (!(error instanceof PortcullisError) || error.status !== 500) throw error;
    return client.cases.get(id, { include: STORED }, options);
  }
};

const useCase = (id: string) => {
  const client = useClient();
  const environment = useEnvironment();
  const isPersonal = useMay('read_personal');
  const query = (caseId: string) => ({
    queryKey: [environment, 'case', caseId, 'case', isPersonal],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      isPersonal
        ? readCase(client, caseId, { signal })
        : client.cases.get(caseId, { include: 'decision,notes,activity' }, { signal }),
  });
  const queries = useQueryClient();
  const result = useQuery({ ...query(id), refetchInterval: 15_000 });
  const { after } = placeOf(id);
  const isLoaded = result.data !== undefined;
  // The next one is there when this one is decided.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per case
  useEffect(() => {
    if (isLoaded && after !== undefined) void queries.prefetchQuery(query(after));
  }, [isLoaded, after]);
  return result;
};

const Why = ({ one }: { one: Case }) => (
  <Card
    title={`Why ${one.risk_score}`}
    note={one.summary ?? 'In whole points, which add up to the score'}
    more={<Link href={`/decisions/${one.decision_id}`}>Decision</Link>}
  >
    {one.full_decision == null ? (
      <EmptyState icon="clock" title="No longer stored">
        Decisions are deleted after 90 days. The case is kept.
      </EmptyState>
    ) : (
      <Waterfall decision={one.full_decision} />
    )}
  </Card>
);

const Open = ({ one }: { one: Case }) => {
  const [, go] = useLocation();
  const title = one.subject == null ? whatOf(one) : titleOf(one.subject);
  const mayReview = useMay('review');
  const isPersonal = useMay('read_personal');
  const myId = useMyId();
  const resolve = useResolve();
  const take = useTake();
  const { keep } = useClaim(one);
  const [asked, setAsked] = useState<Outcome | undefined>();
  const timeline = useTimeline(one.user_id, one.created_at);
  const others = useOthers(one.case_id);
  const [isAside, setAside] = useState(false);
  const place = placeOf(one.case_id);
  useEffect(() => {
    document.title = `${title} · Portcullis`;
    remember(`${title}, ${one.user_id}`, `/cases/${one.case_id}`);
  }, [title, one.user_id, one.case_id]);

  const leave = (id: string | undefined): void => go(id === undefined ? `/cases${queueSearch()}` : `/cases/${id}`);
  const send = (body: CaseResolution): void => {
    keep();
    const { after, before } = placeOf(one.case_id);
    resolve([one], body, () => go(`/cases/${one.case_id}`));
    leave(after ?? before);
  };
  const isOpen = one.status === 'open';
  const cannot = !mayReview || !isOpen;
  const takeIt = (): void => {
    keep();
    void take(one, myId, one.assignee !== null && one.assignee !== myId);
  };
  useKeys('Case', [
    { keys: 'a', label: 'Approve', run: () => send({ status: 'approved' }), disabled: cannot },
    { keys: 'r', label: 'Reject', run: () => setAsked('rejected'), disabled: cannot },
    { keys: 't', label: 'Take', run: takeIt, disabled: cannot },
    { keys: 's', label: 'Set aside', run: () => setAside(true), disabled: cannot },
    { keys: 'j', label: 'Next case', run: () => leave(place.after), disabled: place.after === undefined },
    { keys: 'k', label: 'Previous case', run: () => leave(place.before), disabled: place.before === undefined },
    { keys: 'd', label: 'Decision', run: () => go(`/decisions/${one.decision_id}`) },
    { keys: 'u', label: 'User', run: () => go(userPath(one.user_id)) },
    { keys: 'Escape', label: 'Back to the list', run: () => go(`/cases${queueSearch()}`) },
  ]);
  return (
    <div className="case">
      <Head
        one={one}
        title={title}
        place={place}
        onLeave={leave}
        others={others}
        onSnooze={() => setAside(true)}
        onTake={takeIt}
        onApprove={() => send({ status: 'approved' })}
        onReject={() => setAsked('rejected')}
      />
      <div className="case-grid">
        <div className="case-column">
          <Why one={one} />
          {one.subject != null && (
            <UsualCard
              subject={one.subject}
              knowledge={one.knowledge}
              at={one.created_at}
              amountUsd={one.amount_usd}
              usual={one.usual}
            />
          )}
          {isPersonal && (
            <TimelineCard timeline={timeline} userId={one.user_id} subjectId={one.subject_id} at={one.created_at} />
          )}
        </div>
        <div className="case-column">
          <SentCard subject={one.subject} knowledge={one.knowledge} />
          {isPersonal && <WhereCard knowledge={one.knowledge} usual={one.usual ?? null} />}
          <NotesCard one={one} />
          {isPersonal && <LinkedCard userId={one.user_id} />}
        </div>
      </div>
      <SnoozeBox cases={isAside ? [one] : undefined} close={() => setAside(false)} />
      <RejectBox
        cases={asked === undefined ? undefined : [one]}
        status={asked ?? 'rejected'}
        close={() => setAsked(undefined)}
        onSend={(body) => {
          setAsked(undefined);
          send(body);
        }}
      />
    </div>
  );
};

/** Decide one case, with everything about it on one page. */
export default function CasePage({ id }: { id: string }) {
  const query = useCase(id);
  if (query.isError && query.data === undefined)
    return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined)
    return (
      <div className="case">
        <Skeleton rows={8} height={30} />
      </div>
    );
  return <Open one={query.data} />;
}
