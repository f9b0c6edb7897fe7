import type { LabelValue } from '@portcullis/contract';
import { FIGURES, type Figures } from './figures.ts';
import { type ItemFilter, type ItemRange, matches, matching, type SearchReader } from './query-store.ts';

/** The SQL that reads what a user, or another entity, did. */

/**
 * FROM and WHERE of the newest items of a term: its parameters are tenant, term, range, limit and tenant. SQLite joins in
 * the order of a CROSS JOIN. It would otherwise read the items of all users in place of those of the term.
 */
export const OF_TERM = `FROM
  (SELECT seq FROM search_terms WHERE tenant = ? AND term = ? AND seq >= ? AND seq < ? ORDER BY seq DESC LIMIT ?) d
  CROSS JOIN search_items i WHERE i.tenant = ? AND i.seq = d.seq`;

/** The newest items of a term. */
export interface TermItems {
  readonly tenant: number;
  readonly term: number;
  readonly range: ItemRange;
  readonly limit: number;
}
export const paramsOf = ({ tenant, term, range: { first, before }, limit }: TermItems): number[] => [
  ...[tenant, term, first, before, limit],
  tenant,
];

const COUNT = `SELECT COUNT(*) AS items, MAX(seq) AS seq FROM
  (SELECT seq FROM search_terms WHERE tenant = ? AND term = ? AND seq >= ? AND seq < ? ORDER BY seq DESC LIMIT ?) t`;

/** The number of items, and the newest one; undefined without any. */
export const countItems = async (
  search: SearchReader,
  of: TermItems,
): Promise<{ readonly items: number; readonly seq: number } | undefined> => {
  const [found] = await search.readLong<{ items: number; seq: number | null }>(
    of.tenant,
    COUNT,
    ...paramsOf(of).slice(0, -1),
  );
  return found === undefined || found.seq === null ? undefined : { items: found.items, seq: found.seq };
};

interface EntityFigures extends Figures {
  readonly users: number;
  readonly first: number | null;
  readonly last: number | null;
}
/** The figures of an entity's items, and the number of its users. */
export const entityFigures = async (search: SearchReader, of: TermItems): Promise<EntityFigures> =>
  (
    await search.readLong<EntityFigures>(
      of.tenant,
      `SELECT ${FIGURES}, MIN(i.at) AS first, MAX(i.at) AS last,
        COUNT(DISTINCT CASE WHEN i.user_term = 0 THEN NULL ELSE i.user_term END) AS users ${OF_TERM}`,
      ...paramsOf(of),
    )
  )[0] as EntityFigures;

interface StepFigures extends Figures {
  readonly start: number;
  readonly max_score: number;
}
/** The figures of an entity's items by hour or day. */
export const seriesOf = (
  search: SearchReader,
  of: TermItems,
  from: number,
  until: number,
  stepMs: number,
): Promise<StepFigures[]> =>
  search.readLong<StepFigures>(
    of.tenant,
    `SELECT i.at - i.at % ${stepMs} AS start, MAX(i.score) AS max_score, ${FIGURES} ${OF_TERM}
      AND i.at >= ? AND i.at < ? GROUP BY 1`,
    ...paramsOf(of),
    from,
    until,
  );

/** An item of an entity, with the places of its terms. */
export interface EntityItem {
  readonly seq: number;
  readonly at: number;
  readonly usd: number | null;
  readonly currency: string | null;
  readonly country: string | null;
  readonly label: LabelValue | null;
  readonly terms: Uint8Array;
}

/** The items themselves, the newest first. */
export const readItems = (search: SearchReader, of: TermItems): Promise<EntityItem[]> =>
  search.readLong<EntityItem>(
    of.tenant,
    `SELECT i.seq, i.at, i.usd, i.currency, i.country, i.label, i.terms ${OF_TERM} ORDER BY i.seq DESC`,
    ...paramsOf(of),
  );

/** The newest matching item of a user. */
export interface NewestItem {
  readonly seq: number;
  readonly user_term: number;
}

/**
 * Up to `limit` items that match, and that no newer item of the same user up to `upTo` does. Newer items are looked
 * through once per user: once per item, a user with many items would occupy the reader for minutes. Where the range ends
 * with the newest items, there are none.
 */
export const findUsers = (
  search: SearchReader,
  tenant: number,
  filter: ItemFilter,
  upTo: number,
  range: ItemRange,
  scan: number,
  limit: number,
): Promise<NewestItem[]> => {
  const item = matching(tenant, filter, range, scan);
  const newest = `SELECT u.seq, u.user_term
    FROM (SELECT MAX(i.seq) AS seq, i.user_term ${item.text} AND i.user_term <> 0 GROUP BY i.user_term) u`;
  const order = 'ORDER BY u.seq DESC LIMIT ?';
  if (range.before > upTo) return search.readLong<NewestItem>(tenant, `${newest} ${order}`, ...item.params, limit);
  const newer = matches(filter, 'j');
  return search.readLong<NewestItem>(
    tenant,
    `${newest} WHERE NOT EXISTS
      (SELECT 1 FROM search_terms o CROSS JOIN search_items j
        WHERE o.tenant = ? AND o.term = u.user_term AND o.seq > u.seq AND o.seq <= ?
          AND j.tenant = o.tenant AND j.seq = o.seq AND ${newer.text})
      ${order}`,
    ...item.params,
    tenant,
    upTo,
    ...newer.params,
    limit,
  );
};
