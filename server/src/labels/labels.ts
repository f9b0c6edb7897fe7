import {
  type ErrorDetail,
  type Label,
  type LabelList,
  type LabelOrigin,
  type LabelReason,
  type LabelValue,
  MAX_LABELS_PER_ITEM,
  readTimestamp,
  type SubjectType,
  writeTimestamp,
} from '@portcullis/contract';
import { actorKinds, type LabelEffect, markPresent } from '@portcullis/engine';
import { type Backend, type Outcome, Unavailable, type Unit } from '../backend/backend.ts';
import type { Counters } from '../backend/counters.ts';
import {
  type FindScreening,
  labelEffectOf,
  makeRestoreSubject,
  type RestoredSubject,
  type ScreeningRow,
} from '../backend/journal.ts';
import { analystOf, authorOf, type Caller } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, type NewId, seqOf, withPrefix } from '../runtime/ids.ts';
import { ApiError, invalidRequest, notFound } from '../validation/errors.ts';
import {
  type EffectColumns,
  findLabel,
  insertLabel,
  type LabelRow,
  type LastLabel,
  labelledAmong,
  lastLabel,
  listLabelRows,
} from './store.ts';
import { takeTrainingSnapshot } from './training-snapshot.ts';

const DEFAULT_LIMIT = 20;

/** A screening and its label in force. */
export interface Item {
  readonly screening: ScreeningRow;
  readonly last: LastLabel | undefined;
}

export interface NewLabel {
  readonly label: LabelValue;
  /** How the fraud was done, where it is known. Null for a legitimate label. */
  readonly reason: LabelReason | null;
  readonly origin: LabelOrigin;
  readonly source: string;
  /** The analyst, when one is named. */
  readonly analystId?: string | null;
  readonly notes?: string | null;
  readonly occurredAt?: number | null;
  readonly at: number;
}

interface LabelDeps {
  readonly backend: Backend;
  readonly counters: Counters;
  readonly findScreening: FindScreening;
  readonly hasRoom: () => boolean;
  readonly newId: NewId;
  readonly clock: () => number;
}

/** The kinds of entity that a label blames: those that it has counted against, else those that the facts name. */
const blamedBy = (
  { label, reason }: Pick<LabelRow, 'label' | 'reason'>,
  { subject, facts }: RestoredSubject,
  counted: number | null,
): number => (label === 'fraud' ? (counted ?? actorKinds(subject, facts, reason ?? undefined)) : 0);

/** Restores the subject of a screening without its identities: whom a label blames depends only on the kinds. */
const restoreKinds = makeRestoreSubject(() => markPresent);

/**
 * The opposite label replaces the one in force in histories. A label that repeats it changes nothing, unless it gives
 * the fraud another reason.
 */
const effectColumnsOf = ({ last }: Item, { at }: NewLabel, row: LabelRow, of: RestoredSubject): EffectColumns => {
  const replaced_reason = last?.reason ?? null;
  const isRepeated = last?.label === row.label;
  const formerActors = last === undefined ? 0 : blamedBy(last, of, last.actors);
  const isSame = isRepeated && replaced_reason === row.reason;
  const masks = { actors: isSame ? formerActors : blamedBy(row, of, null), replaced_actors: formerActors };
  if (last !== undefined && isRepeated)
    return { counted_at: last.counted_at, replaced_at: null, replaced_reason, repeats: 1, ...masks };
  return { counted_at: at, replaced_at: last?.counted_at ?? null, replaced_reason, repeats: 0, ...masks };
};

/** A fraud label without a reason, such as a later chargeback, keeps the reason of the fraud label before it. */
const reasonOf = ({ last }: Item, { label, reason }: NewLabel): LabelReason | null =>
  reason ?? (last?.label === label ? last.reason : null);

const toLabel = (row: LabelRow): Label => ({
  label_id: withPrefix('label', row.id),
  subject_type: row.subject_type,
  subject_id: withPrefix(row.subject_type, row.screening_id),
  label: row.label,
  reason: row.reason,
  origin: row.origin,
  source: row.source,
  author: row.author,
  occurred_at: row.occurred_at === null ? null : writeTimestamp(row.occurred_at),
  notes: row.notes,
  labelled_at: writeTimestamp(row.labelled_at),
});

