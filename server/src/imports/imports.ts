import { type ImportItem, type ImportResult, MAX_IMPORTED_ITEMS } from '@portcullis/contract';
import type { Audit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import { isErased } from '../backend/erased-request.ts';
import { type JournalEntry, journalBetween } from '../backend/journal-pages.ts';
import type { Caller } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import type { Log } from '../runtime/log.ts';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import { makeReadItem, type Sent, type SentItem, timeErrors } from './read-items.ts';
import { importSlice, type SliceDeps } from './slice.ts';
import {
  closeImports,
  confirmImports,
  findImported,
  type ImportedRow,
  type ImportsRow,
  insertImports,
  openTenants,
  readImports,
} from './store.ts';

export { itemErrors } from './read-items.ts';

export interface ImportDeps extends SliceDeps {
  readonly identityKey: Uint8Array;
  readonly audit: Pick<Audit, 'write'>;
  readonly log: Log;
}

/** Small enough that screenings hardly wait while one is counted. */
const SLICE = 32;

const refuse = (place: number, field: string, message: string): never => {
  throw invalidRequest([{ field: `items.${place}.${field}`, message }]);
};

/** Entries of a request that change something. The others were imported before. */
const newEntries = (sent: readonly Sent[], known: ReadonlyMap<string, ImportedRow>): Sent[] => {
  const contents = new Map([...known].map(([key, { content }]) => [key, content]));
  return sent.filter((entry) => {
    const content = contents.get(entry.key);
    if (entry.kind === 'label') {
      if (content === undefined) refuse(entry.place, 'id', 'is not the id of an item that was imported before it');
      return true;
    }
    if (content !== undefined && content !== entry.content)
      refuse(entry.place, 'id', 'was imported with other content; an item cannot be changed');
    contents.set(entry.key, entry.content);
    return content === undefined;
  });
};

/** Entries that are stored together: up to 32 of one kind, in their order. */
const slicesOf = (entries: readonly Sent[]): Sent[][] => {
  const slices: Sent[][] = [];
  for (const entry of entries) {
    const last = slices.at(-1);
    if (last !== undefined && last.length < SLICE && last[0]?.kind === entry.kind) last.push(entry);
    else slices.push([entry]);
  }
  return slices;
};

const requireQuota = ({ items }: ImportsRow, more: number): void => {
  if (items + more <= MAX_IMPORTED_ITEMS) return;
  const limit = MAX_IMPORTED_ITEMS.toLocaleString('en-US');
  throw new ApiError('limit_reached', `An account can import at most ${limit} transactions and events.`);
};

/** Imported entries of a tenant, by their numbers. */
const entriesBetween = async (
  backend: Backend,
  tenant: number,
  first: number,
  last: number,
): Promise<JournalEntry[]> => {
  const entries: JournalEntry[] = [];
  for await (const page of journalBetween(backend, first - 1, last))
    entries.push(
      ...page.filter(
        (entry) => entry.tenant === tenant && 'imported' in entry && entry.imported === 1 && !isErased(entry),
      ),
    );
  return entries;
};

/** Counts or settles the last entries that a request stored. The caller holds the lock of the tenant's imports. */
const finishOpen = async ({ backend, counters }: ImportDeps, tenant: number): Promise<ImportsRow> => {
  const row = await readImports(backend, tenant);
  if (row === undefined) {
    await backend.write([insertImports(tenant)]);
    return { items: 0, open_first: 0, open_last: 0 };
  }
  const { open_first: first, open_last: last } = row;
  if (last === 0) return row;
  const entries = await entriesBetween(backend, tenant, first, Math.abs(last));
  if (last < 0) await counters.settlePast(tenant, entries);
  else await counters.recount(tenant, entries, () => backend.write([confirmImports(tenant, last)]));
  await backend.write([closeImports(tenant)]);
  return row;
};

const importSent = async (deps: ImportDeps, caller: Caller, sent: readonly Sent[]): Promise<ImportResult> => {
  const { tenant } = caller;
  const row = await finishOpen(deps, tenant);
  const known = await findImported(deps.backend, tenant, [...new Set(sent.map(({ key }) => key))]);
  const entries = newEntries(sent, known);
  const items = entries.filter((entry): entry is SentItem => entry.kind === 'item');
  requireQuota(row, items.length);
  const numbers = new Map([...known].map(([key, { screening_seq }]) => [key, screening_seq]));
  let labelled = 0;
  for (const slice of slicesOf(entries)) labelled += await importSlice(deps, caller, slice, numbers);
  return { imported: items.length, labelled, repeated: sent.length - items.length - labelled };
};

const lockOf = (tenant: number): string => `import ${tenant}`;

export const makeHasImports =
  (backend: Backend) =>
  async (tenant: number): Promise<boolean> =>
    (await readImports(backend, tenant)) !== undefined;

export const makeImports = (deps: ImportDeps) => {
  const { backend, audit, clock, log } = deps;
  const readItem = makeReadItem(deps.identityKey);
  return {
    import: async (call: Call<'createImport'>): Promise<Answer> => {
      const { tenant } = call.caller;
      const items: readonly ImportItem[] = call.body.items;
      const errors = timeErrors(items, clock());
      if (errors.length > 0) throw invalidRequest(errors);
      const sent = items.map((item, place) => readItem(tenant, item, place));
      const result = await backend.withLock(lockOf(tenant), () => importSent(deps, call.caller, sent));
      const answer = call.answer(result);
      const hasChanged = result.imported + result.labelled > 0;
      const change = { action: 'history.imported', target: 'imports', before: null, after: { ...result } };
      if (hasChanged) await audit.write(call.caller, change, answer.statements);
      else if (answer.statements.length > 0) await backend.write(answer.statements);
      return answer;
    },
    /** Counts what interrupted requests of a process that has ended stored. */
    finish: async (): Promise<void> => {
      try {
        for (const tenant of await openTenants(backend))
          await backend.withLock(lockOf(tenant), () => finishOpen(deps, tenant));
      } catch (error) {
        log.warn({ err: error }, 'entries of an interrupted import are not counted yet; the next request counts them');
      }
    },
  };
};
export type Imports = ReturnType<typeof makeImports>;
