import { useCallback, useLayoutEffect, useRef } from 'react';

/** A function that stays the same while what it does changes, so that rows that are given it are not drawn again. */
export const useStable = <Args extends readonly unknown[]>(act: (...args: Args) => void): ((...args: Args) => void) => {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
};
