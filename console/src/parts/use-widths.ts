import { useState } from 'react';
import { makeKept, type Store, useStore } from '../api/store.ts';

/** The widths of columns in pixels, by the id of the column. */
export type Widths = Readonly<Record<string, number>>;

export const MIN_WIDTH = 48;
export const MAX_WIDTH = 800;

const stores = new Map<string, Store<string>>();
const storeOf = (table: string): Store<string> => {
  const found = stores.get(table) ?? makeKept(`widths-${table}`, '{}');
  stores.set(table, found);
  return found;
};

/** What the browser kept. Anything else than a width is left out. */
const read = (text: string): Widths => {
  try {
    const kept = Object.entries(JSON.parse(text) as object);
    return Object.fromEntries(kept.filter(([, width]) => width >= MIN_WIDTH && width <= MAX_WIDTH));
  } catch {
    return {};
  }
};

/** The widths that a person gave the columns of a table. This browser keeps them. */
export const useWidths = (table: string) => {
  const store = storeOf(table);
  const kept = read(useStore(store));
  /** A width that follows the pointer is kept once the pointer lets go. */
  const [moving, setMoving] = useState<Widths>({});
  return {
    widths: { ...kept, ...moving },
    move: (id: string, width: number): void => setMoving({ [id]: clamp(width) }),
    /** Forgets a width that was not kept. */
    cancel: (): void => setMoving({}),
    /** Without a width, the column has its usual one. */
    set: (id: string, width: number | undefined): void => {
      setMoving({});
      const { [id]: _, ...others } = read(store.get());
      store.set(JSON.stringify(width === undefined ? others : { ...others, [id]: clamp(width) }));
    },
  };
};
export type WidthsOf = ReturnType<typeof useWidths>;

const clamp = (width: number): number => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

/** A track of the grid. It gives way where the table is narrower than its columns. */
export const trackOf = (width: number): string => `minmax(${MIN_WIDTH}px, ${width}px)`;
