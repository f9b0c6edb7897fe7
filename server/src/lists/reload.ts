import type { ListKind } from '@portcullis/contract';
import { ensureBuiltIn, type ListState } from './list-state.ts';
import { entriesBetween, entriesWith, listsOf } from './store.ts';

/** Announces entries that another process added: the ids of the first and the last. */
export interface AddedEntries {
  readonly list: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}
/** Announces an entry that another process removed. */
export interface RemovedEntry {
  readonly list: string;
  readonly kind: ListKind;
  readonly value: string;
}

/** Reloads the lists of a tenant, without entries. There are few, and an entry may be on a list that is new here. */
export const reloadLists = async (state: ListState, tenant: number): Promise<void> => {
  const { backend, matcher } = state;
  const stored = await listsOf(backend, tenant);
  ensureBuiltIn(state, tenant);
  for (const list of stored) matcher.putList(tenant, list);
  const storedIds = new Set(stored.map(({ id }) => id));
  for (const { id, name } of [...matcher.lists(tenant)])
    if (id !== name && !storedIds.has(id)) matcher.dropList(tenant, id);
};

const reloadAdded = async (state: ListState, tenant: number, added: AddedEntries): Promise<void> => {
  const { backend, matcher, clock } = state;
  const { list, from = '', to = '' } = added;
  const now = clock();
  for (const { kind, value, expires_at: until } of await entriesBetween(backend, tenant, list, from, to))
    if (until === null || until > now) matcher.add(tenant, list, kind, value, until);
};

const reloadRemoved = async (state: ListState, tenant: number, removed: RemovedEntry): Promise<void> => {
  const { backend, matcher, clock } = state;
  const { list, kind, value } = removed;
  const found = await entriesWith(backend, tenant, kind, value, clock());
  const entry = found.find((one) => one.list === list);
  if (entry === undefined) matcher.remove(tenant, list, kind, value);
  else matcher.add(tenant, list, kind, value, entry.expires_at);
};

/**
 * Updates memory after another process changed a list, entry by entry: reloading a million entries for each change
 * would take seconds. It reads the entries as stored now, so repeated and late announcements do no harm.
 */
export const reload = (state: ListState, tenant: number, detail: unknown): Promise<void> =>
  // Serialized with the tenant's changes in this process: a row read before such a change must not overwrite it.
  state.serialize(tenant, async () => {
    await reloadLists(state, tenant);
    const change = detail as AddedEntries | RemovedEntry | null;
    if (change === null || !state.matcher.hasList(tenant, change.list)) return;
    if ('kind' in change) await reloadRemoved(state, tenant, change);
    else await reloadAdded(state, tenant, change);
  });
