import type { DecisionValue } from '@portcullis/contract';
import type { SearchReader } from './query-store.ts';

/** The SQL that sums up users for a list of them. */

/** Users of one read. It reads up to `COUNTED` items of each, as many as the longest read of a search. */
const AT_ONCE = 20;
/** Items of a user that are counted, at most. */
const COUNTED = 1000;

/** The newest items `i` of the user `u`: the parameters are tenant, first number, limit and tenant. */
const OF_USER = `FROM (SELECT t.seq FROM search_terms t WHERE t.tenant = ? AND t.term = u.term AND t.seq >= ?
    ORDER BY t.seq DESC LIMIT ?) d
  CROSS JOIN search_items i WHERE i.tenant = ? AND i.seq = d.seq`;

const countIf = (condition: string): string => `SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
const FIGURES = [
  'COUNT(*)',
  'COALESCE(SUM(i.usd), 0)',
  countIf(`i.decision = 'review'`),
  countIf(`i.decision = 'block'`),
  countIf(`i.label = 'fraud'`),
  'MIN(i.at)',
  'MAX(i.at)',
].join(` || ' ' || `);

/**
 * Figures are one text, because a subquery in the list of columns has one value. Both stores run it once per user. In a
 * join, PostgreSQL may read the items of all users; SQLite has no LATERAL. Without an item, both texts are null.
 */
const SUMMARIES = `WITH users (term) AS (VALUES ${Array(AT_ONCE).fill('(CAST(? AS BIGINT))').join(', ')})
  SELECT u.term, (SELECT ${FIGURES} ${OF_USER}) AS figures, (SELECT i.score || ' ' || i.decision ${OF_USER}) AS newest
  FROM users u`;

interface SummaryRow {
  readonly term: number;
  readonly figures: string | null;
  readonly newest: string | null;
}

type FigureName = 'items' | 'usd' | 'review' | 'block' | 'fraud' | 'first' | 'last' | 'score';
/** The figures of a user's items, and the score and the decision of the newest one. */
export interface UserFigures extends Readonly<Record<FigureName, number>> {
  readonly decision: DecisionValue;
}
const figuresIn = (figures: string, newest: string): UserFigures => {
  const [items = 0, usd = 0, review = 0, block = 0, fraud = 0, first = 0, last = 0] = figures.split(' ').map(Number);
  const [score, decision] = newest.split(' ') as [string, DecisionValue];
  return { items, usd, review, block, fraud, first, last, score: Number(score), decision };
};

/** Filled up with the term of no entity, so that a read of any number of users is the same statement. */
const fillUp = (terms: readonly number[]): number[] => Array.from({ length: AT_ONCE }, (_, at) => terms[at] ?? 0);

/** Sums up the items numbered from `first` on, of each user. Users without an item are left out. */
export const summariesOf = async (
  search: SearchReader,
  tenant: number,
  terms: readonly number[],
  first: number,
): Promise<Map<number, UserFigures>> => {
  const reads = Array.from({ length: Math.ceil(terms.length / AT_ONCE) }, (_, at) =>
    search.readLong<SummaryRow>(
      tenant,
      SUMMARIES,
      ...fillUp(terms.slice(at * AT_ONCE, (at + 1) * AT_ONCE)),
      ...[tenant, first, COUNTED, tenant],
      ...[tenant, first, 1, tenant],
    ),
  );
  return new Map(
    (await Promise.all(reads))
      .flat()
      .flatMap(({ term, figures, newest }) =>
        figures === null || newest === null ? [] : [[term, figuresIn(figures, newest)]],
      ),
  );
};
