import type { Case } from '@portcullis/client';
import { gone } from './resolve.ts';

/** The list that a case was opened from: its order, and its address. */
let ids: readonly string[] = [];
let search = '';

export const rememberQueue = (cases: readonly Case[], listSearch: string): void => {
  ids = cases.filter(({ status }) => status === 'open').map(({ case_id }) => case_id);
  search = listSearch;
};
export const queueSearch = (): string => search;

/** The place of a case in the list, and its neighbours that are not resolved yet. */
export const placeOf = (
  id: string,
): { at: number; of: number; before: string | undefined; after: string | undefined } => {
  const left = ids.filter((one) => one === id || !gone.get().has(one));
  const at = left.indexOf(id);
  return { at, of: left.length, before: at > 0 ? left[at - 1] : undefined, after: at === -1 ? left[0] : left[at + 1] };
};
