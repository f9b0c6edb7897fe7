import type { Backend } from '../backend/backend.ts';
import type { Matcher, NamedList } from './match.ts';
import { deletedLists, deleteEntry, deleteExpired, deleteList, entriesOfList, expiredEntries } from './store.ts';

/** Deletes up to `limit` entries that are expired or belong to deleted lists. Returns how many it deleted. */
export const sweepEntries = async <L extends NamedList>(
  backend: Backend,
  matcher: Matcher<L>,
  now: number,
  limit: number,
): Promise<number> => {
  const expired = await expiredEntries(backend, now, limit);
  if (expired.length > 0) await backend.write(expired.map((entry) => deleteExpired(entry, now)));
  for (const { tenant, list, kind, value } of expired) matcher.remove(tenant, list, kind, value, now);
  let deleted = expired.length;
  for (const { tenant, id } of await deletedLists(backend)) {
    if (deleted >= limit) break;
    const entries = await entriesOfList(backend, tenant, id, limit - deleted);
    const isLast = entries.length < limit - deleted;
    await backend.write([
      ...entries.map(({ kind, value }) => deleteEntry(tenant, id, kind, value)),
      ...(isLast ? [deleteList(tenant, id)] : []),
    ]);
    deleted += entries.length;
  }
  return deleted;
};