const subjectTypesIn = (body: Readonly<Record<string, unknown>>): SubjectType[] =>
  (['transaction', 'event'] as const).filter((type) => body[`${type}_id`] !== undefined);

/** Requires exactly one of `transaction_id` and `event_id`, which the schema cannot express. */
export const subjectErrors = (body: Readonly<Record<string, unknown>>): ErrorDetail[] => {
  const count = subjectTypesIn(body).length;
  if (count === 1) return [];
  const message = count === 0 ? 'is required, or `event_id`' : 'must not be given together with `event_id`';
  return [{ field: 'transaction_id', message }];
};

/**
 * Runs `task` while holding the lock of the item. Labelling needs it from reading the label in force until the new
 * label is durable.
 */
const withItemLock = <T>({ backend }: LabelDeps, tenant: number, id: string, task: () => Promise<T>): Promise<T> =>
  backend.withLock(`item ${tenant} ${id}`, task);

/** Undefined when the screening is unknown or past its retention. */
const findItem = async (deps: LabelDeps, tenant: number, id: string): Promise<Item | undefined> => {
  const screening = await deps.findScreening(tenant, id);
  return screening === undefined ? undefined : { screening, last: await lastLabel(deps.backend, tenant, seqOf(id)) };
};

/** Refuses a label beyond the quota of its item. The caller holds the lock of the item. */
const requireRoom = ({ last }: Item): void => {
  if ((last?.labels ?? 0) < MAX_LABELS_PER_ITEM) return;
  const message = `A transaction or event can have at most ${MAX_LABELS_PER_ITEM} labels, including those of reviews. The newest one applies.`;
  throw new ApiError('limit_reached', message);
};

const rowOf = ({ newId }: LabelDeps, caller: Caller, item: Item, label: NewLabel): LabelRow => {
  const { screening } = item;
  const id = newId();
  return {
    seq: seqOf(id),
    id,
    screening_id: screening.id,
    subject_type: screening.type,
    label: label.label,
    reason: reasonOf(item, label),
    origin: label.origin,
    source: label.source,
    author: label.analystId ?? analystOf(caller, undefined) ?? authorOf(caller),
    notes: label.notes ?? null,
    occurred_at: label.occurredAt ?? null,
    labelled_at: label.at,
  };
};

/** Counts the label and stores it in one unit with `statements`. */
const writeLabel = (
  { backend, counters, hasRoom }: LabelDeps,
  tenant: number,
  item: Item,
  label: NewLabel,
  row: LabelRow,
  statements: Unit,
): Promise<Outcome> => {
  if (!hasRoom()) throw new Unavailable('too many writes are waiting');
  const { screening } = item;
  const restored = restoreKinds(tenant, screening);
  const columns = effectColumnsOf(item, label, row, restored);
  const insert = insertLabel(tenant, seqOf(screening.id), row, columns, takeTrainingSnapshot(screening));
  const effect = labelEffectOf({ ...row, ...columns }, restored);
  return counters.label(tenant, screening, effect, row.seq, () => backend.write([...statements, insert]));
};

/** The first label of an imported item. */
export interface PastLabelRequest {
  readonly screening: ScreeningRow;
  readonly label: LabelValue;
  readonly reason: LabelReason | null;
  /** When it became known. */
  readonly at: number;
}

/** Makes the first labels of imported items: how each counts, and the statement that stores it. */
const pastLabels = (deps: LabelDeps, caller: Caller, labels: readonly PastLabelRequest[]) =>
  labels.map(({ screening, label, reason, at }) => {
    const item: Item = { screening, last: undefined };
    const given: NewLabel = { label, reason, origin: 'api', source: 'import', occurredAt: at, at };
    const row = rowOf(deps, caller, item, given);
    const restored = restoreKinds(caller.tenant, screening);
    const columns = effectColumnsOf(item, given, row, restored);
    const effect = labelEffectOf({ ...row, ...columns }, restored) as LabelEffect;
    const snapshot = takeTrainingSnapshot(screening);
    return {
      past: { screening, effect, seq: row.seq },
      insert: insertLabel(caller.tenant, seqOf(screening.id), row, columns, snapshot),
    };
  });

