import type { ErasureCounts } from '@portcullis/contract';
import { actor } from '../audit/audit.ts';
import { eraseFromLog } from '../audit/erase.ts';
import type { Statement } from '../backend/backend.ts';
import { caseIdsOfUser, eraseCase } from '../cases/erase.ts';
import { eraseResponses } from '../http/idempotency.ts';
import { eraseLabels } from '../labels/erase.ts';
import { metadataValuesOf } from '../models/erase.ts';
import { eraseReviews, reviewedIdsOfUser } from '../reviews/erase.ts';
import { firstIdAt, firstSeqAt, seqOf, timeOf, withPrefix } from '../runtime/ids.ts';
import { RETENTION_MS } from '../screening/screen.ts';
import { eraseViews } from '../views/erase.ts';
import { eraseDeliveries } from '../webhooks/erase.ts';
import { erasePage } from './erase-items.ts';
import { eraseFromModels } from './erase-models.ts';
import type { ErasureDeps } from './erasure-deps.ts';
import { addCounts, type ErasureState, openState, sealState } from './erasure-state.ts';
import { makeMentions } from './person.ts';
import { type ErasureRow, endErasure, updateErasure } from './store.ts';

/** No commit takes so long. Then every item of before the request is stored, or never will be. */
const SETTLED_MS = 15_000;
/** Every process reads the changes of others within this time. */
const READ_MS = 5000;
const PAGE = 200;
/** Before every id. Erased rows are not found again, so each page begins there. */
const FIRST = '';
/** The share of the work that the items are. */
const ITEMS_SHARE = 0.8;
/** The share that the items and everything else are. Only files are left then. */
const REST_SHARE = 0.95;

/** Erases cases, reviews and labels that are older than the stored items, and those that were written since. */
const eraseOlder = async (
  { backend }: ErasureDeps,
  tenant: number,
  userId: string,
  before: string,
): Promise<Pick<ErasureCounts, 'cases' | 'reviews'>> => {
  const counts = { cases: 0, reviews: 0 };
  for (;;) {
    const cases = await caseIdsOfUser(backend, tenant, userId, FIRST, before, PAGE);
    const reviewed = await reviewedIdsOfUser(backend, tenant, userId, FIRST, before, PAGE);
    if (cases.length === 0 && reviewed.length === 0) return counts;
    const labels = [];
    for (const id of new Set([...cases, ...reviewed])) labels.push(...(await eraseLabels(backend, tenant, id)));
    await backend.write([
      ...cases.flatMap((id) => eraseCase(tenant, id)),
      ...reviewed.map((id) => eraseReviews(tenant, id)),
      ...labels,
    ]);
    counts.cases += cases.length;
    counts.reviews += reviewed.length;
  }
};

/** Users of the person who have no item left under their name. */
const erasedUsers = async (
  { personItems }: ErasureDeps,
  tenant: number,
  { user_id, users }: ErasureState,
  through: number,
) => {
  const erased = user_id === undefined ? [] : [user_id];
  for (const user of users) {
    if (user === user_id) continue;
    if ((await personItems.items(tenant, { user_id: user }, 0, through, 1)).length === 0) erased.push(user);
  }
  return erased;
};

/** Erases everything but the items. Returns undefined where it has to be tried again. */
const eraseRest = async (
  deps: ErasureDeps,
  { id, tenant }: ErasureRow,
  state: ErasureState,
): Promise<Partial<ErasureCounts> | undefined> => {
  const { backend, isCommittedInOrder } = deps;
  const names = makeMentions([state.user_id, state.email, ...state.values].filter((value) => value !== undefined));
  if (!(await deps.changes.erase(tenant, names, isCommittedInOrder ? 0 : READ_MS))) return undefined;
  let counts = { cases: 0, reviews: 0 };
  for (const user of await erasedUsers(deps, tenant, state, seqOf(id))) {
    const more = await eraseOlder(deps, tenant, user, firstIdAt(timeOf(id) + 1));
    counts = { cases: counts.cases + more.cases, reviews: counts.reviews + more.reviews };
  }
  const deliveries = await eraseDeliveries(backend, tenant, state.users);
  const responses = await eraseResponses(deps, tenant, timeOf(id), makeMentions([...state.users, ...state.values]));
  await eraseViews(backend, tenant, names);
  await eraseFromModels(deps, tenant, state.metadata);
  const audit_entries = await eraseFromLog(deps, tenant, names);
  return { ...counts, deliveries, responses, audit_entries };
};

/**
 * Runs an erasure until it is done, or must wait. Everything in it can be repeated: after a crash it continues with the
 * page that was not confirmed. Returns whether it is done.
 */
export const runErasure = async (deps: ErasureDeps, row: ErasureRow, isStopped: () => boolean): Promise<boolean> => {
  const { backend, personItems, seal, clock } = deps;
  const { id, tenant } = row;
  const through = seqOf(id);
  if (!deps.isCommittedInOrder && clock() < row.requested_at + SETTLED_MS) return false;
  if (!(await personItems.isCompleteThrough(tenant, through))) return false;
  let state = openState(seal, row);
  let counts = JSON.parse(row.counts) as ErasureCounts;
  let { progress } = row;
  const remember = (next: ErasureState, sum: ErasureCounts): Statement =>
    updateErasure(id, { progress, counts: JSON.stringify(sum), sealed: sealState(seal, id, next) });
  const confirm = (now: number): Promise<unknown> => {
    progress = now;
    return backend.write([remember(state, counts)]);
  };
  const isInModel = await metadataValuesOf(backend, await deps.accountOf(tenant));
  const oldest = firstSeqAt(row.requested_at - RETENTION_MS);
  for (let isLast = state.after >= through; !isLast; ) {
    if (isStopped()) return false;
    const page = await erasePage(deps, tenant, state, through, isInModel, (known, more) =>
      remember(known, addCounts(counts, more)),
    );
    if (page === undefined) return false;
    isLast = page.isLast;
    state = isLast ? { ...page.state, after: through } : page.state;
    counts = addCounts(counts, page.counts);
    const share = Math.max(0, (state.after - oldest) / (through - oldest));
    await confirm(ITEMS_SHARE * (isLast ? 1 : share));
  }
  if (state.isErased !== true) {
    const rest = await eraseRest(deps, row, state);
    if (rest === undefined) return false;
    state = { ...state, isErased: true };
    counts = addCounts(counts, rest);
    await confirm(REST_SHARE);
  }
  const users = [...state.users, ...(state.user_id === undefined ? [] : [state.user_id])];
  if (!(await deps.projector.erase(tenant, [], users)) || !(await deps.dropFormerContent())) return false;
  const change = {
    action: 'person.erased',
    target: withPrefix('erasure', id),
    before: null,
    after: { person: row.person, counts },
  };
  await deps.audit.write(actor('erasure_worker', tenant), change, [endErasure(id, JSON.stringify(counts), clock())]);
  return true;
};
