import { MAX_OWN_VIEWS, MAX_SHARED_VIEWS, type View, type ViewList, writeTimestamp } from '@portcullis/contract';
import type { Audit } from '../audit/audit.ts';
import type { Backend, Unit } from '../backend/backend.ts';
import { authorOf, requirePermission } from '../http/caller.ts';
import type { Answer, AnyCall, Call, CallWith } from '../http/route.ts';
import { idOf, type NewId, withPrefix } from '../runtime/ids.ts';
import { ApiError, notFound } from '../validation/errors.ts';
import { deleteView, findView, insertView, updateView, type ViewRow, viewsFor } from './store.ts';

export interface ViewDeps {
  readonly backend: Backend;
  readonly audit: Pick<Audit, 'write'>;
  readonly newId: NewId;
  readonly clock: () => number;
  /** The names of people, by `person_…`. */
  readonly namesOf: (account: string, authors: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

const toView = (row: ViewRow, me: string, names: ReadonlyMap<string, string>): View => ({
  view_id: withPrefix('view', row.id),
  page: row.page,
  name: row.name,
  query: row.query,
  columns: JSON.parse(row.columns) as string[],
  shared: row.shared === 1,
  owner: names.get(row.owner) ?? row.owner,
  mine: row.owner === me,
  created_at: writeTimestamp(row.created_at),
  updated_at: writeTimestamp(row.updated_at),
});

const viewOf = async ({ namesOf }: ViewDeps, { caller }: AnyCall, row: ViewRow): Promise<View> =>
  toView(row, authorOf(caller), await namesOf(caller.account, [row.owner]));

/** The audit entry has no query: it may name a person, and says nothing about the service. */
const auditedFields = (row: ViewRow | undefined) =>
  row === undefined ? null : { page: row.page, name: row.name, shared: row.shared === 1 };

const record = (
  { audit }: ViewDeps,
  { caller }: AnyCall,
  action: 'created' | 'changed' | 'deleted',
  { before, after }: { readonly before?: ViewRow; readonly after?: ViewRow },
  unit: Unit,
): Promise<unknown> => {
  const target = withPrefix('view', ((after ?? before) as ViewRow).id);
  const change = { action: `view.${action}`, target, before: auditedFields(before), after: auditedFields(after) };
  return audit.write(caller, change, unit);
};

/** Refuses a view beyond the quotas. The lock of the views makes them exact. */
const requireRoom = async ({ backend }: ViewDeps, { caller }: AnyCall, view: ViewRow): Promise<void> => {
  const others = (await viewsFor(backend, caller.tenant, view.owner)).filter(({ id }) => id !== view.id);
  if (others.filter(({ owner }) => owner === view.owner).length >= MAX_OWN_VIEWS)
    throw new ApiError(
      'limit_reached',
      `You can save at most ${MAX_OWN_VIEWS} views in an environment. Delete one first.`,
    );
  if (view.shared === 1 && others.filter(({ shared }) => shared === 1).length >= MAX_SHARED_VIEWS)
    throw new ApiError('limit_reached', `An account can share at most ${MAX_SHARED_VIEWS} views in an environment.`);
};

const requireSharing = ({ caller }: AnyCall, { shared }: ViewRow): void => {
  if (shared === 1) requirePermission(caller, 'review', 'A shared view');
};

const withLock = ({ backend }: ViewDeps, { caller }: AnyCall, task: () => Promise<Answer>): Promise<Answer> =>
  backend.withLock(`views ${caller.tenant}`, task);

/** A view that the caller can change: their own, or a shared one of others with `administer`. */
const requireOwn = async ({ backend }: ViewDeps, call: CallWith<'view_id'>): Promise<ViewRow> => {
  const id = idOf('view', call.params.view_id);
  const me = authorOf(call.caller);
  const row = id === undefined ? undefined : await findView(backend, call.caller.tenant, id, me);
  if (row === undefined) throw notFound('view');
  if (row.owner !== me) requirePermission(call.caller, 'administer', 'A view of somebody else');
  return row;
};

const createView = (deps: ViewDeps, call: Call<'createView'>): Promise<Answer> => {
  const { page, name, query = '', columns = [], shared = false } = call.body;
  const now = deps.clock();
  return withLock(deps, call, async () => {
    const row: ViewRow = {
      ...{ id: deps.newId(), owner: authorOf(call.caller), page, name, query },
      columns: JSON.stringify(columns),
      shared: shared ? 1 : 0,
      created_at: now,
      updated_at: now,
    };
    requireSharing(call, row);
    await requireRoom(deps, call, row);
    const answer = call.answer(await viewOf(deps, call, row));
    await record(deps, call, 'created', { after: row }, [insertView(call.caller.tenant, row), ...answer.statements]);
    return answer;
  });
};

const changeView = (deps: ViewDeps, call: Call<'changeView'>): Promise<Answer> =>
  withLock(deps, call, async () => {
    const before = await requireOwn(deps, call);
    const { name = before.name, query = before.query, columns, shared = before.shared === 1 } = call.body;
    const after: ViewRow = {
      ...before,
      ...{ name, query },
      columns: columns === undefined ? before.columns : JSON.stringify(columns),
      shared: shared ? 1 : 0,
      updated_at: deps.clock(),
    };
    requireSharing(call, after);
    if (after.shared !== before.shared) await requireRoom(deps, call, after);
    const answer = call.answer(await viewOf(deps, call, after));
    await record(deps, call, 'changed', { before, after }, [
      updateView(call.caller.tenant, after),
      ...answer.statements,
    ]);
    return answer;
  });

const removeView = (deps: ViewDeps, call: Call<'deleteView'>): Promise<Answer> =>
  withLock(deps, call, async () => {
    const before = await requireOwn(deps, call);
    const answer = call.answer({});
    await record(deps, call, 'deleted', { before }, [deleteView(call.caller.tenant, before.id), ...answer.statements]);
    return answer;
  });

const listViews = async (deps: ViewDeps, call: Call<'listViews'>): Promise<Answer> => {
  const { tenant, account } = call.caller;
  const me = authorOf(call.caller);
  const { page } = call.query;
  const rows = (await viewsFor(deps.backend, tenant, me)).filter((row) => page === undefined || row.page === page);
  const owners = rows.map(({ owner }) => owner);
  const names = await deps.namesOf(account, owners);
  const list: ViewList = { views: rows.map((row) => toView(row, me, names)) };
  return call.answer(list);
};

/** Saved views of pages: a person's own, and those that a team shares. */
export const makeViews = (deps: ViewDeps) => ({
  list: (call: Call<'listViews'>): Promise<Answer> => listViews(deps, call),
  create: (call: Call<'createView'>): Promise<Answer> => createView(deps, call),
  change: (call: Call<'changeView'>): Promise<Answer> => changeView(deps, call),
  remove: (call: Call<'deleteView'>): Promise<Answer> => removeView(deps, call),
});
export type Views = ReturnType<typeof makeViews>;
