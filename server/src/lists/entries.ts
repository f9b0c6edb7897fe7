import {
  type ErrorDetail,
  LIST_KINDS,
  type ListEntriesAdded,
  type ListEntriesRequest,
  type ListEntry,
  type ListEntryList,
  type ListEntryQuery,
  type ListEntryRemoval,
  type ListEntryRequest,
  type ListKind,
  MAX_LIST_ENTRIES,
  MAX_TRUSTED_DAYS,
  maskCardNumbers,
  readTimestamp,
  writeTimestamp,
} from '@portcullis/contract';
import { listSignal } from '@portcullis/engine';
import type { Caller } from '../access/access.ts';
import { ApiError, invalidRequest, notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, withPrefix } from '../ids.ts';
import type { ListDeps } from './lists.ts';
import type { Matcher } from './match.ts';
import type { Added, Removed } from './refresh.ts';
import { deleteEntry, type EntryRow, entriesWith, type ListRow, listEntryRows, putEntry } from './store.ts';
import { readValue } from './value.ts';

const DAY_MS = 24 * 3_600_000;
const DEFAULT_LIMIT = 20;
/** As many faults as any other request is told at once. */
const MOST_FAULTS = 100;
const AUDITED_EXAMPLES = 20;

export interface EntryDeps extends ListDeps {
  readonly matcher: Matcher<ListRow>;
  readonly find: (call: Call) => ListRow;
  readonly begin: (tenant: number) => void;
  readonly inTurn: <T>(tenant: number, work: () => Promise<T>) => Promise<T>;
}

export const toEntry = (row: EntryRow): ListEntry => ({
  entry_id: withPrefix('entry', row.id),
  kind: row.kind,
  value: row.value,
  reason: row.reason,
  author: row.author,
  expires_at: row.expires_at === null ? null : writeTimestamp(row.expires_at),
  created_at: writeTimestamp(row.created_at),
});

/** The value in the spelling that is stored. */
const storedValue = (kind: ListKind, text: string): string => {
  const read = readValue(kind, text);
  if ('refusal' in read) throw invalidRequest([{ field: 'value', message: read.refusal }]);
  return read.value;
};

const isKind = (kind: unknown): kind is ListKind => LIST_KINDS.includes(kind as ListKind);

