import type { DecisionValue, EventType, LabelValue, SubjectType } from '@portcullis/contract';
import type { Backend, Value } from '../backend/backend.ts';
import type { FoundItem } from './item.ts';
import { SELECT_THROUGH, type Through } from './store.ts';

/** The SQL that reads the projection. */

export interface ItemFilter {
  readonly type?: SubjectType | undefined;
  readonly eventType?: EventType | undefined;
  readonly outcome?: 'succeeded' | 'failed' | undefined;
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

interface Sql {
  readonly text: string;
  readonly params: readonly Value[];
}
const joined = (conditions: readonly Sql[]): Sql => ({
  text: conditions.map(({ text }) => text).join(' AND '),
  params: conditions.flatMap(({ params }) => params),
});
const condition = (text: string, value: Value | undefined): Sql[] =>
  value === undefined ? [] : [{ text, params: [value] }];

/** Conditions that an index finds the items of. */
const indexed = ({ decision, label }: ItemFilter): Sql[] => [
  ...condition(decision === 'allow' ? 'decision = ?' : "decision = ? AND decision <> 'allow'", decision),
  ...(label === 'none' ? [{ text: 'label IS NULL', params: [] }] : condition('label = ? AND label IS NOT NULL', label)),
];

/** Conditions that are checked item by item. */
const compared = (filter: ItemFilter): Sql[] => [
  ...condition('at >= ?', filter.from),
  ...condition('at < ?', filter.until),
  ...condition('type = ?', filter.type),
  ...condition('event_type = ?', filter.eventType),
  ...condition('outcome = ?', filter.outcome),
  ...condition('score >= ?', filter.scoreMin),
  ...condition('score <= ?', filter.scoreMax),
  ...condition('usd >= ?', filter.usdMin),
  ...condition('usd <= ?', filter.usdMax),
];

const HAS_TERM = 'EXISTS (SELECT 1 FROM search_terms o WHERE o.tenant = i.tenant AND o.term = ? AND o.seq = i.seq)';
const COLUMNS = 'i.seq, i.decision, i.usd, i.country, i.label';

/** The newest candidates: those that one index finds. Not more than `scan` of them are looked at in one read. */
const candidates = (tenant: number, filter: ItemFilter, { first, before }: ItemRange): Sql => {
  const [driver] = filter.terms;
  const range = { text: 'tenant = ? AND seq >= ? AND seq < ?', params: [tenant, first, before] };
  const table = driver === undefined ? 'search_items' : 'search_terms';
  const by = driver === undefined ? indexed(filter) : condition('term = ?', driver);
  const { text, params } = joined([range, ...by]);
  return { text: `FROM ${table} WHERE ${text} ORDER BY seq DESC`, params };
};

/** Returns up to `limit` items, the newest first, among the newest `scan` candidates. */
export const findItems = (
  search: Pick<Backend, 'readLong'>,
  tenant: number,
  filter: ItemFilter,
  range: ItemRange,
  scan: number,
  limit: number,
): Promise<FoundItem[]> => {
  const driven = candidates(tenant, filter, range);
  const [driver, ...others] = filter.terms;
  const { text, params } = joined([
    ...(driver === undefined ? [] : indexed(filter)),
    ...compared(filter),
    ...others.map((term) => ({ text: HAS_TERM, params: [term] })),
  ]);
  return search.readLong<FoundItem>(
    tenant,
    `SELECT ${COLUMNS} FROM (SELECT seq ${driven.text} LIMIT ?) d JOIN search_items i ON i.tenant = ? AND i.seq = d.seq
      WHERE ${text} ORDER BY i.seq DESC LIMIT ?`,
    ...driven.params,
    scan,
    tenant,
    ...params,
    limit,
  );
};

/** The number of the last of the newest `scan` candidates; undefined if there are fewer. */
export const lastCandidate = async (
  search: Pick<Backend, 'readLong'>,
  tenant: number,
  filter: ItemFilter,
  range: ItemRange,
  scan: number,
): Promise<number | undefined> => {
  const { text, params } = candidates(tenant, filter, range);
  const sql = `SELECT seq ${text} LIMIT 1 OFFSET ?`;
  return (await search.readLong<{ seq: number }>(tenant, sql, ...params, scan - 1))[0]?.seq;
};

export const readPositions = (search: Pick<Backend, 'readLong'>, tenant: number): Promise<Through[]> =>
  search.readLong<Through>(tenant, SELECT_THROUGH);
