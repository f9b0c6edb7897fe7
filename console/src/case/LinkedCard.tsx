import type { LinkNode, Links } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Link } from 'wouter';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { EntityLink } from '../entity/EntityLink.tsx';
import { Card } from '../parts/Card.tsx';
import { Failed } from '../parts/Failed.tsx';
import { plural } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { loadLater } from '../parts/load-later.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { userPath } from '../users/path.ts';
import { LinkCuts, NoLinks } from './LinkCuts.tsx';
import { NODE_ICONS, NODE_WORDS } from './nodes.ts';

export const Graph = loadLater(() => import('./Graph.tsx'));
const MAX_NODES = 40;
const MOST_SHARED = 8;

/** Who else used it, as links. */
const Others = ({ users }: { users: readonly LinkNode[] }) =>
  users.map(({ id, value, confirmed_fraud }, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <Link href={userPath(value)} className={confirmed_fraud > 0 ? 'is-bad' : ''}>
        {value}
      </Link>
    </span>
  ));

/** What the user shares with others, and with whom: the same as the picture, in words. */
export const Shared = ({ links, most }: { links: Links; most: number }) => {
  const shared = links.nodes
    .filter(({ kind, users }) => kind !== 'user' && users > 1)
    .toSorted((a, b) => Number(a.hub) - Number(b.hub) || b.users - a.users);
  const byId = new Map(links.nodes.map((node) => [node.id, node]));
  const first = links.nodes[0]?.id;
  const usersOf = (id: string): readonly LinkNode[] =>
    links.edges.filter((edge) => edge.to === id && edge.from !== first).flatMap(({ from }) => byId.get(from) ?? []);
  if (shared.length === 0) return <p className="dim">Nothing of this user was used by anybody else.</p>;
  return (
    <ul className="shared">
      {shared.slice(0, most).map(({ id, kind, value, users, hub, confirmed_fraud }) => (
        <li key={id}>
          <Icon name={NODE_ICONS[kind]} size={16} />
          <span className="shared-what">
            <EntityLink kind={kind} value={value} className="cut mono" />
            <span className="dim">
              {hub ? (
                `${NODE_WORDS[kind]} shared by ${plural(users, 'user')}, not followed`
              ) : (
                <>
                  {NODE_WORDS[kind]} of {plural(users, 'user')}
                  {usersOf(id).length > 0 && ': '}
                  <Others users={usersOf(id).slice(0, most > MOST_SHARED ? 12 : 3)} />
                </>
              )}
            </span>
          </span>
          {confirmed_fraud > 0 && (
            <span className="badge badge-block">{plural(confirmed_fraud, 'fraud', 'frauds')}</span>
          )}
        </li>
      ))}
    </ul>
  );
};

export const useLinks = (userId: string, limit = MAX_NODES) => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'links', userId, limit],
    queryFn: ({ signal }) => client.links.get({ of: `user:${userId}`, hops: 2, limit }, { signal }),
    enabled: useMay('read_personal'),
    staleTime: 60_000,
    retry: false,
  });
};
export const othersOf = (links: Links | undefined): number =>
  links?.nodes.filter(({ kind, hops }) => kind === 'user' && hops > 0).length ?? 0;

export const LinkedCard = ({ userId }: { userId: string }) => {
  const links = useLinks(userId);
  const again = () => void links.refetch();
  return (
    <Card
      title="Linked"
      note={links.data && `${plural(othersOf(links.data), 'other user')} within two steps`}
      more={<Link href={userPath(userId, '?tab=links')}>Larger</Link>}
    >
      {links.isPending ? (
        <Skeleton rows={4} />
      ) : links.isError ? (
        <Failed error={links.error} retry={again} />
      ) : links.data.nodes.length < 2 ? (
        <NoLinks links={links.data} again={again} isSearching={links.isFetching} />
      ) : (
        <>
          <Suspense fallback={<div style={{ height: 260 }} />}>
            <Graph links={links.data} />
          </Suspense>
          <Shared links={links.data} most={MOST_SHARED} />
          {links.data.cut.includes('time') && (
            <LinkCuts links={links.data} again={again} isSearching={links.isFetching} />
          )}
        </>
      )}
    </Card>
  );
};
