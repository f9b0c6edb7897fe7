import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useEnvironment } from '../api/environment.tsx';
import { followFeed } from '../api/feed.ts';
import { lastFeedEvent } from '../api/last-feed-event.ts';

/** Keeps what is shown up to date with the events of the service. Lists do not move by themselves: they say what is new. */
export const LiveUpdates = () => {
  const environment = useEnvironment();
  const queries = useQueryClient();
  useEffect(
    () =>
      followFeed(environment, (event) => {
        lastFeedEvent.set(event);
        if (event.case_id !== null && event.type !== 'case.created')
          void queries.invalidateQueries({ queryKey: [environment, 'case', event.case_id] });
        if (event.type.startsWith('case.') || event.type === 'feed.gap')
          void queries.invalidateQueries({ queryKey: [environment, 'cases', 'open-count'] });
      }),
    [environment, queries],
  );
  return null;
};
