import { type Screening, type ScreeningList, type SubjectType, writeTimestamp } from '@portcullis/contract';
import { type IdentitiesOf, unpackVerdict } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import type { FindScreening } from '../backend/journal.ts';
import { type ShownScreening, screeningsByNumber } from '../backend/journal-pages.ts';
import type { Answer, Call } from '../http/route.ts';
import { firstSeqAt, idOf, seqOf, timeOfSeq, withPrefix } from '../runtime/ids.ts';
import { RETENTION_MS } from '../screening/screen.ts';
import { invalidRequest } from '../validation/errors.ts';
import { asOf } from './as-of.ts';
import { filterOf, refusePersonal } from './filter.ts';
import type { FoundItem } from './item.ts';
import { findItems, type ItemFilter, type ItemRange, lastCandidate, readPositions } from './query-store.ts';
import type { Through } from './store.ts';

const DEFAULT_LIMIT = 50;
/** Candidates of one read. Reads of other tenants come in between. */
const SCAN = 20_000;
/** A search answers what it has found by then. */
const BUDGET_MS = 250;

interface SearchDeps {
  readonly backend: Backend;
  readonly search: Pick<Backend, 'readLong'>;
  readonly isCommittedInOrder: boolean;
  readonly identities: IdentitiesOf;
  readonly findScreening: FindScreening;
  readonly clock: () => number;
  /** Milliseconds that only move forward. */
  readonly monotonic: () => number;
}

const subjectIdOf = ({ id, type }: Pick<ShownScreening, 'id' | 'type'>): string => withPrefix(type, id);

/** Amounts are converted at a reference rate, so digits beyond cents have no meaning. */
const roundToCents = (dollars: number): number => Math.round(dollars * 100) / 100;

const toScreening = (item: FoundItem, row: ShownScreening): Screening => {
  const verdict = unpackVerdict(row.verdict);
  const request = JSON.parse(row.request);
  const isEvent = row.type === 'event';
  return {
    subject_type: row.type,
    subject_id: subjectIdOf(row),
    screened_at: writeTimestamp(row.screened_at),
    user_id: request.user_id,
    amount: isEvent ? null : request.amount,
    currency: isEvent ? null : request.currency,
    amount_usd: item.usd === null ? null : roundToCents(item.usd),
    event_type: isEvent ? request.type : null,
    outcome: isEvent ? (request.outcome ?? 'succeeded') : null,
    country: item.country,
    risk_score: verdict.score,
    decision: item.decision,
    automated_decision: verdict.decision,
    signals: [...verdict.signals],
    label: item.label,
    decision_id: withPrefix('decision', row.id),
    case_id: verdict.decision === 'review' ? withPrefix('case', row.id) : null,
  };
};

/** The number of the cursor's item. A cursor of another account, or of no item at all, is refused: it was mixed up. */
const cursorNumber = async ({ findScreening }: SearchDeps, tenant: number, before: string): Promise<number> => {
  const types: readonly SubjectType[] = ['transaction', 'event'];
  for (const type of types) {
    const id = idOf(type, before);
    const row = id === undefined ? undefined : await findScreening(tenant, id);
    if (row?.type === type) return seqOf(row.id);
  }
  const message = 'is not an item of this account and environment, or is past its retention';
  throw invalidRequest([{ field: 'before', message }]);
};

/** The numbers that can hold what the filter finds. The time in a number is never before that of its screening. */
const rangeOf = (filter: ItemFilter, positions: readonly Through[], before: number | undefined): ItemRange => {
  const drift = Math.max(0, ...positions.map((position) => position.drift));
  const end = filter.until === undefined ? Number.MAX_SAFE_INTEGER : firstSeqAt(filter.until + drift);
  return { first: firstSeqAt(filter.from), before: Math.min(end, before ?? end) };
};

interface Found {
  readonly items: FoundItem[];
  /** The candidate that the search stopped at; undefined when it has seen them all. */
  readonly stoppedAt: number | undefined;
}

/** Looks through the candidates, the newest first, until it has one item more than the limit or its time is over. */
const findNewest = async (
  { search, monotonic }: SearchDeps,
  tenant: number,
  filter: ItemFilter,
  range: ItemRange,
  limit: number,
): Promise<Found> => {
  const end = monotonic() + BUDGET_MS;
  const items: FoundItem[] = [];
  for (let rest = range; ; ) {
    items.push(...(await findItems(search, tenant, filter, rest, SCAN, limit + 1 - items.length)));
    if (items.length > limit) return { items, stoppedAt: undefined };
    const last = await lastCandidate(search, tenant, filter, rest, SCAN);
    if (last === undefined || monotonic() >= end) return { items, stoppedAt: last };
    rest = { ...rest, before: last };
  }
};

/** The page of what was found. Rows whose screening is deleted by now are left out. */
const toPage = async (
  { backend }: SearchDeps,
  tenant: number,
  { items, stoppedAt }: Found,
  limit: number,
): Promise<Omit<ScreeningList, 'as_of'>> => {
  const shown = items.slice(0, limit);
  const hasMore = items.length > limit || stoppedAt !== undefined;
  const cursor = items.length > limit ? shown.at(-1)?.seq : stoppedAt;
  const rows = await screeningsByNumber(
    backend,
    tenant,
    shown.map(({ seq }) => seq),
  );
  const next = cursor === undefined ? undefined : await rowOf(backend, tenant, rows, cursor);
  return {
    screenings: shown.flatMap((item) => {
      const row = rows.get(item.seq);
      return row === undefined ? [] : [toScreening(item, row)];
    }),
    has_more: hasMore && next !== undefined,
    next_before: next === undefined ? null : subjectIdOf(next),
    looked_back_to: stoppedAt === undefined ? null : writeTimestamp(timeOfSeq(stoppedAt)),
  };
};
const rowOf = async (backend: Backend, tenant: number, rows: ReadonlyMap<number, ShownScreening>, seq: number) =>
  rows.get(seq) ?? (await screeningsByNumber(backend, tenant, [seq])).get(seq);

const listScreenings = async (deps: SearchDeps, call: Call<'listScreenings'>): Promise<Answer> => {
  const { backend, search, identities, clock, isCommittedInOrder } = deps;
  const { limit = DEFAULT_LIMIT, before } = call.query;
  const { tenant, permissions } = call.caller;
  refusePersonal(call.query, permissions);
  const now = clock();
  const filter = filterOf(identities, tenant, call.query, now - RETENTION_MS + 1);
  const cursor = before === undefined ? undefined : await cursorNumber(deps, tenant, before);
  const positions = await readPositions(search, tenant);
  const complete = await asOf(backend, positions, isCommittedInOrder, now);
  const found = await findNewest(deps, tenant, filter, rangeOf(filter, positions, cursor), limit);
  const list: ScreeningList = { ...(await toPage(deps, tenant, found, limit)), as_of: writeTimestamp(complete) };
  return call.answer(list);
};

export const makeSearch = (deps: SearchDeps) => ({
  list: (call: Call<'listScreenings'>): Promise<Answer> => listScreenings(deps, call),
});
export type Search = ReturnType<typeof makeSearch>;
