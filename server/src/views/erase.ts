import type { Backend } from '../backend/backend.ts';
import { deleteView, viewsAfter } from './store.ts';

export { deletePrivateViews } from './store.ts';

const PAGE = 200;

/** A query as it is, and as a browser reads it. */
const spellings = (query: string): string[] => {
  try {
    return [query, decodeURIComponent(query.replaceAll('+', ' '))];
  } catch {
    return [query];
  }
};

/** Deletes the views that name a person: without the name they show something else. */
export const eraseViews = async (backend: Backend, tenant: number, names: (text: string) => boolean): Promise<void> => {
  for (let after = ''; ; ) {
    const rows = await viewsAfter(backend, tenant, after, PAGE);
    for (const { id, name, query, columns } of rows)
      if ([name, columns, ...spellings(query)].some(names)) await backend.write([deleteView(tenant, id)]);
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.id as string;
  }
};
