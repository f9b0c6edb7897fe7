import {
  type List,
  type ListChange,
  type ListRequest,
  type Lists as ListsAnswer,
  MAX_LISTS,
  MAX_TRUSTED_DAYS,
  writeTimestamp,
} from '@portcullis/contract';
import { listSignal, type Policy, type Treatment } from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend, Statement } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import { ApiError, invalidRequest, notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import type { NewId } from '../ids.ts';
import { mask } from '../mask.ts';
import { makeTurns } from '../turns.ts';
import { makeCheck } from './check.ts';
import { makeEntries } from './entries.ts';
import { makeMatcher } from './match.ts';
import { makeRefresh } from './refresh.ts';
import {
  allLists,
  entriesAfter,
  insertList,
  type ListRow,
  markDeleted,
  type StoredEntry,
  updateList,
} from './store.ts';
import { sweepEntries } from './sweep.ts';

const DAY_MS = 24 * 3_600_000;
const LOAD_AT_ONCE = 5000;
const TEST_ADDRESSES = 'test_addresses';

const builtIn = (name: Treatment, description: string): ListRow => ({
  id: name,
  name,
  description,
  treatment: name,
  created_at: 0,
  updated_at: 0,
});
/** Every account has them from the start. They are no rows: their entries name them by name. */
const BUILT_IN: readonly ListRow[] = [
  builtIn('block', 'What is on it is blocked, whatever else speaks for it.'),
  builtIn('review', 'What is on it waits for a person, unless it is blocked or trusted.'),
  builtIn('trusted', 'What is on it is allowed, unless it is blocked. Every entry expires.'),
];
const isBuiltIn = ({ id, name }: ListRow): boolean => id === name;
const TREATMENTS = new Map(BUILT_IN.map(({ name, treatment }) => [name, treatment]));

export interface ListDeps {
  readonly backend: Backend;
  readonly audit: Pick<Audit, 'write'>;
  readonly note: Note;
  /** To be told when what decides has changed; resolves when screenings are decided by it. */
  readonly changed: (tenant: number) => Promise<void>;
  /** Whether a rule that is asked names the list. */
  readonly isUsed: (tenant: number, name: string) => boolean | Promise<boolean>;
  readonly testAddresses: Policy['testAddresses'];
  readonly newId: NewId;
  readonly clock: () => number;
}

const refuseBuiltIn = (name: string): ApiError =>
  new ApiError('list_built_in', `The list ${name} is built in: it cannot be changed or deleted.`);

const refuseNamesake = (name: string): ApiError =>
  new ApiError('list_exists', `There is a list named ${name} already.`);

/** Lists of values, what is on them, and what lists a subject is on. */
export const makeLists = async (deps: ListDeps) => {
  const { backend, audit, clock, newId } = deps;
  const matcher = makeMatcher<ListRow>();

  const testAddresses: List = {
    list_id: TEST_ADDRESSES,
    name: TEST_ADDRESSES,
    description: 'Addresses of TEST-NET-3 for trying the service out. They never occur on the real internet.',
    treatment: 'none',
    built_in: true,
    entry_count: Object.keys(deps.testAddresses).length,
    entries: Object.entries(deps.testAddresses).map(([ip_address, decision]) => ({ ip_address, decision })),
    created_at: null,
    updated_at: null,
  };

  const toList = (row: ListRow, count: number): List => ({
    list_id: row.name,
    name: row.name,
    description: row.description,
    treatment: row.treatment,
    built_in: isBuiltIn(row),
    entry_count: count,
    created_at: isBuiltIn(row) ? null : writeTimestamp(row.created_at),
    updated_at: isBuiltIn(row) ? null : writeTimestamp(row.updated_at),
  });

  const listsOf = (tenant: number): readonly ListRow[] => {
    const lists = matcher.lists(tenant);
    return lists.length === 0 ? BUILT_IN : lists;
  };
  /** To be called before something of the tenant is put into memory. */
  const begin = (tenant: number): void => {
    if (matcher.lists(tenant).length === 0) for (const list of BUILT_IN) matcher.putList(tenant, list);
  };

  const load = async (): Promise<void> => {
    for (const { tenant, ...list } of await allLists(backend)) {
      begin(tenant);
      matcher.putList(tenant, list);
    }
    const now = clock();
    let last: StoredEntry | undefined;
    do {
      const entries = await entriesAfter(backend, last, LOAD_AT_ONCE);
      for (const { tenant, list, kind, value, expires_at } of entries) {
        begin(tenant);
        // Others are of a list that was deleted, and wait for the sweep.
        if (!matcher.hasList(tenant, list)) continue;
        if (expires_at === null || expires_at > now) matcher.add(tenant, list, kind, value, expires_at);
      }
      last = entries.at(-1);
    } while (last !== undefined);
  };
  await load();

  /** Changes of one tenant come one after the other: each counts and checks what the one before left. */
  const inTurn = makeTurns<number>();
  const { refresh, refreshLists } = makeRefresh({ backend, matcher, clock, begin, inTurn });

  const find = (call: Call): ListRow => {
    const name = call.params.list_id as string;
    const row = listsOf(call.caller.tenant).find((list) => list.name === name);
    if (row !== undefined) return row;
    if (name === TEST_ADDRESSES) throw refuseBuiltIn(name);
    throw notFound('list');
  };
  const describe = (tenant: number, row: ListRow): List =>
    toList(row, matcher.lists(tenant).length === 0 ? 0 : (matcher.counts(tenant, clock()).get(row.id) ?? 0));

  /** Stores a change of a list together with who made it, then has it known in memory, then in the policy. Undefined where it was refused. */
  const store = async (
    call: Call,
    action: string,
    before: ListRow | undefined,
    after: ListRow | undefined,
    statement: Statement,
    apply: () => void,
  ): Promise<Answer | undefined> => {
    const { tenant } = call.caller;
    const told = (row: ListRow | undefined) =>
      row === undefined ? null : { description: row.description, treatment: row.treatment };
    const answer = call.answer(after === undefined ? {} : describe(tenant, after));
    const target = listSignal((after ?? before)?.name as string);
    const change = { action, target, before: told(before), after: told(after) };
    const unit = [statement, ...deps.note(tenant, 'lists'), ...answer.statements];
    const { written } = await audit.write(call.caller, change, unit);
    if (!written) return undefined;
    begin(tenant);
    apply();
    await deps.changed(tenant);
    return answer;
  };

  const create = (call: Call): Promise<Answer> => {
    const { name, description = '', treatment = 'none' } = call.body as ListRequest;
    const { tenant } = call.caller;
    const masked = mask(description, 'description', call.warnings);
    return inTurn(tenant, async () => {
      const lists = listsOf(tenant);
      if (name === TEST_ADDRESSES || lists.some((list) => list.name === name)) {
        throw refuseNamesake(name);
      }
      if (lists.length - BUILT_IN.length >= MAX_LISTS) {
        throw new ApiError('limit_reached', `There are ${MAX_LISTS} lists already, the most there can be.`);
      }
      const now = clock();
      const row: ListRow = {
        id: newId(),
        name,
        description: masked,
        treatment,
        created_at: now,
        updated_at: now,
      };
      const put = (): void => matcher.putList(tenant, row);
      const answer = await store(call, 'list.created', undefined, row, insertList(tenant, row), put);
      if (answer === undefined) throw refuseNamesake(name);
      return answer;
    });
  };

  const findOwn = (call: Call): ListRow => {
    const row = find(call);
    if (isBuiltIn(row)) throw refuseBuiltIn(row.name);
    return row;
  };

  const change = (call: Call): Promise<Answer> => {
    const { description, treatment } = call.body as ListChange;
    const { tenant } = call.caller;
    const masked = description === undefined ? undefined : mask(description, 'description', call.warnings);
    const changeOnce = async (): Promise<Answer | undefined> => {
      const before = findOwn(call);
      const now = clock();
      const row: ListRow = {
        ...before,
        description: masked ?? before.description,
        treatment: treatment ?? before.treatment,
        updated_at: now,
      };
      if (row.treatment === 'trusted' && matcher.endsAfter(tenant, row.id, now + MAX_TRUSTED_DAYS * DAY_MS)) {
        const message = `cannot be trusted: it holds entries that do not expire within ${MAX_TRUSTED_DAYS} days`;
        throw invalidRequest([{ field: 'treatment', message }]);
      }
      const put = (): void => matcher.putList(tenant, row);
      return store(call, 'list.changed', before, row, updateList(tenant, before, row), put);
    };
    return inTurn(tenant, async () => {
      for (;;) {
        const answer = await changeOnce();
        if (answer !== undefined) return answer;
        // Another process was first: what it made of the list is what to go on from.
        await refreshLists(tenant);
      }
    });
  };

  const remove = (call: Call): Promise<Answer> => {
    const { tenant } = call.caller;
    return inTurn(tenant, async () => {
      const before = findOwn(call);
      if (await deps.isUsed(tenant, before.name)) {
        throw new ApiError(
          'list_in_use',
          `A live or shadow rule names the list ${before.name}. Change the rule first.`,
        );
      }
      const statement = markDeleted(tenant, before.id, clock());
      const drop = (): void => matcher.dropList(tenant, before.id);
      const answer = await store(call, 'list.deleted', before, undefined, statement, drop);
      if (answer === undefined) throw notFound('list');
      return answer;
    });
  };

  const list = async (call: Call): Promise<Answer> => {
    const { tenant } = call.caller;
    const counts = matcher.lists(tenant).length === 0 ? new Map<string, number>() : matcher.counts(tenant, clock());
    const lists: ListsAnswer = {
      lists: [...listsOf(tenant).map((row) => toList(row, counts.get(row.id) ?? 0)), testAddresses],
    };
    return call.answer(lists);
  };

  const get = async (call: Call): Promise<Answer> =>
    call.answer(call.params.list_id === TEST_ADDRESSES ? testAddresses : describe(call.caller.tenant, find(call)));

  return {
    list,
    create,
    get,
    change,
    remove,
    ...makeEntries({ ...deps, matcher, find, begin, inTurn }),
    check: makeCheck({ backend, matcher, clock }),
    /** Names of the tenant's lists that something of the subject is on. */
    listed: matcher.listed,
    /** What being on each of them means. */
    treatments: async (tenant: number): Promise<ReadonlyMap<string, Treatment>> => {
      const lists = matcher.lists(tenant);
      return lists.length === 0 ? TREATMENTS : new Map(lists.map(({ name, treatment }) => [name, treatment]));
    },
    /** Tenants that have lists of their own, or entries on those that every account has. */
    tenants: async (): Promise<readonly number[]> => matcher.tenants(),
    refresh,
    sweep: (now: number, limit: number): Promise<number> => sweepEntries(backend, matcher, now, limit),
    /** Memory taken by entries. */
    bytes: matcher.bytes,
  };
};
export type Lists = Awaited<ReturnType<typeof makeLists>>;
