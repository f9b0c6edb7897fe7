import type { ListKind } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import type { Refresh } from '../changes/changes.ts';
import type { Matcher } from './match.ts';
import { entriesBetween, entriesWith, type ListRow, listsOf } from './store.ts';

/** What another process did to a list: put entries there, of which it tells the first id and the last, or took one off. */
export interface Added {
  readonly list: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}
export interface Removed {
  readonly list: string;
  readonly kind: ListKind;
  readonly value: string;
}

/**
 * Brings lists in memory to what is stored after another process changed them, entry by entry: reading all of a million anew for each that is added would take
 * seconds. Entries are read as they are now, so it does not matter how often or how late it is told; what was changed since is told of later.
 */
export const makeRefresh = (deps: {
  backend: Backend;
  matcher: Matcher<ListRow>;
  clock: () => number;
  begin: (tenant: number) => void;
  inTurn: <T>(tenant: number, work: () => Promise<T>) => Promise<T>;
}): { readonly refresh: Refresh; readonly refreshLists: (tenant: number) => Promise<void> } => {
  const { backend, matcher, clock } = deps;

  /** Which lists there are is few rows, and read with every change: an entry may be on one that is new here. */
  const refreshLists = async (tenant: number): Promise<void> => {
    const stored = await listsOf(backend, tenant);
    deps.begin(tenant);
    for (const list of stored) matcher.putList(tenant, list);
    const kept = new Set(stored.map(({ id }) => id));
    for (const { id, name } of [...matcher.lists(tenant)])
      if (id !== name && !kept.has(id)) matcher.dropList(tenant, id);
  };
  const refreshAdded = async (tenant: number, { list, from = '', to = '' }: Added): Promise<void> => {
    const now = clock();
    for (const { kind, value, expires_at: until } of await entriesBetween(backend, tenant, list, from, to))
      if (until === null || until > now) matcher.add(tenant, list, kind, value, until);
  };
  const refreshRemoved = async (tenant: number, { list, kind, value }: Removed): Promise<void> => {
    const found = await entriesWith(backend, tenant, kind, value, clock());
    const entry = found.find((one) => one.list === list);
    if (entry === undefined) matcher.remove(tenant, list, kind, value);
    else matcher.add(tenant, list, kind, value, entry.expires_at);
  };

  // In the turn of the tenant's own changes here: what was read before one of them must not be put over it.
  const refresh: Refresh = (tenant, detail) =>
    deps.inTurn(tenant, async () => {
      await refreshLists(tenant);
      const what = detail as Added | Removed | null;
      if (what === null || !matcher.hasList(tenant, what.list)) return;
      if ('kind' in what) await refreshRemoved(tenant, what);
      else await refreshAdded(tenant, what);
    });
  return { refresh, refreshLists };
};
