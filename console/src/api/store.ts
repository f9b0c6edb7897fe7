import { useSyncExternalStore } from 'react';

/** A value that components follow. */
export interface Store<Value> {
  readonly get: () => Value;
  readonly set: (value: Value) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export const makeStore = <Value>(initial: Value): Store<Value> => {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

export const useStore = <Value>(store: Store<Value>): Value => useSyncExternalStore(store.subscribe, store.get);

/** A value that this browser keeps. Without storage, it lasts as long as the page. */
export const makeKept = (name: string, initial: string): Store<string> => {
  const key = `portcullis-${name}`;
  const read = (): string | null => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const store = makeStore(read() ?? initial);
  return {
    ...store,
    set: (value) => {
      store.set(value);
      try {
        localStorage.setItem(key, value);
      } catch {
        // The value lasts as long as the page.
      }
    },
  };
};
