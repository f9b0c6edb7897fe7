import { type ScreeningFilter, type SubjectType, writeTimestamp } from '@portcullis/contract';
import type { IdentitiesOf } from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import type { FindScreening } from '../backend/journal.ts';
import type { Caller } from '../http/caller.ts';
import type { KnowledgeSource } from '../knowledge/knowledge.ts';
import type { Lists } from '../lists/lists.ts';
import { firstSeqAt, idOf, seqOf } from '../runtime/ids.ts';
import { RETENTION_MS } from '../screening/screen.ts';
import { invalidRequest } from '../validation/errors.ts';
import { asOf } from './as-of.ts';
import { filterOf } from './filter.ts';
import { type ItemFilter, type ItemRange, lastCandidate, readPositions, type SearchReader } from './query-store.ts';
import type { Through } from './store.ts';

export interface SearchDeps {
  readonly backend: Backend;
  readonly search: SearchReader;
  readonly isCommittedInOrder: boolean;
  readonly identities: IdentitiesOf;
  readonly findScreening: FindScreening;
  /** Whether a tenant has imported items. */
  readonly hasImports: (tenant: number) => Promise<boolean>;
  readonly knowledge: KnowledgeSource;
  readonly lists: Pick<Lists, 'matches'>;
  readonly audit: Pick<Audit, 'write'>;
  readonly clock: () => number;
  /** Milliseconds that only move forward. */
  readonly monotonic: () => number;
}

/** Candidates of one read. The first read is small: most pages are found at once. Other tenants read in between. */
const FIRST_SCAN = 500;
const SCAN = 20_000;
/** A search answers with the items it has found by then. With all else that a request does, it takes a quarter of a second. */
const BUDGET_MS = 160;

/** The number of the cursor's item. A cursor of another account, or of no item at all, is refused: it was mixed up. */
export const cursorNumber = async (
  { findScreening }: Pick<SearchDeps, 'findScreening'>,
  tenant: number,
  before: string,
): Promise<number> => {
  const types: readonly SubjectType[] = ['transaction', 'event'];
  for (const type of types) {
    const id = idOf(type, before);
    const row = id === undefined ? undefined : await findScreening(tenant, id);
    if (row?.type === type) return seqOf(row.id);
  }
  const message = 'is not an item of this account and environment, or is past its retention';
  throw invalidRequest([{ field: 'before', message }]);
};

/**
 * The numbers that can hold what the filter finds. The time in a number is never before that of its screening. Imported
 * items are numbered by the time of their import, so `until` does not bound the numbers of an account that has some.
 */
const rangeOf = (
  { from, until }: ItemFilter,
  hasImports: boolean,
  positions: readonly Through[],
  oldest: number,
  before: number | undefined,
): ItemRange => {
  const drift = Math.max(0, ...positions.map((position) => position.drift));
  const end = until === undefined || hasImports ? Number.MAX_SAFE_INTEGER : firstSeqAt(until + drift);
  return { first: firstSeqAt(Math.max(from, oldest)), before: Math.min(end, before ?? end) };
};

/** The positions of the projection, and the time before which everything stored is in it. */
export const readState = async (
  { backend, search, isCommittedInOrder }: Pick<SearchDeps, 'backend' | 'search' | 'isCommittedInOrder'>,
  tenant: number,
  now: number,
): Promise<{ readonly positions: Through[]; readonly complete: number }> => {
  const positions = await readPositions(search, tenant);
  return { positions, complete: await asOf(backend, positions, isCommittedInOrder, now) };
};

/** A search that is ready to run. */
export interface PreparedSearch {
  readonly tenant: number;
  readonly filter: ItemFilter;
  readonly range: ItemRange;
  readonly as_of: string;
}

/** Prepares a search. Positions are read first, so `as_of` is never later than the data returned. */
export const prepareSearch = async (
  deps: SearchDeps,
  { tenant }: Pick<Caller, 'tenant'>,
  query: ScreeningFilter & { readonly before?: string | undefined },
): Promise<PreparedSearch> => {
  const { identities, clock } = deps;
  const now = clock();
  const oldest = now - RETENTION_MS + 1;
  const hasImports = await deps.hasImports(tenant);
  const filter = filterOf(identities, tenant, query, hasImports ? 0 : oldest);
  const cursor = query.before === undefined ? undefined : await cursorNumber(deps, tenant, query.before);
  const { positions, complete } = await readState(deps, tenant, now);
  return {
    tenant,
    filter,
    range: rangeOf(filter, hasImports, positions, oldest, cursor),
    as_of: writeTimestamp(complete),
  };
};

/** When a search that begins now answers what it has found, on the clock that only moves forward. */
export const endOfBudget = ({ monotonic }: Pick<SearchDeps, 'monotonic'>): number => monotonic() + BUDGET_MS;

export interface Found<Item> {
  readonly items: Item[];
  /** The candidate that the search stopped at; undefined when it has seen them all. */
  readonly stoppedAt: number | undefined;
}

/** Candidates of the next read: more than in the last one, but only as many as there is time for at its speed. */
const nextScan = (scan: number, tookMs: number, leftMs: number, max: number): number =>
  leftMs <= 0 ? 0 : Math.min(scan * 4, max, Math.floor((scan * leftMs) / tookMs));

/** Looks through the candidates, the newest first, until it has one item more than the limit or its time is over. */
export const findNewest = async <Item>(
  { search, monotonic }: Pick<SearchDeps, 'search' | 'monotonic'>,
  { tenant, filter, range }: Pick<PreparedSearch, 'tenant' | 'filter' | 'range'>,
  limit: number,
  find: (range: ItemRange, scan: number, limit: number) => Promise<Item[]>,
  end = endOfBudget({ monotonic }),
  maxScanned = SCAN,
): Promise<Found<Item>> => {
  const items: Item[] = [];
  for (let rest = range, scan = FIRST_SCAN; ; ) {
    const began = monotonic();
    items.push(...(await find(rest, scan, limit + 1 - items.length)));
    if (items.length > limit) return { items, stoppedAt: undefined };
    const last = await lastCandidate(search, tenant, filter, rest, scan);
    const now = monotonic();
    scan = nextScan(scan, now - began, end - now, maxScanned);
    if (last === undefined || scan < FIRST_SCAN) return { items, stoppedAt: last };
    rest = { ...rest, before: last };
  }
};
