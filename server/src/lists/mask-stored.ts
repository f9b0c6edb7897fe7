import type { ListState } from './list-state.ts';
import { maskedValue } from './parse-value.ts';
import { deleteEntry, entriesWith, putEntry, type StoredEntry } from './store.ts';

/**
 * Masks the stored value of an entry. Release 0.1.0 stored identifiers that look like a card number in clear text, and
 * screenings compare masked ones. Nothing happens if another process has done it.
 */
export const maskStored = async ({ backend, clock, tags }: ListState, entry: StoredEntry): Promise<void> => {
  const { tenant, kind, list } = entry;
  const masked = maskedValue(kind, entry.value, tags(tenant));
  const onList = async (value: string) =>
    (await entriesWith(backend, tenant, kind, value, clock())).find((row) => row.list === list);
  const [row, replaced] = await Promise.all([onList(entry.value), onList(masked)]);
  if (row === undefined) return;
  await backend.write([
    ...(replaced === undefined ? [putEntry(tenant, list, { ...row, value: masked })] : []),
    deleteEntry(tenant, list, kind, entry.value),
  ]);
};
