import { Suspense } from 'react';
import { Graph, othersOf, Shared, useLinks } from '../case/Linked.tsx';
import { Card } from '../parts/Card.tsx';
import { plural } from '../parts/format.ts';
import { Bones, Failed } from '../parts/State.tsx';

const MOST_NODES = 100;
const CUTS = {
  nodes: `only the ${MOST_NODES} nearest are shown`,
  items: 'only the newest items were read',
  hubs: 'widely shared things are not followed',
  time: 'the search ran out of time',
} as const;

/** Who shares what with the user: a picture, and the same in words. */
export const UserLinks = ({ userId }: { userId: string }) => {
  const links = useLinks(userId, MOST_NODES);
  const cuts = links.data?.cut ?? [];
  return (
    <Card title="Links" note={links.data && `${plural(othersOf(links.data), 'other user')} within two steps`}>
      {links.data === undefined ? (
        links.isError ? (
          <Failed error={links.error} retry={() => void links.refetch()} />
        ) : (
          <Bones rows={6} height={30} />
        )
      ) : links.data.nodes.length < 2 ? (
        <p className="dim">No device, address, e-mail or card of this user is known.</p>
      ) : (
        <>
          <Suspense fallback={<div style={{ height: 320 }} />}>
            <Graph links={links.data} size="large" />
          </Suspense>
          <Shared links={links.data} most={MOST_NODES} />
          {cuts.length > 0 && <p className="dim cuts">Not everything: {cuts.map((cut) => CUTS[cut]).join('; ')}.</p>}
        </>
      )}
    </Card>
  );
};
