import type { IdentitiesOf, Policy, Treatment } from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import type { CallWith } from '../http/route.ts';
import type { IdentifierTags } from '../runtime/identifier-tags.ts';
import type { NewId } from '../runtime/ids.ts';
import { serializeByKey } from '../runtime/serialize-by-key.ts';
import { ApiError, notFound } from '../validation/errors.ts';
import { type Matcher, makeMatcher } from './match.ts';
import { maskedValue } from './parse-value.ts';
import { allLists, entriesAfter, type ListRow, type StoredEntry } from './store.ts';

const LOAD_AT_ONCE = 5000;
export const TEST_ADDRESSES = 'test_addresses';

const builtIn = (name: Treatment, description: string): ListRow => ({
  id: name,
  name,
  description,
  treatment: name,
  open_to_analysts: 0,
  created_at: 0,
  updated_at: 0,
});
/** The lists that every account has. They are not rows: their entries refer to them by name. */
export const BUILT_IN: readonly ListRow[] = [
  builtIn('block', 'Blocks every match.'),
  builtIn('review', 'Sends every match to review, unless it is blocked or trusted.'),
  builtIn('trusted', 'Allows every match, unless it is blocked. Every entry expires.'),
];
export const isBuiltIn = ({ id, name }: ListRow): boolean => id === name;

export interface ListDeps {
  readonly backend: Backend;
  readonly identities: IdentitiesOf;
  readonly audit: Pick<Audit, 'write'>;
  readonly note: Note;
  /** To be called after a change of lists; resolves when screenings are decided by it. */
  readonly changed: (tenant: number) => Promise<void>;
  /** Whether a live or shadow rule uses the list. */
  readonly isUsed: (tenant: number, name: string) => boolean | Promise<boolean>;
  readonly testAddresses: Policy['testAddresses'];
  /** Limit of a tenant's entries. Smaller in tests. */
  readonly maxEntries?: number | undefined;
  readonly newId: NewId;
  readonly clock: () => number;
  readonly tags: IdentifierTags;
}

export interface ListState extends ListDeps {
  readonly matcher: Matcher<ListRow>;
  /** Serializes the changes of a tenant: each one counts and checks the result of the one before. */
  readonly serialize: <T>(tenant: number, work: () => Promise<T>) => Promise<T>;
  /** The same across processes, for changes that must not exceed a quota together. */
  readonly serializeAdditions: <T>(tenant: number, work: () => Promise<T>) => Promise<T>;
}

export const makeListState = (deps: ListDeps): ListState => {
  const serialize = serializeByKey<number>();
  return {
    ...deps,
    matcher: makeMatcher<ListRow>(deps.identities),
    serialize,
    serializeAdditions: (tenant, work) => deps.backend.withLock(`lists ${tenant}`, () => serialize(tenant, work)),
  };
};

export const tenantLists = ({ matcher }: ListState, tenant: number): readonly ListRow[] => {
  const lists = matcher.lists(tenant);
  return lists.length === 0 ? BUILT_IN : lists;
};

/** Adds the built-in lists of a tenant to memory. Call it before any other list or entry of the tenant is added. */
export const ensureBuiltIn = ({ matcher }: ListState, tenant: number): void => {
  if (matcher.lists(tenant).length === 0) for (const list of BUILT_IN) matcher.putList(tenant, list);
};

/** Reads all lists and entries into memory. Returns the entries whose stored value is not masked yet. */
export const loadLists = async (state: ListState): Promise<StoredEntry[]> => {
  const { backend, matcher, clock } = state;
  for (const { tenant, ...list } of await allLists(backend)) {
    ensureBuiltIn(state, tenant);
    matcher.putList(tenant, list);
  }
  const now = clock();
  const unmasked: StoredEntry[] = [];
  let last: StoredEntry | undefined;
  do {
    const entries = await entriesAfter(backend, last, LOAD_AT_ONCE);
    for (const entry of entries) {
      const { tenant, list, kind, expires_at } = entry;
      const value = maskedValue(kind, entry.value, state.tags(tenant));
      if (value !== entry.value) unmasked.push(entry);
      ensureBuiltIn(state, tenant);
      // Entries of a deleted list wait for the sweep.
      if (!matcher.hasList(tenant, list)) continue;
      if (expires_at === null || expires_at > now) matcher.add(tenant, list, kind, value, expires_at);
    }
    last = entries.at(-1);
  } while (last !== undefined);
  return unmasked;
};

export const builtInError = (name: string): ApiError =>
  new ApiError('list_built_in', `The list ${name} is built in: it cannot be changed or deleted.`);

/** The list that a call names. Throws if the account has none of that name. */
export const findList = (state: ListState, call: CallWith<'list_id'>): ListRow => {
  const name = call.params.list_id;
  const row = tenantLists(state, call.caller.tenant).find((list) => list.name === name);
  if (row !== undefined) return row;
  if (name === TEST_ADDRESSES) throw builtInError(name);
  throw notFound('list');
};
