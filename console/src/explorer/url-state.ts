import type { ScreeningGroupQuery, ScreeningQuery } from '@portcullis/client';
import { COLUMN_IDS, type ColumnId, DEFAULT_COLUMNS } from './column-ids.ts';
import { type Range, readRange, timesOf, writeRange } from './range.ts';
import { readTerm } from './terms.ts';

export type Grouping = ScreeningGroupQuery['by'];
export const GROUPINGS = [
  'user_id',
  'device',
  'ip_address',
  'network',
  'email',
  'payment_fingerprint',
  'counterparty_id',
  'country',
  'currency',
  'event_type',
  'outcome',
  'decision',
  'label',
] as const satisfies readonly Grouping[];
/** Groups that would list addresses, devices, e-mail addresses or cards. */
export const PERSONAL_GROUPINGS: readonly Grouping[] = [
  'device',
  'ip_address',
  'network',
  'email',
  'payment_fingerprint',
];

/** The filters, range, columns and open item that the address of the explorer holds. */
export interface UrlState {
  readonly type: 'transaction' | 'event' | undefined;
  readonly terms: readonly string[];
  readonly range: Range;
  readonly by: Grouping | undefined;
  readonly columns: readonly ColumnId[];
  /** The item that is open beside the list. */
  readonly row: string | undefined;
}

const isIn = <Value extends string>(values: readonly Value[], value: string | null): value is Value =>
  values.includes(value as Value);

export const readUrlState = (search: string): UrlState => {
  const params = new URLSearchParams(search);
  const [type, by] = [params.get('type'), params.get('by')];
  const columns = (params.get('columns') ?? '').split(',').filter((one) => isIn(COLUMN_IDS, one));
  return {
    type: type === 'transaction' || type === 'event' ? type : undefined,
    terms: params.getAll('f').flatMap((text) => readTerm(text)?.text ?? []),
    range: readRange(params),
    by: isIn(GROUPINGS, by) ? by : undefined,
    columns: columns.length === 0 ? DEFAULT_COLUMNS : columns,
    row: params.get('row') ?? undefined,
  };
};
export const writeUrlState = ({ type, terms, range, by, columns, row }: UrlState): string => {
  const params = new URLSearchParams();
  if (type !== undefined) params.set('type', type);
  for (const text of terms) params.append('f', text);
  writeRange(params, range);
  if (by !== undefined) params.set('by', by);
  if (columns.join() !== DEFAULT_COLUMNS.join()) params.set('columns', columns.join());
  if (row !== undefined) params.set('row', row);
  return params.size === 0 ? '' : `?${params}`;
};

const NUMBERS: readonly string[] = ['score_min', 'score_max', 'usd_min', 'usd_max'];
/** The filters of a request, without the time. */
export const filtersOf = ({ type, terms }: Pick<UrlState, 'type' | 'terms'>): ScreeningQuery => ({
  ...Object.fromEntries(
    terms.flatMap((text) => {
      const term = readTerm(text);
      if (term === undefined) return [];
      return [[term.parameter, NUMBERS.includes(term.parameter) ? Number(term.value) : term.value]];
    }),
  ),
  ...(type !== undefined && { type }),
});
export const queryOf = (urlState: UrlState): ScreeningQuery => ({ ...filtersOf(urlState), ...timesOf(urlState.range) });
