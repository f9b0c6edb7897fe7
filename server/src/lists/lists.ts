import type { ListCheckRequest, TagOf } from '@portcullis/contract';
import type { Subject, Treatment } from '@portcullis/engine';
import type { Call } from '../http/route.ts';
import { checkLists, findMatching } from './check.ts';
import { addEntries, entryErrors, listEntries, removeEntry } from './entries.ts';
import { entriesNaming, eraseEntries, type ListedValue } from './erase.ts';
import { exportList } from './export.ts';
import { BUILT_IN, type ListDeps, loadLists, makeListState } from './list-state.ts';
import { changeList, createList, getList, listLists, removeList } from './manage-lists.ts';
import { maskStored } from './mask-stored.ts';
import { reload } from './reload.ts';
import { sweepEntries } from './sweep.ts';

const BUILT_IN_TREATMENTS = new Map(BUILT_IN.map(({ name, treatment }) => [name, treatment]));

/** Lists of values, their entries, and the lists that match a subject. */
export const makeLists = async (deps: ListDeps) => {
  const state = makeListState(deps);
  const { backend, matcher } = state;
  for (const entry of await loadLists(state)) await maskStored(state, entry);
  return {
    list: (call: Call<'listLists'>) => listLists(state, call),
    create: (call: Call<'createList'>) => createList(state, call),
    get: (call: Call<'getList'>) => getList(state, call),
    change: (call: Call<'changeList'>) => changeList(state, call),
    remove: (call: Call<'deleteList'>) => removeList(state, call),
    check: (call: Call<'checkLists'>) => checkLists(state, call),
    /** The entries that match the values. An address may be a network. */
    matches: (tenant: number, values: ListCheckRequest, tagOf: TagOf) => findMatching(state, tenant, values, tagOf),
    entryErrors: (body: { readonly entries?: unknown }) => entryErrors(state, body),
    addEntries: (call: Call<'addListEntries'>) => addEntries(state, call),
    removeEntry: (call: Call<'removeListEntry'>) => removeEntry(state, call),
    listEntries: (call: Call<'listListEntries'>) => listEntries(state, call),
    export: (call: Call<'exportList'>) => exportList(state, call),
    /** Names of the tenant's lists that match the subject. */
    matching: (tenant: number, subject: Subject): readonly string[] => matcher.matching(tenant, subject),
    /** The treatment of each list, by name. */
    treatments: async (tenant: number): Promise<ReadonlyMap<string, Treatment>> => {
      const lists = matcher.lists(tenant);
      return lists.length === 0 ? BUILT_IN_TREATMENTS : new Map(lists.map(({ name, treatment }) => [name, treatment]));
    },
    /** Tenants with custom lists, or with entries on built-in ones. */
    tenants: async (): Promise<readonly number[]> => matcher.tenants(),
    refresh: (tenant: number, detail: unknown): Promise<void> => reload(state, tenant, detail),
    naming: (tenant: number, values: readonly ListedValue[]) => entriesNaming(state, tenant, values),
    erase: (tenant: number, values: readonly ListedValue[]): Promise<number> => eraseEntries(state, tenant, values),
    sweep: (now: number, limit: number): Promise<number> => sweepEntries(backend, matcher, now, limit),
    /** Memory used by entries. */
    bytes: matcher.bytes,
  };
};
export type Lists = Awaited<ReturnType<typeof makeLists>>;
