import type { DecisionValue, EventType, LabelValue, SubjectType } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import { allOf, type Condition, ifGiven } from '../backend/conditions.ts';
import type { FoundItem } from './item.ts';
import { SELECT_THROUGH, type Through } from './store.ts';

/** The SQL that reads the projection. */

export interface ItemFilter {
  readonly type?: SubjectType | undefined;
  readonly eventType?: EventType | undefined;
  readonly outcome?: 'succeeded' | 'failed' | undefined;
  readonly currency?: string | undefined;
  readonly model?: number | undefined;
  readonly decision?: DecisionValue | undefined;
  readonly label?: LabelValue | 'none' | undefined;
  readonly scoreMin?: number | undefined;
  readonly scoreMax?: number | undefined;
  readonly usdMin?: number | undefined;
  readonly usdMax?: number | undefined;
  /** Times of the screening: from this one on, and before this one. */
  readonly from: number;
  readonly until?: number | undefined;
  /** The rarest first: items are read by it. */
  readonly terms: readonly number[];
}
/** Items numbered from `first` on and below `before`. */
export interface ItemRange {
  readonly first: number;
  readonly before: number;
}
export type SearchReader = Pick<Backend, 'readLong'>;

/** Conditions that an index can serve. */
const indexed = ({ decision, label }: ItemFilter, of: string): Condition[] => [
  ...ifGiven(
    decision === 'allow' ? `${of}.decision = ?` : `${of}.decision = ? AND ${of}.decision <> 'allow'`,
    decision,
  ),
  ...(label === 'none'
    ? [{ text: `${of}.label IS NULL`, params: [] }]
    : ifGiven(`${of}.label = ? AND ${of}.label IS NOT NULL`, label)),
];

/** Below and above every amount. An item without an amount matches only filters that do not ask for one. */
const [NO_MIN, NO_MAX] = [-1, 1e300];

/**
 * Conditions that are checked item by item. The text is the same for every filter: each text is a prepared statement,
 * and callers could send any number of combinations.
 */
const compared = (filter: ItemFilter, of: string): Condition => {
  const { type, eventType, outcome, currency, model, until = Number.MAX_SAFE_INTEGER } = filter;
  return {
    text: `${of}.at >= ? AND ${of}.at < ? AND ${of}.score >= ? AND ${of}.score <= ?
      AND COALESCE(${of}.usd, ${NO_MIN}) >= ? AND COALESCE(${of}.usd, ${NO_MAX}) <= ?
      AND ${of}.type = COALESCE(?, ${of}.type)
      AND COALESCE(${of}.event_type, '') = COALESCE(?, ${of}.event_type, '')
      AND COALESCE(${of}.outcome, '') = COALESCE(?, ${of}.outcome, '')
      AND COALESCE(${of}.currency, '') = COALESCE(?, ${of}.currency, '')
      AND COALESCE(${of}.model, 0) = COALESCE(?, ${of}.model, 0)`,
    params: [
      ...[filter.from, until, filter.scoreMin ?? 0, filter.scoreMax ?? 100],
      ...[filter.usdMin ?? NO_MIN, filter.usdMax ?? NO_MAX],
      ...[type ?? null, eventType ?? null, outcome ?? null, currency ?? null, model ?? null],
    ],
  };
};

const hasTerm = (term: number, of: string): Condition => ({
  text: `EXISTS (SELECT 1 FROM search_terms t WHERE t.tenant = ${of}.tenant AND t.term = ? AND t.seq = ${of}.seq)`,
  params: [term],
});

/** Everything that the filter asks of an item. */
export const matches = (filter: ItemFilter, of: string): Condition =>
  allOf([...indexed(filter, of), compared(filter, of), ...filter.terms.map((term) => hasTerm(term, of))]);

/** Whether a secondary index yields the candidates. Such an index stores only `seq`. */
const hasIndex = ({ terms, decision, label }: ItemFilter): boolean =>
  terms.length > 0 || (decision !== undefined && decision !== 'allow') || (label !== undefined && label !== 'none');

/** The newest candidates: those that one index finds. */
const candidates = (tenant: number, filter: ItemFilter, { first, before }: ItemRange, columns: string): Condition => {
  const [driver] = filter.terms;
  const range = { text: 'c.tenant = ? AND c.seq >= ? AND c.seq < ?', params: [tenant, first, before] };
  const table = driver === undefined ? 'search_items' : 'search_terms';
  const by = driver === undefined ? indexed(filter, 'c') : ifGiven('c.term = ?', driver);
  const { text, params } = allOf([range, ...by]);
  return { text: `SELECT ${columns} FROM ${table} c WHERE ${text} ORDER BY c.seq DESC`, params };
};

/**
 * FROM and WHERE of the items `i` that match, among the newest `scan` candidates. SQLite joins in the order of a
 * CROSS JOIN. It would otherwise read all items in place of an index.
 */
export const matching = (tenant: number, filter: ItemFilter, range: ItemRange, scan: number): Condition => {
  const isByNumber = hasIndex(filter);
  const driven = candidates(tenant, filter, range, isByNumber ? 'c.seq' : 'c.*');
  const rest = allOf([
    ...(isByNumber ? [{ text: 'i.tenant = ? AND i.seq = d.seq', params: [tenant] }, ...indexed(filter, 'i')] : []),
    compared(filter, 'i'),
    ...filter.terms.slice(1).map((term) => hasTerm(term, 'i')),
  ]);
  return {
    text: `FROM (${driven.text} LIMIT ?) ${isByNumber ? 'd CROSS JOIN search_items i' : 'i'} WHERE ${rest.text}`,
    params: [...driven.params, scan, ...rest.params],
  };
};

/** Returns up to `limit` items, the newest first, among the newest `scan` candidates. */
export const findItems = (
  search: SearchReader,
  tenant: number,
  filter: ItemFilter,
  range: ItemRange,
  scan: number,
  limit: number,
): Promise<FoundItem[]> => {
  const { text, params } = matching(tenant, filter, range, scan);
  const sql = `SELECT i.seq, i.decision, i.usd, i.country, i.label ${text} ORDER BY i.seq DESC LIMIT ?`;
  return search.readLong<FoundItem>(tenant, sql, ...params, limit);
};

/** The number of the last of the newest `scan` candidates; undefined if there are fewer. */
export const lastCandidate = async (
  search: SearchReader,
  tenant: number,
  filter: ItemFilter,
  range: ItemRange,
  scan: number,
): Promise<number | undefined> => {
  const { text, params } = candidates(tenant, filter, range, 'c.seq');
  const sql = `${text} LIMIT 1 OFFSET ?`;
  return (await search.readLong<{ seq: number }>(tenant, sql, ...params, scan - 1))[0]?.seq;
};

export const readPositions = (search: SearchReader, tenant: number): Promise<Through[]> =>
  search.readLong<Through>(tenant, SELECT_THROUGH);
