import type { Case } from '@portcullis/client';
import { useEffect, useRef } from 'react';
import { useClient, useMay, useMyId } from '../api/environment.tsx';
import { useTake } from '../cases/take.ts';

/**
 * Opening a case takes it if nobody has it, so that two people do not read the same one. Leaving gives it back, unless the person acted
 * or took it on purpose.
 */
export const useClaim = (one: Case | undefined) => {
  const client = useClient();
  const take = useTake();
  const mayReview = useMay('review');
  const myId = useMyId();
  const isKept = useRef(false);
  const isFree = one !== undefined && one.status === 'open' && one.assignee === null;
  const hasTried = useRef(false);
  const claimed = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (one === undefined || hasTried.current) return;
    hasTried.current = true;
    if (!isFree || !mayReview) return;
    claimed.current = one.case_id;
    void take(one, myId);
  });
  useEffect(() => {
    const giveBack = (): void => {
      const id = claimed.current;
      claimed.current = undefined;
      // Another person may have taken it over: then this is refused, which is right.
      if (id !== undefined && !isKept.current) client.cases.assign(id, { assignee: null }).catch(() => {});
    };
    addEventListener('pagehide', giveBack);
    return () => {
      removeEventListener('pagehide', giveBack);
      giveBack();
    };
  }, [client]);
  return {
    keep: (): void => {
      isKept.current = true;
    },
  };
};
