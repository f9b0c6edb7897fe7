import { Readable } from 'node:stream';
import { ExportedScreening, type ExportFormat, MAX_EXPORTED, operations, type TagOf } from '@portcullis/contract';
import type { ShownScreening } from '../backend/journal-by-number.ts';
import type { Answer, Call } from '../http/route.ts';
import { csvLine } from '../runtime/csv-line.ts';
import { maskedRequest } from '../subjects/subjects.ts';
import { ApiError } from '../validation/errors.ts';

import type { FoundItem } from './item.ts';
import { cursorAfter, findScreenings, toScreening, withRows } from './list.ts';
import { nameIn } from './names.ts';
import { type PreparedSearch, prepareSearch, type SearchDeps } from './prepare-search.ts';

const PAGE = 200;
/** Exports of a tenant at a time. Each keeps the reader busy for as long as its client reads. */
const AT_A_TIME = 2;
const COLUMNS = Object.keys(ExportedScreening.properties) as (keyof ExportedScreening)[];

const toRow = (item: FoundItem, row: ShownScreening, tagOf: TagOf): ExportedScreening => {
  const request = maskedRequest(row, tagOf);
  const payment = 'amount' in request ? request : undefined;
  return {
    ...toScreening(item, row, tagOf),
    ip_address: request.ip_address ?? null,
    device: nameIn(row, 'device', tagOf) ?? null,
    email: request.email ?? null,
    payment_method: payment?.payment_method ?? null,
    payment_fingerprint: payment?.payment_fingerprint ?? null,
    counterparty_id: payment?.counterparty_id ?? null,
  };
};

const LINES: Readonly<Record<ExportFormat, (row: ExportedScreening) => string>> = {
  csv: (row) => csvLine(COLUMNS.map((name) => row[name])),
  ndjson: (row) => `${JSON.stringify(row)}\n`,
};
const HEADERS: Readonly<Record<ExportFormat, string>> = { csv: csvLine(COLUMNS), ndjson: '' };

/** Yields the file in pieces of a page. The next page is read when the client has taken the one before. */
async function* piecesOf(
  deps: SearchDeps,
  call: Call<'exportScreenings'>,
  prepared: PreparedSearch,
): AsyncGenerator<string> {
  const { format, limit = MAX_EXPORTED } = call.query;
  if (HEADERS[format] !== '') yield HEADERS[format];
  let left = limit;
  for (let { range } = prepared; ; ) {
    const size = Math.min(PAGE, left);
    const found = await findScreenings(deps, call, { ...prepared, range }, size);
    const rows = await withRows(deps.backend, prepared.tenant, found.items.slice(0, size));
    if (rows.length > 0) yield rows.map(([item, row]) => LINES[format](toRow(item, row, call.tagOf))).join('');
    left -= Math.min(size, found.items.length);
    const cursor = cursorAfter(found, size);
    if (cursor === undefined || left === 0) return;
    range = { ...range, before: cursor };
  }
}

export const makeExports = (deps: SearchDeps) => {
  const running = new Map<number, number>();
  const count = (tenant: number, by: 1 | -1): void => {
    const now = (running.get(tenant) ?? 0) + by;
    if (now === 0) running.delete(tenant);
    else running.set(tenant, now);
  };
  return async (call: Call<'exportScreenings'>): Promise<Answer> => {
    const { tenant } = call.caller;
    const { format, limit: _limit, before, ...filters } = call.query;
    if ((running.get(tenant) ?? 0) >= AT_A_TIME)
      throw new ApiError('rate_limited', `${AT_A_TIME} exports are in progress. Retry when one of them has ended.`, {
        headers: { 'Retry-After': '1' },
      });
    count(tenant, 1);
    try {
      const prepared = await prepareSearch(deps, call.caller, { ...filters, before });
      // Only the names of the filters: their values may be of a person, and an entry is never deleted.
      const after = { format, filters: Object.keys(filters).sort() };
      await deps.audit.write(
        call.caller,
        { action: 'screenings.exported', target: 'screenings', before: null, after },
        [],
      );
      const content = Readable.from(piecesOf(deps, call, prepared)).once('close', () => count(tenant, -1));
      const { streams } = operations.exportScreenings;
      return call.stream({ type: streams[format], name: `screenings.${format}`, content });
    } catch (error) {
      count(tenant, -1);
      throw error;
    }
  };
};
