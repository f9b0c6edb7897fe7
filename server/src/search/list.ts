import { type Screening, type ScreeningList, type TagOf, writeTimestamp } from '@portcullis/contract';
import { unpackVerdict } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import { type ShownScreening, screeningsByNumber } from '../backend/journal-by-number.ts';
import type { Answer, Call } from '../http/route.ts';
import { timeOfSeq, withPrefix } from '../runtime/ids.ts';
import { maskedRequest } from '../subjects/subjects.ts';
import { refusePersonal } from './filter.ts';
import type { FoundItem } from './item.ts';
import { type Found, findNewest, type PreparedSearch, prepareSearch, type SearchDeps } from './prepare-search.ts';
import { findItems } from './query-store.ts';
import { findByText } from './text.ts';

const DEFAULT_LIMIT = 50;

export const subjectIdOf = ({ id, type }: Pick<ShownScreening, 'id' | 'type'>): string => withPrefix(type, id);

/** Amounts are converted at a reference rate, so digits beyond cents have no meaning. */
export const roundToCents = (dollars: number): number => Math.round(dollars * 100) / 100;

export const toScreening = (item: FoundItem, row: ShownScreening, tagOf: TagOf): Screening => {
  const verdict = unpackVerdict(row.verdict);
  const request = maskedRequest(row, tagOf);
  const [payment, event] = 'amount' in request ? [request, undefined] : [undefined, request];
  return {
    subject_type: row.type,
    subject_id: subjectIdOf(row),
    screened_at: writeTimestamp(row.screened_at),
    user_id: request.user_id,
    amount: payment?.amount ?? null,
    currency: payment?.currency ?? null,
    amount_usd: item.usd === null ? null : roundToCents(item.usd),
    event_type: event?.type ?? null,
    outcome: event === undefined ? null : (event.outcome ?? 'succeeded'),
    country: item.country,
    risk_score: verdict.score,
    decision: item.decision,
    automated_decision: verdict.decision,
    signals: [...verdict.signals],
    label: item.label,
    decision_id: withPrefix('decision', row.id),
    case_id: verdict.decision === 'review' && row.imported === 0 ? withPrefix('case', row.id) : null,
    ...(row.imported === 1 ? { imported: true } : {}),
  };
};

/** Items with their screenings. Those whose screening is deleted by now are left out. */
export const withRows = async <Item extends { readonly seq: number }>(
  backend: Pick<Backend, 'readLong'>,
  tenant: number,
  items: readonly Item[],
): Promise<(readonly [Item, ShownScreening])[]> => {
  const rows = await screeningsByNumber(
    backend,
    tenant,
    items.map(({ seq }) => seq),
  );
  return items.flatMap((item) => {
    const row = rows.get(item.seq);
    return row === undefined ? [] : [[item, row] as const];
  });
};

/** The number that the next page begins below; undefined at the end. */
export const cursorAfter = <Item extends { readonly seq: number }>(
  { items, stoppedAt }: Found<Item>,
  limit: number,
): number | undefined => (items.length > limit ? items[limit - 1]?.seq : stoppedAt);

/** The fields of a page that lead to the next one. */
export const pageOf = async (
  backend: Pick<Backend, 'readLong'>,
  tenant: number,
  cursor: number | undefined,
  stoppedAt: number | undefined,
) => {
  const row = cursor === undefined ? undefined : (await screeningsByNumber(backend, tenant, [cursor])).get(cursor);
  return {
    has_more: row !== undefined,
    next_before: row === undefined ? null : subjectIdOf(row),
    looked_back_to: stoppedAt === undefined ? null : writeTimestamp(timeOfSeq(stoppedAt)),
  };
};

/** The newest items of a search. */
export const findScreenings = (
  deps: SearchDeps,
  { query: { text }, tagOf }: Pick<Call<'listScreenings'>, 'tagOf'> & { readonly query: { readonly text?: string } },
  prepared: PreparedSearch,
  limit: number,
): Promise<Found<FoundItem>> =>
  text === undefined
    ? findNewest(deps, prepared, limit, (range, scan, max) =>
        findItems(deps.search, prepared.tenant, prepared.filter, range, scan, max),
      )
    : findByText(deps, prepared, limit, text, tagOf);

export const listScreenings = async (deps: SearchDeps, call: Call<'listScreenings'>): Promise<Answer> => {
  const { limit = DEFAULT_LIMIT } = call.query;
  const { tenant, permissions } = call.caller;
  refusePersonal(call.query, permissions);
  const prepared = await prepareSearch(deps, call.caller, call.query);
  const found = await findScreenings(deps, call, prepared, limit);
  const shown = await withRows(deps.backend, tenant, found.items.slice(0, limit));
  const list: ScreeningList = {
    screenings: shown.map(([item, row]) => toScreening(item, row, call.tagOf)),
    ...(await pageOf(deps.backend, tenant, cursorAfter(found, limit), found.stoppedAt)),
    as_of: prepared.as_of,
  };
  return call.answer(list);
};
