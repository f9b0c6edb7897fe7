import {
  type ErrorDetail,
  type Label,
  type LabelList,
  type LabelOrigin,
  type LabelQuery,
  type LabelRequest,
  type LabelValue,
  readTimestamp,
  type SubjectType,
  writeTimestamp,
} from '@portcullis/contract';
import type { Caller } from '../access/access.ts';
import { type Backend, type Outcome, Unavailable, type Unit } from '../backend/backend.ts';
import type { Counters } from '../backend/counters.ts';
import { saidBy } from '../backend/stored-history.ts';
import { invalidRequest, notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, type NewId, seqOf, withPrefix } from '../ids.ts';
import { mask, maskNotes } from '../mask.ts';
import type { FindScreening, ScreeningRow } from '../screening/screen.ts';
import { keep } from './keep.ts';
import {
  type Counted,
  findLabel,
  insertLabel,
  type LabelRow,
  type LastLabel,
  lastLabel,
  listLabelRows,
} from './store.ts';

const DEFAULT_LIMIT = 20;

/** A screening and the label of it that is in force. */
export interface Item {
  readonly screening: ScreeningRow;
  readonly last: LastLabel | undefined;
}

/** What someone says of an item. */
export interface Given {
  readonly label: LabelValue;
  readonly origin: LabelOrigin;
  readonly source: string;
  /** The analyst, where one is named. */
  readonly analystId?: string | null;
  readonly notes?: string | null;
  readonly occurredAt?: number | null;
  readonly at: number;
}

/** What the histories are changed by: a label that only repeats the one in force changes nothing, the opposite takes it back. */
const countedOf = ({ last }: Item, { label, at }: Given): Counted => {
  if (last?.label === label) return { counted_at: last.counted_at, replaced_at: null, repeats: 1 };
  return { counted_at: at, replaced_at: last?.counted_at ?? null, repeats: 0 };
};

const toLabel = (row: LabelRow): Label => ({
  label_id: withPrefix('label', row.id),
  subject_type: row.subject_type,
  subject_id: withPrefix(row.subject_type, row.screening_id),
  label: row.label,
  origin: row.origin,
  source: row.source,
  author: row.author,
  occurred_at: row.occurred_at === null ? null : writeTimestamp(row.occurred_at),
  notes: row.notes,
  labelled_at: writeTimestamp(row.labelled_at),
});

const subjectIn = (body: Readonly<Record<string, unknown>>): SubjectType[] =>
  (['transaction', 'event'] as const).filter((type) => body[`${type}_id`] !== undefined);

/** Which of the two ids is meant cannot be told by a schema. */
export const subjectFaults = (body: Readonly<Record<string, unknown>>): ErrorDetail[] => {
  const given = subjectIn(body).length;
  if (given === 1) return [];
  const message = given === 0 ? 'is required, or `event_id`' : 'must not be given together with `event_id`';
  return [{ field: 'transaction_id', message }];
};

export const makeLabels = (deps: {
  backend: Backend;
  counters: Counters;
  findScreening: FindScreening;
  hasRoom: () => boolean;
  newId: NewId;
  clock: () => number;
}) => {
  const { backend, counters, newId, clock } = deps;

  /** Acts when nobody else does on the item: whoever labels must, from reading what was said before until the label is durable. */
  const inTurn = <T>(tenant: number, id: string, act: () => Promise<T>): Promise<T> =>
    backend.inTurn(`item ${tenant} ${id}`, act);

  /** The item with what was said of it so far; undefined when it is unknown or past its retention. */
  const find = async (tenant: number, id: string): Promise<Item | undefined> => {
    const screening = await deps.findScreening(tenant, id);
    return screening === undefined ? undefined : { screening, last: await lastLabel(backend, tenant, seqOf(id)) };
  };

  const rowOf = (caller: Caller, { screening }: Item, given: Given): LabelRow => {
    const id = newId();
    return {
      seq: seqOf(id),
      id,
      screening_id: screening.id,
      subject_type: screening.type,
      label: given.label,
      origin: given.origin,
      source: given.source,
      author: given.analystId ?? withPrefix('key', caller.keyId),
      notes: given.notes ?? null,
      occurred_at: given.occurredAt ?? null,
      labelled_at: given.at,
    };
  };

  /** Counts the label in and stores it, as one with the act it comes from. */
  const write = (tenant: number, item: Item, given: Given, row: LabelRow, act: Unit): Promise<Outcome> => {
    if (!deps.hasRoom()) throw new Unavailable('too many writes are waiting');
    const { screening } = item;
    const counted = countedOf(item, given);
    const statement = insertLabel(tenant, seqOf(screening.id), row, counted, keep(screening));
    const said = saidBy({ ...row, ...counted });
    return counters.label(tenant, screening, said, row.seq, () => backend.write([...act, statement]));
  };

  const add = async (call: Call): Promise<Answer> => {
    const body = call.body as LabelRequest;
    const { tenant } = call.caller;
    const [type] = subjectIn(body) as [SubjectType];
    const id = idOf(type, body[`${type}_id`] as string);
    const occurredAt = body.occurred_at === undefined ? null : (readTimestamp(body.occurred_at) as number);
    if (occurredAt !== null && occurredAt > clock())
      throw invalidRequest([{ field: 'occurred_at', message: 'must not be in the future' }]);
    const source = mask(body.source, 'source', call.warnings);
    const notes = maskNotes(body.notes, call.warnings);
    if (id === undefined) throw notFound(type);
    return inTurn(tenant, id, async () => {
      const item = await find(tenant, id);
      if (item === undefined || item.screening.type !== type) throw notFound(type);
      const given: Given = { label: body.label, origin: 'api', source, notes, occurredAt, at: clock() };
      const row = rowOf(call.caller, item, given);
      const answer = call.answer(toLabel(row));
      await write(tenant, item, given, row, answer.statements);
      return answer;
    });
  };

  const get = async (call: Call): Promise<Answer> => {
    const id = idOf('label', call.params.label_id as string);
    const row = id === undefined ? undefined : await findLabel(backend, call.caller.tenant, seqOf(id), id);
    if (row === undefined) throw notFound('label');
    return call.answer(toLabel(row));
  };

  const list = async (call: Call): Promise<Answer> => {
    const { subject, since, limit = DEFAULT_LIMIT, before } = call.query as LabelQuery;
    const type: SubjectType = subject?.startsWith('evt_') ? 'event' : 'transaction';
    const id = subject === undefined ? undefined : (idOf(type, subject) as string);
    const filter = {
      screening: id === undefined ? undefined : { id, seq: seqOf(id), type },
      since: since === undefined ? undefined : readTimestamp(since),
      before: before === undefined ? undefined : seqOf(idOf('label', before) as string),
    };
    const rows = await listLabelRows(backend, call.caller.tenant, filter, limit + 1);
    const labels: LabelList = { labels: rows.slice(0, limit).map(toLabel), has_more: rows.length > limit };
    return call.answer(labels);
  };

  return {
    add,
    get,
    list,
    inTurn,
    find,
    /** For those who label by what they do: writes what they do, and the label with it. */
    writeWith: (caller: Caller, item: Item, given: Given, act: Unit): Promise<Outcome> =>
      write(caller.tenant, item, given, rowOf(caller, item, given), act),
  };
};
export type Labels = ReturnType<typeof makeLabels>;
