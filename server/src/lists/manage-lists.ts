import {
  type List,
  type Lists as ListsAnswer,
  MAX_LISTS,
  MAX_TRUSTED_DAYS,
  writeTimestamp,
} from '@portcullis/contract';
import { listSignal, type Policy } from '@portcullis/engine';
import type { Statement } from '../backend/backend.ts';
import type { Answer, AnyCall, Call, CallWith } from '../http/route.ts';
import { ApiError, invalidRequest, notFound } from '../validation/errors.ts';
import {
  BUILT_IN,
  builtInError,
  ensureBuiltIn,
  findList,
  isBuiltIn,
  type ListState,
  TEST_ADDRESSES,
  tenantLists,
} from './list-state.ts';
import { reloadLists } from './reload.ts';
import { insertList, type ListRow, markDeleted, updateList } from './store.ts';

const DAY_MS = 24 * 3_600_000;

const nameTakenError = (name: string): ApiError =>
  new ApiError('list_exists', `A list named ${name} already exists. Choose another name.`);

const testAddressList = (addresses: Policy['testAddresses']): List => ({
  list_id: TEST_ADDRESSES,
  name: TEST_ADDRESSES,
  description: 'Addresses of TEST-NET-3 for trying out the service. They never occur on the public internet.',
  treatment: 'none',
  open_to_analysts: false,
  built_in: true,
  entry_count: Object.keys(addresses).length,
  entries: Object.entries(addresses).map(([ip_address, decision]) => ({ ip_address, decision })),
  created_at: null,
  updated_at: null,
});

const toList = (row: ListRow, count: number): List => ({
  list_id: row.name,
  name: row.name,
  description: row.description,
  treatment: row.treatment,
  open_to_analysts: row.open_to_analysts === 1,
  built_in: isBuiltIn(row),
  entry_count: count,
  created_at: isBuiltIn(row) ? null : writeTimestamp(row.created_at),
  updated_at: isBuiltIn(row) ? null : writeTimestamp(row.updated_at),
});

const countsOf = ({ matcher, clock }: ListState, tenant: number): ReadonlyMap<string, number> =>
  matcher.lists(tenant).length === 0 ? new Map() : matcher.counts(tenant, clock());

const resourceOf = (state: ListState, tenant: number, row: ListRow): List =>
  toList(row, countsOf(state, tenant).get(row.id) ?? 0);

const auditedFields = (row: ListRow | undefined) =>
  row === undefined
    ? null
    : {
        description: row.description,
        treatment: row.treatment,
        open_to_analysts: row.open_to_analysts === 1,
      };

interface ListChange {
  readonly action: string;
  readonly before: ListRow | undefined;
  readonly after: ListRow | undefined;
  readonly statement: Statement;
  /** Applies the change to memory. */
  readonly apply: () => void;
}

/** Stores a change with its audit entry, then applies it to memory and the policy. Undefined if nothing was written. */
const storeChange = async (
  state: ListState,
  call: AnyCall,
  { action, before, after, statement, apply }: ListChange,
): Promise<Answer | undefined> => {
  const { tenant } = call.caller;
  const answer = call.answer(after === undefined ? {} : resourceOf(state, tenant, after));
  const target = listSignal((after ?? before)?.name as string);
  const change = { action, target, before: auditedFields(before), after: auditedFields(after) };
  const statements = [statement, ...state.note(tenant, 'lists'), ...answer.statements];
  const { written } = await state.audit.write(call.caller, change, statements);
  if (!written) return undefined;
  ensureBuiltIn(state, tenant);
  apply();
  await state.changed(tenant);
  return answer;
};

