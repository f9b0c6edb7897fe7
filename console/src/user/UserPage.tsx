import type { RiskProfile } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { Moments, useTimeline } from '../case/Timeline.tsx';
import { explorerPath } from '../explorer/path.ts';
import { WhereMap } from '../map/WhereMap.tsx';
import { Card } from '../parts/Card.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCountry, formatName, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useNow } from '../parts/Time.tsx';
import { useAddressQuery, useLastPart } from '../parts/use-address.ts';
import { useKeys } from '../shell/keys.ts';
import { remember } from '../shell/recent.ts';
import { userPath } from '../users/path.ts';
import { Activity } from './Activity.tsx';
import { Head } from './Head.tsx';
import { Hours } from './Hours.tsx';
import { Tiles } from './Tiles.tsx';
import { UsedEntities } from './UsedEntities.tsx';
import { UserCases } from './UserCases.tsx';
import { UserLinks } from './UserLinks.tsx';
import '../case/case.css';
import '../overview/tiles.css';
import './user.css';

const TABS = { timeline: 'Timeline', used: 'Devices & addresses', links: 'Links', cases: 'Cases' } as const;
type Tab = keyof typeof TABS;

const Hidden = () => (
  <div className="card">
    <EmptyState icon="user" title="Personal data is hidden">
      The activity of a user, with devices and addresses, requires the role analyst.
    </EmptyState>
  </div>
);

const TimelineTab = ({ userId }: { userId: string }) => {
  const timeline = useTimeline(userId);
  const now = useNow(60_000);
  return (
    <Card title="Timeline" note="90 days, the newest first">
      <Moments timeline={timeline} day={new Date(now).toISOString()} />
    </Card>
  );
};

const Where = ({ countries }: { countries: RiskProfile['countries'] }) => {
  if (countries.length === 0) return null;
  const seen = countries.map(({ country, count }) => ({ value: country, items: count }));
  const words = seen
    .toSorted((a, b) => b.items - a.items)
    .slice(0, 6)
    .map(({ value, items }) => `${formatCountry(value)} ${items}`);
  return (
    <Card title="Where" note={plural(seen.length, 'country', 'countries')}>
      <WhereMap countries={seen} label={`Map: ${words.join(', ')}`} />
      <p className="map-words dim">{words.join(' · ')}</p>
    </Card>
  );
};

const Signals = ({ profile: { user_id, signals } }: { profile: RiskProfile }) => {
  const [, go] = useLocation();
  if (signals.length === 0) return null;
  return (
    <Card title="Signals" note="How often each was active">
      <p className="chips">
        {signals
          .toSorted((a, b) => b.count - a.count)
          .slice(0, 10)
          .map(({ signal, count }) => (
            <button
              key={signal}
              type="button"
              className="chip"
              onClick={() => go(explorerPath({ terms: [`user_id:${user_id}`, `signal:${signal}`], range: '90d' }))}
            >
              {formatName(signal)} <span className="num">{count}</span>
            </button>
          ))}
      </p>
    </Card>
  );
};

const Known = ({ userId, profile }: { userId: string; profile: RiskProfile }) => {
  const client = useClient();
  const environment = useEnvironment();
  const [, go] = useLocation();
  const asked = new URLSearchParams(useAddressQuery()).get('tab');
  const tab: Tab = asked !== null && asked in TABS ? (asked as Tab) : 'timeline';
  const isPersonal = useMay('read_personal');
  const usual = useQuery({
    queryKey: [environment, 'usual', userId],
    queryFn: ({ signal }) => client.users.getUsual(userId, {}, { signal }),
    enabled: isPersonal,
    staleTime: 60_000,
    retry: false,
  }).data;
  const show = (one: Tab): void => go(userPath(userId, one === 'timeline' ? '' : `?tab=${one}`));
  const names = Object.keys(TABS) as Tab[];
  useKeys(
    'User',
    names.map((one, at) => ({ keys: String(at + 1), label: TABS[one], run: () => show(one) })),
  );
  return (
    <>
      <Head userId={userId} profile={profile} />
      <Tiles profile={profile} onCases={() => show('cases')} />
      <div className="case-grid user-grid">
        <div className="case-column">
          <Activity userId={userId} profile={profile} />
          <nav className="segments" aria-label="About the user">
            {names.map((one) => (
              <button key={one} type="button" aria-current={one === tab} onClick={() => show(one)}>
                {TABS[one]}
              </button>
            ))}
          </nav>
          {tab === 'cases' ? (
            <UserCases userId={userId} />
          ) : !isPersonal ? (
            <Hidden />
          ) : tab === 'links' ? (
            <UserLinks userId={userId} />
          ) : tab === 'used' ? (
            <UsedEntities profile={profile} usual={usual} />
          ) : (
            <TimelineTab userId={userId} />
          )}
        </div>
        <div className="case-column">
          <Where countries={profile.countries} />
          {usual !== undefined && <Hours usual={usual} />}
          <Signals profile={profile} />
        </div>
      </div>
    </>
  );
};

/** Who is it? */
export default function UserPage() {
  const userId = useLastPart();
  const client = useClient();
  const environment = useEnvironment();
  const profile = useQuery({
    queryKey: [environment, 'profile', userId],
    queryFn: ({ signal }) => client.users.getRiskProfile(userId, { signal }),
    refetchInterval: 60_000,
  });
  useEffect(() => {
    document.title = `${userId} · Portcullis`;
    remember(`User ${userId}`, userPath(userId));
  }, [userId]);
  return (
    <div className="case">
      {profile.data !== undefined ? (
        <Known userId={userId} profile={profile.data} />
      ) : profile.isError ? (
        <Failed
          error={profile.error}
          retry={() => void profile.refetch()}
          gone="Nothing by a user with this id was screened in this environment."
        />
      ) : (
        <Skeleton rows={8} height={30} />
      )}
    </div>
  );
}
