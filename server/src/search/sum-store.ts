import type { SubjectType } from '@portcullis/contract';
import type { Statement, Value } from '../backend/backend.ts';
import type { Projection } from '../backend/projection.ts';
import { makeInsert } from './insert-rows.ts';
import type { SearchReader } from './query-store.ts';

/** The SQL of the sums over the items of an hour or a day. */

export const SUM_KINDS = ['decision', 'score', 'signal', 'rule', 'country', 'member'] as const;
export type SumKind = (typeof SUM_KINDS)[number];
/** The lengths of time that are summed, in hours. */
const LENGTHS = [1, 24] as const;

export interface Sum {
  readonly tenant: number;
  readonly kind: SumKind;
  readonly hours: (typeof LENGTHS)[number];
  readonly start: number;
  readonly type: SubjectType;
  /** The decision, score, signal, rule, country or member of the request. */
  readonly name: string;
  readonly items: number;
  readonly cents: number;
  readonly fraud: number;
  readonly legitimate: number;
  readonly fraudCents: number;
}

const addRows = makeInsert(
  `INSERT INTO search_sums
    (tenant, kind, hours, start, type, name, items, cents, fraud, legitimate, fraud_cents)`,
  '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  `ON CONFLICT (tenant, kind, hours, start, type, name) DO UPDATE SET
    items = search_sums.items + excluded.items, cents = search_sums.cents + excluded.cents,
    fraud = search_sums.fraud + excluded.fraud, legitimate = search_sums.legitimate + excluded.legitimate,
    fraud_cents = search_sums.fraud_cents + excluded.fraud_cents`,
);

/** Adds to sums, each of which is there once. */
export const addSums = (sums: readonly Sum[]): Statement[] => {
  const values: Value[] = [];
  for (const sum of sums) {
    values.push(sum.tenant, sum.kind, sum.hours, sum.start, sum.type, sum.name);
    values.push(sum.items, sum.cents, sum.fraud, sum.legitimate, sum.fraudCents);
  }
  return addRows(values);
};

/** One step from key to key: a list of all tenants would read every sum. */
const NEXT_TENANT = 'SELECT MIN(tenant) AS tenant FROM search_sums WHERE tenant > ?';
const DELETE_OLD = 'DELETE FROM search_sums WHERE tenant = ? AND kind = ? AND hours = ? AND start < ?';

/** Deletes the sums of hours and days that began before a time. */
export const deleteOldSums = async (
  { read, write }: Pick<Projection, 'read' | 'write'>,
  before: number,
): Promise<void> => {
  for (let tenant: number | null = 0; ; ) {
    tenant = (await read<{ tenant: number | null }>(NEXT_TENANT, tenant))[0]?.tenant ?? null;
    if (tenant === null) return;
    const of = tenant;
    await write(
      SUM_KINDS.flatMap((kind) => LENGTHS.map((hours) => ({ sql: DELETE_OLD, params: [of, kind, hours, before] }))),
    );
  }
};

/** Times from `from` on and before `until`. */
export interface Span {
  readonly from: number;
  readonly until: number;
}
/** The sums of one kind that are asked for. */
export interface SumFilter {
  readonly tenant: number;
  readonly kind: SumKind;
  /** Undefined: transactions and events together. */
  readonly type: SubjectType | undefined;
}
export interface NamedSum {
  readonly name: string;
  readonly items: number;
  readonly cents: number;
  readonly fraud: number;
  readonly legitimate: number;
  readonly fraud_cents: number;
}

const FIGURES = `CAST(SUM(s.items) AS BIGINT) AS items, SUM(s.cents) AS cents, CAST(SUM(s.fraud) AS BIGINT) AS fraud,
  CAST(SUM(s.legitimate) AS BIGINT) AS legitimate, SUM(s.fraud_cents) AS fraud_cents`;
const WITHIN = 'SELECT * FROM search_sums WHERE tenant = ? AND kind = ? AND hours = ? AND start >= ? AND start < ?';

const SERIES = `SELECT s.start, s.name, ${FIGURES} FROM (${WITHIN}) s WHERE s.type = COALESCE(?, s.type)
  GROUP BY s.start, s.name`;

/** The sums of each hour or day. */
export const sumSeries = (
  search: SearchReader,
  { tenant, kind, type }: SumFilter,
  hours: Sum['hours'],
  { from, until }: Span,
): Promise<(NamedSum & { readonly start: number })[]> =>
  search.readLong(tenant, SERIES, tenant, kind, hours, from, until, type ?? null);

const TOTALS = `SELECT s.name, ${FIGURES} FROM (${WITHIN} UNION ALL ${WITHIN} UNION ALL ${WITHIN}) s
  WHERE s.type = COALESCE(?, s.type) GROUP BY s.name ORDER BY items DESC, s.name LIMIT ?`;

/** The sums over whole days, and over the hours before and after them. The most items come first. */
export const sumTotals = (
  search: SearchReader,
  { tenant, kind, type }: SumFilter,
  { before, days, after }: Readonly<Record<'before' | 'days' | 'after', Span>>,
  limit: number,
): Promise<NamedSum[]> => {
  const within = (hours: Sum['hours'], { from, until }: Span) => [tenant, kind, hours, from, until];
  const spans = [...within(1, before), ...within(24, days), ...within(1, after)];
  return search.readLong(tenant, TOTALS, ...spans, type ?? null, limit);
};

const COUNT_SINCE = 'SELECT COUNT(*) AS items FROM search_items WHERE tenant = ? AND seq >= ?';
/** The number of items numbered from `first` on. */
export const countSince = async (search: SearchReader, tenant: number, first: number): Promise<number> =>
  (await search.readLong<{ items: number }>(tenant, COUNT_SINCE, tenant, first))[0]?.items ?? 0;