export const createList = (state: ListState, call: Call<'createList'>): Promise<Answer> => {
  const { name, description = '', treatment = 'none', open_to_analysts = false } = call.body;
  const { tenant } = call.caller;
  return state.serializeAdditions(tenant, async () => {
    await reloadLists(state, tenant);
    const lists = tenantLists(state, tenant);
    if (name === TEST_ADDRESSES || lists.some((list) => list.name === name)) throw nameTakenError(name);
    if (lists.length - BUILT_IN.length >= MAX_LISTS) {
      const message = `An account can have at most ${MAX_LISTS} lists in an environment. Delete a list first.`;
      throw new ApiError('limit_reached', message);
    }
    const now = state.clock();
    const row: ListRow = {
      id: state.newId(),
      name,
      description,
      treatment,
      open_to_analysts: open_to_analysts ? 1 : 0,
      created_at: now,
      updated_at: now,
    };
    const answer = await storeChange(state, call, {
      action: 'list.created',
      before: undefined,
      after: row,
      statement: insertList(tenant, row),
      apply: () => state.matcher.putList(tenant, row),
    });
    if (answer === undefined) throw nameTakenError(name);
    return answer;
  });
};

const findCustomList = (state: ListState, call: CallWith<'list_id'>): ListRow => {
  const row = findList(state, call);
  if (isBuiltIn(row)) throw builtInError(row.name);
  return row;
};

const changeOnce = async (state: ListState, call: Call<'changeList'>): Promise<Answer | undefined> => {
  const { matcher, clock } = state;
  const { description, treatment, open_to_analysts: isOpen } = call.body;
  const { tenant } = call.caller;
  const before = findCustomList(state, call);
  const now = clock();
  const row: ListRow = {
    ...before,
    description: description ?? before.description,
    treatment: treatment ?? before.treatment,
    open_to_analysts: isOpen === undefined ? before.open_to_analysts : isOpen ? 1 : 0,
    updated_at: now,
  };
  if (row.treatment === 'trusted' && matcher.endsAfter(tenant, row.id, now + MAX_TRUSTED_DAYS * DAY_MS)) {
    const message = `cannot be trusted: the list has entries that do not expire within ${MAX_TRUSTED_DAYS} days`;
    throw invalidRequest([{ field: 'treatment', message }]);
  }
  return storeChange(state, call, {
    action: 'list.changed',
    before,
    after: row,
    statement: updateList(tenant, before, row),
    apply: () => matcher.putList(tenant, row),
  });
};

export const changeList = (state: ListState, call: Call<'changeList'>): Promise<Answer> => {
  const { tenant } = call.caller;
  return state.serialize(tenant, async () => {
    for (;;) {
      const answer = await changeOnce(state, call);
      if (answer !== undefined) return answer;
      // Another process changed the list first: reload it and apply this change on top.
      await reloadLists(state, tenant);
    }
  });
};

export const removeList = (state: ListState, call: Call<'deleteList'>): Promise<Answer> => {
  const { tenant } = call.caller;
  return state.serialize(tenant, async () => {
    const before = findCustomList(state, call);
    if (await state.isUsed(tenant, before.name)) {
      const message = `A live or shadow rule uses the list ${before.name}. Change or retire the rule first.`;
      throw new ApiError('list_in_use', message);
    }
    const answer = await storeChange(state, call, {
      action: 'list.deleted',
      before,
      after: undefined,
      statement: markDeleted(tenant, before.id, state.clock()),
      apply: () => state.matcher.dropList(tenant, before.id),
    });
    if (answer === undefined) throw notFound('list');
    return answer;
  });
};

export const listLists = async (state: ListState, call: Call<'listLists'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const counts = countsOf(state, tenant);
  const rows = tenantLists(state, tenant).map((row) => toList(row, counts.get(row.id) ?? 0));
  const lists: ListsAnswer = { lists: [...rows, testAddressList(state.testAddresses)] };
  return call.answer(lists);
};

export const getList = async (state: ListState, call: Call<'getList'>): Promise<Answer> =>
  call.answer(
    call.params.list_id === TEST_ADDRESSES
      ? testAddressList(state.testAddresses)
      : resourceOf(state, call.caller.tenant, findList(state, call)),
  );