/** What is on a list: adding, taking off, looking. */
export const makeEntries = (deps: EntryDeps) => {
  const { backend, matcher, audit, clock, newId, find, inTurn } = deps;

  /** What the schema cannot tell, of entries that may have other faults. */
  const entryFaults = ({ entries }: { readonly entries?: unknown }): ErrorDetail[] => {
    const now = clock();
    const faults: ErrorDetail[] = [];
    for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
      const { kind, value, expires_at: end } = (entry ?? {}) as Record<string, unknown>;
      if (faults.length >= MOST_FAULTS) break;
      const read = isKind(kind) && typeof value === 'string' ? readValue(kind, value) : undefined;
      if (read !== undefined && 'refusal' in read)
        faults.push({ field: `entries.${index}.value`, message: read.refusal });
      const until = typeof end === 'string' ? readTimestamp(end) : undefined;
      if (until !== undefined && until <= now)
        faults.push({ field: `entries.${index}.expires_at`, message: 'must be in the future' });
    }
    return faults;
  };

  const requireExpiry = (rows: readonly EntryRow[], now: number): void => {
    const latest = now + MAX_TRUSTED_DAYS * DAY_MS;
    const faults = rows.flatMap(({ expires_at: end }, index): ErrorDetail[] => {
      const field = `entries.${index}.expires_at`;
      if (end === null) return [{ field, message: 'is required on a list that is trusted' }];
      return end > latest ? [{ field, message: `must be at most ${MAX_TRUSTED_DAYS} days ahead` }] : [];
    });
    if (faults.length > 0) throw invalidRequest(faults.slice(0, MOST_FAULTS));
  };

  const rowOf = (caller: Caller, entry: ListEntryRequest, now: number): EntryRow => {
    const { kind, value, reason, author, expires_at: end } = entry;
    return {
      id: newId(),
      kind,
      value: storedValue(kind, value),
      reason: reason === undefined ? null : maskCardNumbers(reason),
      author: author ?? withPrefix('key', caller.keyId),
      expires_at: end === undefined ? null : (readTimestamp(end) as number),
      created_at: now,
    };
  };

  /** How many of them are not there: of two with one value, the second finds the first. */
  const countNew = (tenant: number, list: ListRow, rows: readonly EntryRow[], now: number): number =>
    new Set(
      rows
        .filter(({ kind, value }) => !matcher.has(tenant, list.id, kind, value, now))
        .map(({ kind, value }) => `${kind} ${value}`),
    ).size;

  /** Counted exactly only near the limit: what is expired and not yet swept takes no room. */
  const requireRoom = (tenant: number, added: number, now: number): void => {
    if (matcher.size(tenant) + added <= MAX_LIST_ENTRIES) return;
    const held = [...matcher.counts(tenant, now).values()].reduce((sum, count) => sum + count, 0);
    if (held + added <= MAX_LIST_ENTRIES) return;
    const limit = MAX_LIST_ENTRIES.toLocaleString('en-US');
    throw new ApiError(
      'limit_reached',
      `All lists together hold at most ${limit} entries: there are ${held.toLocaleString('en-US')}, and ${added} were to be added.`,
    );
  };

  const add = (call: Call): Promise<Answer> => {
    const { entries } = call.body as ListEntriesRequest;
    const { caller, warnings } = call;
    const { tenant } = caller;
    const masked = entries.filter(({ reason = '' }) => maskCardNumbers(reason) !== reason).length;
    if (masked > 0) {
      warnings.push(
        `\`reason\` of ${masked} entries looked like a card number and was masked; never send card numbers`,
      );
    }
    return inTurn(tenant, async () => {
      const list = find(call);
      const now = clock();
      const rows = entries.map((entry) => rowOf(caller, entry, now));
      if (list.treatment === 'trusted') requireExpiry(rows, now);
      deps.begin(tenant);
      const added = countNew(tenant, list, rows, now);
      requireRoom(tenant, added, now);
      const counts = { added, replaced: rows.length - added };
      const examples = rows.slice(0, AUDITED_EXAMPLES).map(({ kind, value, expires_at: end }) => ({
        kind,
        value,
        expires_at: end === null ? null : writeTimestamp(end),
      }));
      const answer = call.answer({ list_id: list.name, ...counts } satisfies ListEntriesAdded);
      const target = listSignal(list.name);
      const change = { action: 'list.entries_added', target, before: null, after: { ...counts, examples } };
      await audit.write(caller, change, [
        ...rows.map((row) => putEntry(tenant, list.id, row)),
        ...deps.note(tenant, 'lists', { list: list.id, from: rows[0]?.id, to: rows.at(-1)?.id } satisfies Added),
        ...answer.statements,
      ]);
      for (const { kind, value, expires_at: until } of rows) matcher.add(tenant, list.id, kind, value, until);
      await deps.changed(tenant);
      return answer;
    });
  };

  const removeEntry = (call: Call): Promise<Answer> => {
    const { kind, value: text } = call.query as ListEntryRemoval;
    const { tenant } = call.caller;
    return inTurn(tenant, async () => {
      const list = find(call);
      const value = storedValue(kind, text);
      const found = await entriesWith(backend, tenant, kind, value, clock());
      const row = found.find((entry) => entry.list === list.id);
      if (row === undefined) throw notFound('entry');
      const answer = call.answer({});
      const target = listSignal(list.name);
      const change = { action: 'list.entry_removed', target, before: toEntry(row), after: null };
      await audit.write(call.caller, change, [
        deleteEntry(tenant, list.id, kind, value),
        ...deps.note(tenant, 'lists', { list: list.id, kind, value } satisfies Removed),
        ...answer.statements,
      ]);
      matcher.remove(tenant, list.id, kind, value);
      await deps.changed(tenant);
      return answer;
    });
  };

  /** Of a value without its kind, every kind it may be of. */
  const withValue = async (tenant: number, list: ListRow, kind: ListKind | undefined, text: string, now: number) => {
    const kinds = kind === undefined ? LIST_KINDS : [kind];
    const found = await Promise.all(
      kinds.map((one) => {
        const read = readValue(one, text);
        return 'refusal' in read ? [] : entriesWith(backend, tenant, one, read.value, now);
      }),
    );
    return found.flat().filter((entry) => entry.list === list.id);
  };

  const listEntries = async (call: Call): Promise<Answer> => {
    const { tenant } = call.caller;
    const { kind, value, limit = DEFAULT_LIMIT, before } = call.query as ListEntryQuery;
    const list = find(call);
    const now = clock();
    const beforeId = before === undefined ? undefined : (idOf('entry', before) as string);
    const rows =
      value === undefined
        ? await listEntryRows(backend, tenant, list.id, { kind, before: beforeId }, now, limit + 1)
        : (await withValue(tenant, list, kind, value, now))
            .filter(({ id }) => beforeId === undefined || id < beforeId)
            .sort((a, b) => (a.id < b.id ? 1 : -1));
    const page: ListEntryList = { entries: rows.slice(0, limit).map(toEntry), has_more: rows.length > limit };
    return call.answer(page);
  };

  return { entryFaults, add, removeEntry, listEntries };
};
