import type { LinkNode, Links } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Card } from '../parts/Card.tsx';
import { plural } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Bones, Failed } from '../parts/State.tsx';
import { NODE_ICONS, NODE_WORDS } from './nodes.ts';

const Graph = lazy(() => import('./Graph.tsx'));
const MAX_NODES = 40;

/** What the user shares with others, and with whom: the same as the picture, in words. */
const Shared = ({ links }: { links: Links }) => {
  const shared = links.nodes
    .filter(({ kind, users }) => kind !== 'user' && users > 1)
    .toSorted((a, b) => b.users - a.users);
  const byId = new Map(links.nodes.map((node) => [node.id, node]));
  const first = links.nodes[0]?.id;
  const usersOf = (id: string): readonly LinkNode[] =>
    links.edges.filter((edge) => edge.to === id && edge.from !== first).flatMap(({ from }) => byId.get(from) ?? []);
  if (shared.length === 0) return <p className="dim">Nothing of this user was used by anybody else.</p>;
  return (
    <ul className="shared">
      {shared.slice(0, 8).map(({ id, kind, value, users, hub, confirmed_fraud }) => (
        <li key={id}>
          <Icon name={NODE_ICONS[kind]} size={16} />
          <span className="shared-what">
            <span className="cut mono" title={value}>
              {value}
            </span>
            <span className="dim">
              {NODE_WORDS[kind]} of {plural(users, 'user')}
              {hub ? ', not followed' : ''}
              {usersOf(id).length > 0 &&
                `: ${usersOf(id)
                  .slice(0, 3)
                  .map((user) => user.value)
                  .join(', ')}`}
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

export const LinkedCard = ({ userId }: { userId: string }) => {
  const client = useClient();
  const environment = useEnvironment();
  const links = useQuery({
    queryKey: [environment, 'links', userId],
    queryFn: ({ signal }) => client.links.get({ of: `user:${userId}`, hops: 2, limit: MAX_NODES }, { signal }),
    staleTime: 60_000,
    retry: false,
  });
  const others = links.data?.nodes.filter(({ kind, hops }) => kind === 'user' && hops > 0).length ?? 0;
  return (
    <Card title="Linked" note={links.data && `${plural(others, 'other user')} within two steps`}>
      {links.isPending ? (
        <Bones rows={4} />
      ) : links.isError ? (
        <Failed error={links.error} />
      ) : links.data.nodes.length < 2 ? (
        <p className="dim">No device, address, e-mail or card of this user is known.</p>
      ) : (
        <>
          <Suspense fallback={<div style={{ height: 260 }} />}>
            <Graph links={links.data} />
          </Suspense>
          <Shared links={links.data} />
        </>
      )}
    </Card>
  );
};
