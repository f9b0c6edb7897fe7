import {
  type ErrorDetail,
  LIST_KINDS,
  type ListEntriesAdded,
  type ListEntryList,
  type ListEntryRequest,
  type ListKind,
  MAX_ANALYST_DAYS,
  MAX_LIST_ENTRIES,
  MAX_TRUSTED_DAYS,
  readTimestamp,
  type TagOf,
  writeTimestamp,
} from '@portcullis/contract';
import { listSignal } from '@portcullis/engine';
import type { Page } from '../backend/backend.ts';
import { analystOf, authorOf, requirePermission, seesPersonalValues } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf } from '../runtime/ids.ts';
import { ApiError, invalidRequest, notFound } from '../validation/errors.ts';
import { PERSONAL_KINDS, shownTo, toEntry } from './entry-resource.ts';
import { ensureBuiltIn, findList, type ListState } from './list-state.ts';
import { maskedValue, parseValue } from './parse-value.ts';
import type { AddedEntries, RemovedEntry } from './reload.ts';
import {
  countEntries,
  deleteEntry,
  type EntryRow,
  entriesWith,
  type ListRow,
  listEntryRows,
  putEntry,
} from './store.ts';

const DAY_MS = 24 * 3_600_000;
const DEFAULT_LIMIT = 20;
/** The same limit as for other requests. */
const MAX_ERRORS = 100;
const AUDITED_EXAMPLES = 20;

/** The value in its stored spelling. */
const storedValue = (kind: ListKind, text: string, tagOf: TagOf): string => {
  const parsed = parseValue(kind, text, tagOf);
  if ('error' in parsed) throw invalidRequest([{ field: 'value', message: parsed.error }]);
  return parsed.value;
};

/** For checks of values that are not stored. */
const NO_TAG: TagOf = () => '';
const isKind = (kind: unknown): kind is ListKind => LIST_KINDS.includes(kind as ListKind);

/** Errors that the schema cannot find. The entries may have other errors too. */
export const entryErrors = ({ clock }: ListState, { entries }: { readonly entries?: unknown }): ErrorDetail[] => {
  const now = clock();
  const errors: ErrorDetail[] = [];
  for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
    const { kind, value, expires_at: end } = (entry ?? {}) as Record<string, unknown>;
    if (errors.length >= MAX_ERRORS) break;
    const parsed = isKind(kind) && typeof value === 'string' ? parseValue(kind, value, NO_TAG) : undefined;
    if (parsed !== undefined && 'error' in parsed)
      errors.push({ field: `entries.${index}.value`, message: parsed.error });
    const until = typeof end === 'string' ? readTimestamp(end) : undefined;
    if (until !== undefined && until <= now)
      errors.push({ field: `entries.${index}.expires_at`, message: 'must be in the future' });
  }
  return errors;
};

/** Refuses entries that do not end in time. `where` completes "is required". */
const requireExpiry = (rows: readonly EntryRow[], now: number, days: number, where: string): void => {
  const latest = now + days * DAY_MS;
  const errors = rows.flatMap(({ expires_at: end }, index): ErrorDetail[] => {
    const field = `entries.${index}.expires_at`;
    if (end === null) return [{ field, message: `is required ${where}` }];
    return end > latest ? [{ field, message: `must be at most ${days} days ahead` }] : [];
  });
  if (errors.length > 0) throw invalidRequest(errors.slice(0, MAX_ERRORS));
};

const rowOf = (
  state: ListState,
  { caller, tagOf }: Call<'addListEntries'>,
  entry: ListEntryRequest,
  now: number,
): EntryRow => {
  const { kind, value, reason = null, author, expires_at: end } = entry;
  return {
    id: state.newId(),
    kind,
    value: storedValue(kind, value, tagOf),
    reason,
    author: analystOf(caller, author, 'author') ?? authorOf(caller),
    expires_at: end === undefined ? null : (readTimestamp(end) as number),
    created_at: now,
  };
};

/** How many of the rows are new on the list. Two rows with the same value count once. */
const countNew = ({ matcher }: ListState, tenant: number, list: ListRow, rows: readonly EntryRow[], now: number) =>
  new Set(
    rows
      .filter(({ kind, value }) => !matcher.has(tenant, list.id, kind, value, now))
      .map(({ kind, value }) => `${kind} ${value}`),
  ).size;

/**
 * More entries than other processes can add before this one learns of them. Far from the limit, the entries in memory
 * are counted; near it, those in the store.
 */
const NEAR_LIMIT = 100_000;

const requireRoom = async (state: ListState, tenant: number, added: number, now: number): Promise<void> => {
  const { backend, matcher, maxEntries = MAX_LIST_ENTRIES } = state;
  if (matcher.size(tenant) + added <= maxEntries - NEAR_LIMIT) return;
  const count = await countEntries(backend, tenant, matcher.lists(tenant), now);
  if (count + added <= maxEntries) return;
  const [limit, current] = [maxEntries, count].map((number) => number.toLocaleString('en-US'));
  throw new ApiError(
    'limit_reached',
    `All lists of an account can have at most ${limit} entries in an environment. There are ${current}, and ${added} more were sent.`,
  );
};

