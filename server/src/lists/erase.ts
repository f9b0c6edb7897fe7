import type { ListEntry, ListKind } from '@portcullis/contract';
import { toEntry } from './entry-resource.ts';
import type { ListState } from './list-state.ts';
import { parseValue } from './parse-value.ts';
import type { RemovedEntry } from './reload.ts';
import { deleteEntry, entriesWith } from './store.ts';

export interface ListedValue {
  readonly kind: ListKind;
  readonly value: string;
}

/** Before every expiry: an expired entry is erased as well. */
const ANY_TIME = -1;

/** The entries with these values, on any list. */
export const entriesNaming = async (
  { backend, matcher, tags, clock }: ListState,
  tenant: number,
  values: readonly ListedValue[],
): Promise<(ListEntry & { readonly list_id: string })[]> => {
  const found = await Promise.all(
    values.map(({ kind, value }) => {
      const parsed = parseValue(kind, value, tags(tenant));
      return 'error' in parsed ? [] : entriesWith(backend, tenant, kind, parsed.value, clock());
    }),
  );
  const nameOf = (list: string): string => matcher.lists(tenant).find(({ id }) => id === list)?.name ?? list;
  return found.flat().map(({ list, ...row }) => ({ list_id: nameOf(list), ...toEntry(row) }));
};

/** Removes the entries with these values from all lists. Returns how many. */
export const eraseEntries = (state: ListState, tenant: number, values: readonly ListedValue[]): Promise<number> =>
  state.serialize(tenant, async () => {
    const { backend, matcher, note } = state;
    const tagOf = state.tags(tenant);
    const removed: RemovedEntry[] = [];
    for (const { kind, value: text } of values) {
      const parsed = parseValue(kind, text, tagOf);
      if ('error' in parsed) continue;
      const { value } = parsed;
      for (const { list } of await entriesWith(backend, tenant, kind, value, ANY_TIME))
        removed.push({ list, kind, value });
    }
    if (removed.length === 0) return 0;
    await backend.write(
      removed.flatMap((entry) => [
        deleteEntry(tenant, entry.list, entry.kind, entry.value),
        ...note(tenant, 'lists', entry),
      ]),
    );
    for (const { list, kind, value } of removed)
      if (matcher.hasList(tenant, list)) matcher.remove(tenant, list, kind, value);
    await state.changed(tenant);
    return removed.length;
  });
