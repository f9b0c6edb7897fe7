import { Readable } from 'node:stream';
import { ListEntry, operations } from '@portcullis/contract';
import type { Answer, Call } from '../http/route.ts';
import { csvLine } from '../runtime/csv-line.ts';
import { toEntry } from './entry-resource.ts';
import { findList, type ListState } from './list-state.ts';
import { listEntryRows } from './store.ts';

const PAGE = 1000;
const COLUMNS = Object.keys(ListEntry.properties) as (keyof ListEntry)[];

/** Yields the file in pieces of a page. The next page is read when the client has taken the one before. */
async function* piecesOf({ backend, clock }: ListState, tenant: number, list: string): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  const now = clock();
  for (let before: string | undefined; ; ) {
    const { rows, hasMore } = await listEntryRows(backend, tenant, list, { kind: undefined, before }, now, PAGE);
    const entries = rows.map(toEntry);
    if (entries.length > 0) yield entries.map((entry) => csvLine(COLUMNS.map((name) => entry[name]))).join('');
    if (!hasMore) return;
    before = rows.at(-1)?.id;
  }
}

export const exportList = async (state: ListState, call: Call<'exportList'>): Promise<Answer> => {
  const { id, name } = findList(state, call);
  const content = Readable.from(piecesOf(state, call.caller.tenant, id));
  return call.stream({ type: operations.exportList.streams.csv, name: `${name}.csv`, content });
};
