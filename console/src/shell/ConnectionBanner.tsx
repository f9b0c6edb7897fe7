import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { connection } from '../api/connection.ts';
import { useStore } from '../api/store.ts';
import { Button } from '../parts/Button.tsx';
import { Copy } from '../parts/Copy.tsx';
import { useNow } from '../parts/Time.tsx';

/** A bar while the service does not answer, which counts down to the next attempt. */
export const ConnectionBanner = () => {
  const state = useStore(connection);
  useNow(500);
  const queries = useQueryClient();
  const until = state.state === 'ok' ? 0 : state.until;
  const isAway = until !== 0;
  // The request that shows that the service answers again may be another than those that failed.
  useEffect(() => {
    if (!isAway) return;
    return () => void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  }, [isAway, queries]);
  useEffect(() => {
    if (until === 0) return;
    const timer = setTimeout(() => void queries.invalidateQueries(), Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until, queries]);
  if (state.state === 'ok') return null;
  const seconds = Math.max(0, Math.ceil((state.until - Date.now()) / 1000));
  return (
    <div className="connection-banner" role="alert">
      <span>
        {state.state === 'busy' ? 'Too many requests.' : 'The service is not responding.'} Retrying automatically.
      </span>
      <span aria-hidden="true">{seconds > 0 ? `Next attempt in ${seconds} s` : 'Retrying…'}</span>
      <Button small onClick={() => void queries.invalidateQueries()}>
        Retry now
      </Button>
      {state.requestId !== undefined && <Copy value={state.requestId} />}
    </div>
  );
};
