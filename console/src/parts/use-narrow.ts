import { useSyncExternalStore } from 'react';

const query = matchMedia('(max-width: 900px)');
const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/** Whether the window is so narrow that rows are cards. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches);
