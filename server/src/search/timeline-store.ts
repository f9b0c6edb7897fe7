import type { SubjectType } from '@portcullis/contract';
import type { FoundItem } from './item.ts';
import type { ItemFilter, SearchReader } from './query-store.ts';
import { OF_TERM, paramsOf, type TermItems } from './user-store.ts';

/**
 * Screenings, labels and reviews are numbered by one sequence, so that the number of an entry is its place. A label that
 * a review gave has the number of the review, and is shown as that.
 */
const NUMBERS = { item: 'i.seq', label: 'i.label_seq', review: 'i.review_seq' } as const;
export type EntrySource = keyof typeof NUMBERS;

const SHOWN: Readonly<Record<EntrySource, string>> = {
  item: 'i.type = COALESCE(?, i.type)',
  label: 'i.label_seq > 0 AND i.label_seq <> i.review_seq AND i.type = COALESCE(?, i.type)',
  review: 'i.review_seq > 0 AND i.type = COALESCE(?, i.type)',
};

export interface EntryRow extends FoundItem {
  readonly number: number;
}

/** Up to `limit` entries of a user that are numbered below `before`, the newest first. */
export const readEntries = (
  search: SearchReader,
  of: TermItems,
  source: EntrySource,
  { from, until = Number.MAX_SAFE_INTEGER }: Pick<ItemFilter, 'from' | 'until'>,
  type: SubjectType | undefined,
  before: number,
  limit: number,
): Promise<EntryRow[]> =>
  search.readLong<EntryRow>(
    of.tenant,
    `SELECT ${NUMBERS[source]} AS number, i.seq, i.decision, i.usd, i.country, i.label ${OF_TERM}
      AND ${SHOWN[source]} AND ${NUMBERS[source]} < ? AND i.at >= ? AND i.at < ? ORDER BY number DESC LIMIT ?`,
    ...paramsOf(of),
    type ?? null,
    ...[before, from, until, limit],
  );

/** The number of an item's entry; undefined if the item is not in the projection. */
export const numberOfEntry = async (
  search: SearchReader,
  tenant: number,
  seq: number,
  source: EntrySource,
): Promise<number | undefined> => {
  const sql = `SELECT ${NUMBERS[source]} AS number FROM search_items i WHERE i.tenant = ? AND i.seq = ?`;
  return (await search.readLong<{ number: number }>(tenant, sql, tenant, seq))[0]?.number;
};