export const addEntries = (state: ListState, call: Call<'addListEntries'>): Promise<Answer> => {
  const { matcher, clock } = state;
  const { entries } = call.body;
  const { caller, warnings } = call;
  const { tenant } = caller;
  const masked = entries.filter(({ kind, value }) => maskedValue(kind, value, NO_TAG) !== value).length;
  if (masked > 0)
    warnings.push(`\`value\` of ${masked} entries looked like a card number and was masked; never send card numbers`);
  return state.serializeAdditions(tenant, async () => {
    const list = findList(state, call);
    const isFree = caller.permissions.includes('tune');
    if (!isFree && list.open_to_analysts === 0)
      requirePermission(caller, 'tune', 'A list that is not open to analysts');
    const now = clock();
    const rows = entries.map((entry) => rowOf(state, call, entry, now));
    if (!isFree) requireExpiry(rows, now, MAX_ANALYST_DAYS, 'without the permission tune');
    if (list.treatment === 'trusted') requireExpiry(rows, now, MAX_TRUSTED_DAYS, 'on a trusted list');
    ensureBuiltIn(state, tenant);
    const added = countNew(state, tenant, list, rows, now);
    await requireRoom(state, tenant, added, now);
    const counts = { added, replaced: rows.length - added };
    const examples = rows.slice(0, AUDITED_EXAMPLES).map(({ kind, value, expires_at: end }) => ({
      kind,
      value,
      expires_at: end === null ? null : writeTimestamp(end),
    }));
    const answer = call.answer({ list_id: list.name, ...counts } satisfies ListEntriesAdded);
    const target = listSignal(list.name);
    const change = { action: 'list.entries_added', target, before: null, after: { ...counts, examples } };
    const announcement: AddedEntries = { list: list.id, from: rows[0]?.id, to: rows.at(-1)?.id };
    await state.audit.write(caller, change, [
      ...rows.map((row) => putEntry(tenant, list.id, row)),
      ...state.note(tenant, 'lists', announcement),
      ...answer.statements,
    ]);
    for (const { kind, value, expires_at: until } of rows) matcher.add(tenant, list.id, kind, value, until);
    await state.changed(tenant);
    return answer;
  });
};

export const removeEntry = (state: ListState, call: Call<'removeListEntry'>): Promise<Answer> => {
  const { kind, value: text } = call.query;
  const { tenant } = call.caller;
  return state.serialize(tenant, async () => {
    const list = findList(state, call);
    const value = storedValue(kind, text, call.tagOf);
    const found = await entriesWith(state.backend, tenant, kind, value, state.clock());
    const row = found.find((entry) => entry.list === list.id);
    if (row === undefined) throw notFound('entry');
    const answer = call.answer({});
    const target = listSignal(list.name);
    const change = { action: 'list.entry_removed', target, before: toEntry(row), after: null };
    const announcement: RemovedEntry = { list: list.id, kind, value };
    await state.audit.write(call.caller, change, [
      deleteEntry(tenant, list.id, kind, value),
      ...state.note(tenant, 'lists', announcement),
      ...answer.statements,
    ]);
    state.matcher.remove(tenant, list.id, kind, value);
    await state.changed(tenant);
    return answer;
  });
};

/** The entries of a list with a value. Without a kind, every kind that the value may have. */
const entriesOfValue = async (
  { backend }: ListState,
  { caller: { tenant }, tagOf }: Call<'listListEntries'>,
  list: ListRow,
  kind: ListKind | undefined,
  text: string,
  now: number,
) => {
  const kinds = kind === undefined ? LIST_KINDS : [kind];
  const found = await Promise.all(
    kinds.map((one) => {
      const parsed = parseValue(one, text, tagOf);
      return 'error' in parsed ? [] : entriesWith(backend, tenant, one, parsed.value, now);
    }),
  );
  return found.flat().filter((entry) => entry.list === list.id);
};

/** The page of these entries that follows the entry `before`, newest first. */
const entriesBefore = (entries: EntryRow[], before: string | undefined, limit: number): Page<EntryRow> => {
  const rows = entries.filter(({ id }) => before === undefined || id < before).sort((a, b) => (a.id < b.id ? 1 : -1));
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
};

export const listEntries = async (state: ListState, call: Call<'listListEntries'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const { kind, value, limit = DEFAULT_LIMIT, before } = call.query;
  // Otherwise the filter would tell whether somebody's address is listed.
  if (value !== undefined && (kind === undefined || PERSONAL_KINDS.includes(kind)) && !seesPersonalValues(call.caller))
    requirePermission(call.caller, 'read_personal', 'A filter by a value of this kind');
  const list = findList(state, call);
  const now = state.clock();
  const beforeId = before === undefined ? undefined : (idOf('entry', before) as string);
  const { rows, hasMore } =
    value === undefined
      ? await listEntryRows(state.backend, tenant, list.id, { kind, before: beforeId }, now, limit)
      : entriesBefore(await entriesOfValue(state, call, list, kind, value, now), beforeId, limit);
  const page: ListEntryList = { entries: rows.map((row) => shownTo(call.caller, toEntry(row))), has_more: hasMore };
  return call.answer(page);
};
