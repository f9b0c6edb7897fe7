import type { SearchReader } from './query-store.ts';

/** The SQL that finds the items of a person. */

/** Up to `limit` items of any of the terms, numbered above `after` and up to `through`, in order. */
export const itemsOf = async (
  search: SearchReader,
  tenant: number,
  terms: readonly number[],
  after: number,
  through: number,
  limit: number,
): Promise<number[]> => {
  const pages = await Promise.all(
    terms.map((term) =>
      search.readLong<{ seq: number }>(
        tenant,
        'SELECT seq FROM search_terms WHERE tenant = ? AND term = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
        ...[tenant, term, after, through, limit],
      ),
    ),
  );
  const numbers = pages.flat().map(({ seq }) => seq);
  return [...new Set(numbers)].sort((a, b) => a - b).slice(0, limit);
};

/** Whether every item of a term, up to `through`, has another term too. */
export const isWithin = async (
  search: SearchReader,
  tenant: number,
  term: number,
  other: number,
  through: number,
): Promise<boolean> => {
  const sql = `SELECT 1 FROM search_terms a WHERE a.tenant = ? AND a.term = ? AND a.seq <= ? AND NOT EXISTS
    (SELECT 1 FROM search_terms b WHERE b.tenant = a.tenant AND b.term = ? AND b.seq = a.seq) LIMIT 1`;
  return (await search.readLong(tenant, sql, tenant, term, through, other)).length === 0;
};
