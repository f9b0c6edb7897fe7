import { Suspense } from 'react';
import { LinkCuts, NoLinks } from '../case/LinkCuts.tsx';
import { Graph, othersOf, Shared, useLinks } from '../case/LinkedCard.tsx';
import { Card } from '../parts/Card.tsx';
import { Failed } from '../parts/Failed.tsx';
import { plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';

const MOST_NODES = 100;

/** Who shares what with the user: a picture, and the same in words. */
export const UserLinks = ({ userId }: { userId: string }) => {
  const links = useLinks(userId, MOST_NODES);
  const again = () => void links.refetch();
  return (
    <Card title="Links" note={links.data && `${plural(othersOf(links.data), 'other user')} within two steps`}>
      {links.data === undefined ? (
        links.isError ? (
          <Failed error={links.error} retry={again} />
        ) : (
          <Skeleton rows={6} height={30} />
        )
      ) : links.data.nodes.length < 2 ? (
        <NoLinks links={links.data} again={again} isSearching={links.isFetching} />
      ) : (
        <>
          <Suspense fallback={<div style={{ height: 320 }} />}>
            <Graph links={links.data} size="large" />
          </Suspense>
          <Shared links={links.data} most={MOST_NODES} />
          <LinkCuts links={links.data} again={again} isSearching={links.isFetching} />
        </>
      )}
    </Card>
  );
};