const addLabel = async (deps: LabelDeps, call: Call<'addLabel'>): Promise<Answer> => {
  const { body } = call;
  const { tenant } = call.caller;
  const [type] = subjectTypesIn(body) as [SubjectType];
  const id = idOf(type, body[`${type}_id`] as string);
  const occurredAt = body.occurred_at === undefined ? null : (readTimestamp(body.occurred_at) as number);
  if (occurredAt !== null && occurredAt > deps.clock())
    throw invalidRequest([{ field: 'occurred_at', message: 'must not be in the future' }]);
  const { reason = null, source, notes = null } = body;
  if (id === undefined) throw notFound(type);
  return withItemLock(deps, tenant, id, async () => {
    const item = await findItem(deps, tenant, id);
    if (item === undefined || item.screening.type !== type) throw notFound(type);
    requireRoom(item);
    const at = deps.clock();
    const label: NewLabel = { label: body.label, reason, origin: 'api', source, notes, occurredAt, at };
    const row = rowOf(deps, call.caller, item, label);
    const answer = call.answer(toLabel(row));
    await writeLabel(deps, tenant, item, label, row, answer.statements);
    return answer;
  });
};

const getLabel = async ({ backend }: LabelDeps, call: Call<'getLabel'>): Promise<Answer> => {
  const id = idOf('label', call.params.label_id);
  const row = id === undefined ? undefined : await findLabel(backend, call.caller.tenant, seqOf(id), id);
  if (row === undefined) throw notFound('label');
  return call.answer(toLabel(row));
};

const listLabels = async ({ backend }: LabelDeps, call: Call<'listLabels'>): Promise<Answer> => {
  const { subject, since, limit = DEFAULT_LIMIT, before } = call.query;
  const type: SubjectType = subject?.startsWith('evt_') ? 'event' : 'transaction';
  const id = subject === undefined ? undefined : (idOf(type, subject) as string);
  const filter = {
    screening: id === undefined ? undefined : { id, seq: seqOf(id), type },
    since: since === undefined ? undefined : readTimestamp(since),
    before: before === undefined ? undefined : seqOf(idOf('label', before) as string),
  };
  const { rows, hasMore } = await listLabelRows(backend, call.caller.tenant, filter, limit);
  const labels: LabelList = { labels: rows.map(toLabel), has_more: hasMore };
  return call.answer(labels);
};

export const makeLabels = (deps: LabelDeps) => ({
  add: (call: Call<'addLabel'>): Promise<Answer> => addLabel(deps, call),
  get: (call: Call<'getLabel'>): Promise<Answer> => getLabel(deps, call),
  list: (call: Call<'listLabels'>): Promise<Answer> => listLabels(deps, call),
  /** All labels of an item, the newest first. */
  of: async (tenant: number, type: SubjectType, id: string): Promise<Label[]> =>
    (
      await listLabelRows(deps.backend, tenant, { screening: { id, seq: seqOf(id), type } }, MAX_LABELS_PER_ITEM)
    ).rows.map(toLabel),
  withLock: <T>(tenant: number, id: string, task: () => Promise<T>): Promise<T> => withItemLock(deps, tenant, id, task),
  find: (tenant: number, id: string): Promise<Item | undefined> => findItem(deps, tenant, id),
  requireRoom,
  /** Which of the screenings with these numbers have a label. */
  labelledAmong: (tenant: number, numbers: readonly number[]): Promise<Set<number>> =>
    labelledAmong(deps.backend, tenant, numbers),
  past: (caller: Caller, labels: readonly PastLabelRequest[]) => pastLabels(deps, caller, labels),
  /** Stores the label in one unit with the statements of the action that implies it, such as a review. */
  writeWith: (caller: Caller, item: Item, label: NewLabel, statements: Unit): Promise<Outcome> =>
    writeLabel(deps, caller.tenant, item, label, rowOf(deps, caller, item, label), statements),
});
export type Labels = ReturnType<typeof makeLabels>;
